// What was typed into forms and not sent. It survives the end of a session, the menu, Back and a reload, under its form and
// its key's holder: in memory, and in this tab's storage. Signing out empties it.

import { name } from "./scopes.js";
import { tab } from "./tab.js";
import { button, h } from "./ui/dom.js";
import { W } from "./words.js";

/** A field by its name, with what stands in it. @typedef {{ name: string, value: string | boolean }} Entry */
/** A form at another address, to which a draft is handed on. @typedef {{ address: string, id: string }} Heir */

/** By holder, address and form. @type {ReturnType<typeof tab<Entry[]>>} */
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
  if (draft && heir) drafts.put(under(name(), heir.address, heir.id), draft);
}

/**
 * Keeps what is typed into a form, and offers what was kept of it when it was open before.
 * @param {HTMLFormElement} form
 * @param {string} id what tells it from the other forms of its screen
 * @param {(names: string[]) => void} grow adds the rows that fields with these names need
 */
export function keep(form, id, grow) {
  const holder = name();
  const address = location.hash;
  if (holder === undefined) return () => {};
  const key = under(holder, address, id);
  const before = drafts.get(key);
  let isOver = false;
  let first = "";
  /** @type {HTMLElement | undefined} */
  let offer;
  queueMicrotask(() => (first = JSON.stringify(entries(form))));

  function note() {
    if (isOver || name() !== holder) return;
    const now = entries(form);
    const isEmpty = JSON.stringify(now) === first;
    // Typing answers the offer: what was kept would replace what is typed now.
    if (offer?.isConnected && isEmpty) return;
    offer?.remove();
    drafts.put(key, isEmpty ? undefined : now);
  }
  form.addEventListener("input", note);
  form.addEventListener("change", note);
  if (before) {
    offer = h(
      "div",
      { class: "draft", role: "group", "aria-label": W.draft.lead },
      h("p", {}, W.draft.lead),
      h(
        "div",
        { class: "actions" },
        button(W.draft.take, () => {
          offer?.remove();
          grow(before.map((entry) => entry.name));
          fill(form, before);
        }),
        button(
          W.draft.drop,
          () => {
            offer?.remove();
            fields(form)[0]?.focus();
            note();
          },
          { class: "quiet" },
        ),
      ),
    );
    form.prepend(offer);
  }
  /** Forgets the draft once its form is done, which its screen shows by closing it or by going on. */
  return () => {
    if (form.isConnected && location.hash === address) return;
    isOver = true;
    drafts.put(key, undefined);
  };
}

/** The fields whose content is kept. A key is none of them. @param {HTMLFormElement} form */
const fields = (form) =>
  /** @type {HTMLInputElement[]} */ (
    [...form.elements].filter(
      (field) =>
        field instanceof HTMLSelectElement ||
        (field instanceof HTMLInputElement && field.type !== "password" && !field.readOnly),
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
    if (!entry) continue;
    if (typeof entry.value === "boolean") field.checked = entry.value;
    else field.value = entry.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  fields(form)[0]?.focus();
}
