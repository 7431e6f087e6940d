// What was typed into forms and not sent. It survives the end of a session, the menu, Back and a reload, under its form and
// its key's holder: in memory, and in this tab's storage. Signing out empties it.

import { fate, isEdited, isLate, paired } from "./draft.js";
import { epochOf } from "./live.js";
import { name } from "./scopes.js";
import { tab } from "./tab.js";
import { button, h } from "./ui/dom.js";
import { W } from "./words.js";

/** @typedef {import("./draft.js").Content} Content */
/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {import("./draft.js").Entry & { node: HTMLInputElement }} Field */

/** The forms that keep a draft. */
export const FORMS = /** @type {const} */ ([
  "register",
  "profile",
  "visit",
  "prescription",
  "medicine",
  "item",
  "start",
  "receive",
  "remove",
  "return",
  "count",
  "settings",
  "sheet",
  "delivery",
  "refund",
  "correction",
]);
/** @typedef {(typeof FORMS)[number]} Kept */

/**
 * A form at another address, to which a draft is handed on, and the body that its record was made from.
 * @typedef {{ address: string, id: Kept, body: Record<string, unknown> }} Heir
 */

/** The number of drafts that are kept of one form: each is about another person, or from another database. */
const MOST = 3;

/** By holder, address and form, the latest last. @type {ReturnType<typeof tab<Draft[]>>} */
const drafts = tab("care.drafts", 20);

/** @param {string | undefined} holder @param {string} address @param {Kept} id */
const under = (holder, address, id) => JSON.stringify([holder, address, id]);

/** Puts a draft in the place of another one. @param {string} key @param {Draft | undefined} before @param {Draft | undefined} next */
function replace(key, before, next) {
  const others = (drafts.get(key) ?? []).filter((one) => one !== before);
  const all = next ? [...others, next].slice(-MOST) : others;
  drafts.put(key, all.length > 0 ? all : undefined);
}

/**
 * Forgets the draft of a form whose record turned out to be made, or hands it on to the form that corrects the record.
 * @param {string} address @param {Kept} id @param {Heir} [heir]
 */
export function settle(address, id, heir) {
  const key = under(name(), address, id);
  const draft = drafts.get(key)?.at(-1);
  if (!draft) return;
  replace(key, draft, undefined);
  if (!heir) return;
  // What is stored by now is what was sent, unless another person has changed it since.
  const entries = draft.entries.map(({ name, value }) => {
    const sent = heir.body[name];
    return { name, value, first: typeof value === "boolean" ? sent === true : String(sent ?? "") };
  });
  replace(under(name(), heir.address, heir.id), undefined, { entries, epoch: draft.epoch });
}

/** What the latest draft of a form on this screen has in a field. @param {Kept} id @param {string} field */
export const drafted = (id, field) =>
  drafts
    .get(under(name(), location.hash, id))
    ?.at(-1)
    ?.entries.find((entry) => entry.name === field)?.value;

/**
 * What a field was typed over, and over what it would be typed now: what is stored, or the shelf that is counted.
 * @typedef {{ first: Content, stored: Content, over?: string, now?: string }} Basis
 */

/** @type {WeakMap<Element, Basis>} */
const bases = new WeakMap();

/**
 * Says of what a field is a count: a shelf as it is now. What is in the field already stays a count of the shelf as it was.
 * @param {HTMLInputElement} node @param {string} shelf
 */
export function counting(node, shelf) {
  const { over = shelf } = node.value === "" ? {} : (bases.get(node) ?? {});
  bases.set(node, { first: "", stored: "", over, now: shelf });
}

/** Whether a count was typed before units of its shelf were moved. @param {HTMLInputElement} node */
export const isOvertaken = (node) => bases.get(node)?.over !== bases.get(node)?.now;

/** Takes a count for one of the shelf as it is now, once its user knows. @param {Element} node */
export function recount(node) {
  const basis = bases.get(node);
  if (basis?.now !== undefined) basis.over = basis.now;
}

