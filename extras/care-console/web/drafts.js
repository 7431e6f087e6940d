// What was typed into forms and not sent. It survives the end of a session, the menu, Back and a reload, under its form and
// its key's holder: in memory, and in this tab's storage. Signing out empties it.

import { name } from "./scopes.js";
import { tab } from "./tab.js";
import { button, h } from "./ui/dom.js";
import { SPEECH, W } from "./words.js";

/** A field by its name, with what stands in it, and whether it stood there at first. @typedef {{ name: string, value: string | boolean, isSame?: boolean }} Entry */
/** A form at another address, to which a draft is handed on. @typedef {{ address: string, id: string }} Heir */

/** What was typed, and under which heading in which language. @typedef {{ entries: Entry[], heading?: string, language?: string }} Draft */

/** By holder, address and form. @type {ReturnType<typeof tab<Draft>>} */
const drafts = tab("care.drafts", 20);

/** @param {string | undefined} holder @param {string} address @param {string} id */
const under = (holder, address, id) => JSON.stringify([holder, address, id]);

/**
 * Forgets the draft of a form whose record turned out to be made, or hands it on to the form that corrects the record.
 * @param {string} address @param {string} id @param {Heir} [heir]
 */
export function settle(address, id, heir) {
  const key = under(name(), address, id);
  const draft = drafts.get(key);
  drafts.put(key, undefined);
  // The record was made from an earlier text, so all of this one counts, under whatever heading.
  const entries = draft?.entries.map(({ name, value }) => ({ name, value }));
  if (entries && heir) drafts.put(under(name(), heir.address, heir.id), { entries });
}

/** The heading of the page, in its language. */
const above = () => ({ heading: document.querySelector("h1")?.textContent ?? "", language: SPEECH.language });

/**
 * Whether a draft was typed under this heading. Where another database has taken the place of the one before, a number may
 * be that of another record. What a heading is called in another language is not known.
 * @param {Draft} draft @param {ReturnType<typeof above>} now
 */
export const isOf = ({ heading, language }, now) =>
  heading === undefined || language !== now.language || heading === now.heading;

/**
 * Keeps what is typed into a form, and puts back what was kept of it when it was open before.
 * @param {HTMLFormElement} form
 * @param {string} id what tells it from the other forms of its screen
 * @param {(names: string[]) => void} grow adds the rows that fields with these names need
 */
export function keep(form, id, grow) {
  const holder = name();
  const address = location.hash;
  if (holder === undefined) return () => {};
  const key = under(holder, address, id);
  let isOver = false;
  /** Whether the draft stays as it is, and out of the form. */
  let isHeld = false;
  /** @type {Entry[]} */
  let first = [];

  function note() {
    if (isOver || isHeld || name() !== holder) return;
    const now = edited(entries(form), first);
    drafts.put(key, now.some((entry) => !entry.isSame) ? { entries: now, ...above() } : undefined);
  }

  /** Says above the form what is with its draft, which can be discarded. @param {string} text @param {() => void} drop @param {HTMLElement} [more] */
  function tell(text, drop, more) {
    const discard = button(
      W.draft.drop,
      () => {
        told.remove();
        drop();
        drafts.put(key, undefined);
      },
      { class: "quiet" },
    );
    const told = h(
      "div",
      { class: "draft actions", role: "group", "aria-label": text },
      h("p", { role: "status" }, text),
      more,
      discard,
    );
    form.prepend(told);
    return told;
  }

  /** Puts the draft back into the form as it was opened. @param {Draft} before */
  function restore({ entries: before }) {
    grow(before.map((entry) => entry.name));
    fill(form, before);
    tell(W.draft.lead, () => {
      // What was added to the form since has nothing to go back to.
      const others = fields(form).map((field) => ({ name: nameOf(field), value: "" }));
      fill(form, [...first, ...others]);
      fields(form)[0]?.focus();
    });
  }

  /** Says what a draft was typed for, before it is put back. @param {Draft} before */
  function offer(before) {
    isHeld = true;
    const release = () => (isHeld = false);
    const put = button(W.draft.put, () => (release(), told.remove(), restore(before)), { class: "quiet" });
    const told = tell(W.draft.other(before.heading ?? ""), release, put);
  }
  // Rows are added to a form after it was made.
  queueMicrotask(() => {
    first = entries(form);
    const before = drafts.get(key);
    if (before) isOf(before, above()) ? restore(before) : offer(before);
  });
  form.addEventListener("input", note);
  form.addEventListener("change", note);
  /** Forgets the draft once its form is done, which its screen shows by closing it or by going on. */
  return () => {
    if (form.isConnected && location.hash === address) return;
    isOver = true;
    drafts.put(key, undefined);
  };
}

/**
 * Marks the entries that are as they were at first: what others store in such a field meanwhile stays.
 * @param {Entry[]} now @param {Entry[]} first
 */
function edited(now, first) {
  const left = [...first];
  return now.map((entry) => {
    const place = left.findIndex((one) => one.name === entry.name);
    const before = place < 0 ? undefined : left.splice(place, 1)[0]?.value;
    return { ...entry, isSame: entry.value === (before ?? (typeof entry.value === "string" ? "" : false)) };
  });
}

/** The fields whose content is kept. A key is none of them. @param {HTMLFormElement} form */
const fields = (form) =>
  /** @type {HTMLInputElement[]} */ (
    [...form.elements].filter(
      (field) =>
        field instanceof HTMLSelectElement ||
        field instanceof HTMLTextAreaElement ||
        (field instanceof HTMLInputElement && field.type !== "password" && field.type !== "date" && !field.readOnly),
    )
  );

/** What tells a field from the others of its form, in every language. @param {HTMLInputElement} field */
const nameOf = (field) => field.dataset.of ?? field.name;

/** @param {HTMLFormElement} form @returns {Entry[]} */
const entries = (form) =>
  fields(form).map((field) => ({
    name: nameOf(field),
    value: field.type === "checkbox" ? field.checked : field.value,
  }));

/** Puts a draft back, each value into the next field of its name. @param {HTMLFormElement} form @param {Entry[]} draft */
function fill(form, draft) {
  const left = [...draft];
  for (const field of fields(form)) {
    const place = left.findIndex((entry) => entry.name === nameOf(field));
    const [entry] = place < 0 ? [] : left.splice(place, 1);
    if (!entry || entry.isSame) continue;
    if (field.type === "checkbox") field.checked = entry.value === true;
    else field.value = String(entry.value);
    field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? "change" : "input", { bubbles: true }));
  }
}