/** Says what is stored by now of what a field shows. @param {HTMLInputElement} node @param {unknown} value */
export function rebase(node, value) {
  const stored = node.type === "checkbox" ? value === true : String(value ?? "");
  bases.set(node, { first: stored, stored });
}

/** The heading of the page, and the names in it. */
function above() {
  const heading = document.querySelector("h1");
  const names = [...(heading?.querySelectorAll("bdi") ?? [])]
    .map((one) => one.dataset.name ?? one.textContent)
    .join("\n");
  return { heading: heading?.textContent ?? "", names };
}

/**
 * Keeps what is typed into a form, and puts back what was kept of it when it was open before.
 * @param {HTMLFormElement} form
 * @param {object} how
 * @param {Kept} how.id
 * @param {() => string | undefined} [how.tag] that of the record which is edited
 * @param {HTMLInputElement | undefined} [how.about] the field that says whom or what a new record is about
 * @param {(names: string[]) => void} [how.grow] adds the rows that fields with these names need
 * @param {(late: HTMLInputElement[] | undefined) => void} [how.late] shows what others have stored meanwhile in these fields,
 * or nothing more; a form without it edits no record, and a draft is only offered where what it counted was moved
 */
export function keep(form, { id, tag = () => undefined, about, grow = () => {}, late }) {
  const holder = name();
  const address = location.hash;
  if (holder === undefined) return () => {};
  const key = under(holder, address, id);
  let isOver = false;
  /** Whether fields are being filled: that is not typed. */
  let isFilling = false;
  /** The draft of what is in the form now. @type {Draft | undefined} */
  let own;
  /** What says that it was put back. @type {HTMLElement | undefined} */
  let back;
  /** @type {string | undefined} */
  let epoch;
  let page = above();
  const whose = () => ({ epoch, ...page, tag: tag(), about: about?.value.trim() });

  function note() {
    if (isOver || isFilling || name() !== holder) return;
    const entries = fieldsOf(form)
      // Where each field has a name of its own, those that are empty need not be kept.
      .filter((one) => isEdited(one) || one.node.dataset.of === undefined)
      .map(({ node: _, ...entry }) => entry);
    const next = entries.some(isEdited) ? { entries, ...whose() } : undefined;
    replace(key, own, next);
    own = next;
    if (!next) back?.remove();
  }

  /** Notes what is typed: a count is one of the shelf as it is now. @param {Event} event */
  function typed({ target }) {
    if (!isFilling && target instanceof Element) recount(target);
    note();
  }

  /** Says above the form what is with a draft, which can be discarded. @param {string} text @param {() => void} drop @param {HTMLElement} [more] */
  function tell(text, drop, more) {
    const discard = button(
      W.draft.drop,
      () => {
        told.remove();
        drop();
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

  /** Shows the form as if nothing had been typed. */
  function empty() {
    isFilling = true;
    for (const { node } of fieldsOf(form)) {
      const basis = basisOf(node);
      basis.first = basis.stored;
      recount(node);
      write(node, basis.stored);
    }
    isFilling = false;
  }

  /** What was typed over something else than there is now. @template {{ entry: import("./draft.js").Entry, field: Field | undefined }} T @param {T[]} pairs */
  const overtaken = (pairs) => pairs.filter((pair) => (late || pair.entry.over !== undefined) && isLate(pair));

  /** Puts a draft back into the form as it was opened. @param {Draft} draft */
  function restore(draft) {
    isFilling = true;
    grow(draft.entries.map((entry) => entry.name));
    const pairs = paired(draft.entries, fieldsOf(form));
    for (const { entry, field } of pairs)
      if (field && (isEdited(entry) || field.node === about)) write(field.node, entry.value);
    isFilling = false;
    const all = overtaken(pairs);
    // Until it is settled what holds, the field is one that was typed over something else.
    for (const { entry, field } of all) if (field) Object.assign(basisOf(field.node), overOf(entry));
    own = draft;
    note();
    if (all.length > 0) late?.(all.flatMap(({ field }) => field?.node ?? []));
    if (!own) return;
    back?.remove();
    back = tell(W.draft.lead, () => {
      empty();
      note();
      late?.(undefined);
      fieldsOf(form)[0]?.node.focus();
    });
  }

  /** Says whose a draft is, before it is put back. @param {Draft} draft @param {string} text */
  function offer(draft, text) {
    const put = button(
      W.draft.put,
      () => {
        told.remove();
        // What was typed meanwhile is another draft: two of them are not mixed.
        own = undefined;
        empty();
        restore(draft);
      },
      { class: "quiet" },
    );
    const told = tell(text, () => replace(key, draft, undefined), put);
  }

  async function open() {
    page = above();
    for (const node of nodesOf(form)) if (!bases.has(node)) rebase(node, contentOf(node));
    const before = drafts.get(key) ?? [];
    epoch = await epochOf().catch(() => undefined);
    if (isOver || name() !== holder || location.hash !== address) return;
    const now = whose();
    const isOpen = (/** @type {Draft} */ { entries }) =>
      late || overtaken(paired(entries, fieldsOf(form))).length === 0;
    // Nothing takes the place of what was typed while the epoch was asked for.
    const mine = own ? undefined : before.findLast((draft) => fate(draft, now) === "own" && isOpen(draft));
    for (const draft of before) {
      if (draft === mine) continue;
      const heading = draft.about || draft.heading || "";
      offer(draft, fate(draft, now) === "past" ? W.draft.past(heading) : W.draft.other(heading));
    }
    if (mine) restore(mine);
    else if (own) note();
  }
  // Rows are added to a form after it was made.
  queueMicrotask(() => void open());
  form.addEventListener("input", typed);
  form.addEventListener("change", typed);
  /** Forgets the draft once its form is done, which its screen shows by closing it or by going on. */
  return () => {
    if (form.isConnected && location.hash === address) return;
    isOver = true;
    replace(key, own, undefined);
  };
}

/** What a field is typed over: unless it is known, nothing. @param {HTMLInputElement} node @returns {Basis} */
function basisOf(node) {
  const nothing = node.type === "checkbox" ? false : "";
  const basis = bases.get(node) ?? { first: nothing, stored: nothing };
  bases.set(node, basis);
  return basis;
}

/** What something was typed over. @param {{ first: Content, over?: string }} one */
const overOf = ({ first, over }) => ({ first, ...(over === undefined ? {} : { over }) });

/** The fields whose content is kept. A key is none of them. @param {HTMLFormElement} form */
const nodesOf = (form) =>
  /** @type {HTMLInputElement[]} */ (
    [...form.elements].filter(
      (field) =>
        field instanceof HTMLSelectElement ||
        field instanceof HTMLTextAreaElement ||
        (field instanceof HTMLInputElement && field.type !== "password" && field.type !== "date" && !field.readOnly),
    )
  );

/** @param {HTMLInputElement} node @returns {Content} */
const contentOf = (node) => (node.type === "checkbox" ? node.checked : node.value);

/** The same with what is in them, and what that was typed over. @param {HTMLFormElement} form @returns {Field[]} */
const fieldsOf = (form) =>
  nodesOf(form).map((node) => {
    // What tells a field from the others of its form is the same in every language.
    const name = node.dataset.of ?? node.name;
    return { name, value: contentOf(node), ...overOf(basisOf(node)), node };
  });

/** Writes into a field as if it were typed. @param {HTMLInputElement} node @param {Content} value */
function write(node, value) {
  if (contentOf(node) === value) return;
  if (node.type === "checkbox") node.checked = value === true;
  else node.value = String(value);
  node.dispatchEvent(new Event(node instanceof HTMLSelectElement ? "change" : "input", { bubbles: true }));
}
