// One box for patients, medicines and invoices. `/` leads to it, and Enter opens the only hit.

import { call, wasLeft } from "./api.js";
import { MOST, medicines, settled } from "./medicines.js";
import { go } from "./router.js";
import { may } from "./scopes.js";
import { apart, nameOf, people } from "./screens/people.js";
import { folded } from "./names.js";
import { h, show, told, unique } from "./ui/dom.js";
import { DESK, W } from "./words.js";

/** @typedef {{ kind: string, label: string, detail: string, path: string, name?: string }} Hit */

/** The pause in typing after which a search is sent, in milliseconds. */
const PAUSE = 120;
/** The number of hits of each kind. */
const SHOWN = 8;

/** The scopes, one of which the box needs. */
export const FINDABLE = /** @type {const} */ (["patient:read", "inventory:read", "invoice:read"]);

/** The box, for one session. @param {AbortSignal} out when it ends */
export function finder(out) {
  const words = DESK.find;
  const id = unique();
  const input = h("input", {
    id,
    type: "search",
    role: "combobox",
    autocomplete: "off",
    spellcheck: "false",
    "aria-expanded": "false",
    "aria-autocomplete": "list",
    "aria-controls": id + "l",
    "aria-keyshortcuts": "/",
    placeholder: words.hint,
  });
  const box = h("ul", { id: id + "l", class: "hits", role: "listbox", "aria-label": words.label, hidden: true });
  const said = h("p", { class: "unseen", role: "status" });
  const node = h(
    "div",
    { class: "finder", role: "search" },
    h("label", { for: id, class: "unseen" }, words.label),
    input,
    box,
    said,
  );
  /** @type {Hit[]} */
  let hits = [];
  /** The text that they are the hits of. @type {string | undefined} */
  let asked;
  let active = -1;
  let running = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** Searches for what stands in the box. */
  async function look() {
    clearTimeout(timer);
    running.abort();
    running = new AbortController();
    const signal = AbortSignal.any([running.signal, out]);
    const text = input.value.trim();
    if (text === "") return close();
    try {
      const [persons, items, invoices] = await Promise.all([
        patients(text, signal),
        shelves(text),
        bills(text, signal),
      ]);
      asked = text;
      display([...persons, ...items, ...invoices], text);
    } catch (error) {
      if (wasLeft(error)) return;
      asked = undefined;
      hits = [];
      const reason = error instanceof Error ? error.message : W.problem.unknown;
      show(box, none(reason));
      said.textContent = reason;
      box.hidden = false;
    }
  }

  /** @param {Hit[]} found @param {string} text */
  function display(found, text) {
    // A name that is not found is probably that of a new patient.
    const isNew = found.length === 0 && may("patient:write") && /\p{L}/u.test(text);
    hits = isNew ? [{ kind: "", label: W.patients.register, detail: text, path: "/patients/new", name: text }] : found;
    active = -1;
    const isCut = may("inventory:read") && medicines().extent !== "all";
    const nothing = isCut ? W.inventory.noneOf(MOST) : words.none;
    show(
      box,
      hits.map((hit, place) =>
        h(
          "li",
          { id: id + place, role: "option", "aria-selected": "false", onclick: () => open(hit), onmousedown: stay },
          hit.kind && h("span", { class: "kind" }, hit.kind),
          h("span", {}, told(hit.label), " ", h("span", { class: "muted" }, told(hit.detail))),
        ),
      ),
      found.length === 0 && none(nothing),
    );
    said.textContent =
      found.length === 0 ? [nothing, isNew && words.orRegister].filter(Boolean).join(" ") : words.count(found.length);
    box.hidden = false;
    input.setAttribute("aria-expanded", "true");
    input.removeAttribute("aria-activedescendant");
  }

  /** What stands in the place of hits. @param {string} text */
  const none = (text) =>
    h("li", { class: "none", role: "option", "aria-disabled": "true", "aria-selected": "false" }, text);

  /** A click on a hit leaves the focus in the box. @param {Event} event */
  const stay = (event) => event.preventDefault();

  function close() {
    box.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  /** @param {Hit} hit */
  function open(hit) {
    input.value = "";
    asked = undefined;
    hits = [];
    close();
    said.textContent = "";
    go(hit.path, "", hit.name);
  }

  /** @param {number} to */
  function move(to) {
    if (hits.length === 0) return;
    box.children[active]?.setAttribute("aria-selected", "false");
    active = (to + hits.length) % hits.length;
    const option = box.children[active];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", id + active);
  }

  /** Opens the chosen hit, or the only one. What was typed since the last search is searched for first. */
  async function enter() {
    const { hash } = location;
    if (asked !== input.value.trim()) await look();
    if (location.hash !== hash) return;
    const hit = hits[active] ?? (hits.length === 1 ? hits[0] : undefined);
    if (hit && input.value.trim() === asked) open(hit);
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") void enter();
    else if (event.key === "ArrowDown") move(active + 1);
    else if (event.key === "ArrowUp") move(active < 0 ? -1 : active - 1);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  document.addEventListener(
    "keydown",
    (event) => {
      const at = event.target;
      const types = at instanceof HTMLElement && at.matches("input, select, textarea");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || types) return;
      if (document.querySelector("dialog:modal")) return;
      event.preventDefault();
      input.focus();
      input.select();
    },
    { signal: out },
  );

  /** @param {string} text @param {AbortSignal} signal @returns {Promise<Hit[]>} */
  async function patients(text, signal) {
    if (!may("patient:read")) return [];
    const { found } = await people(text, SHOWN, signal);
    return found.map((one) => ({
      kind: words.patient,
      label: nameOf(one),
      detail: apart(one),
      path: "/patients/" + one.patientId,
    }));
  }

  /** The medicines that have each word of the text in their names. @param {string} text @returns {Promise<Hit[]>} */
  async function shelves(text) {
    if (!may("inventory:read")) return [];
    await settled();
    const parts = folded(text).split(" ");
    const found = medicines().items.filter(({ folded }) => {
      const begins = folded.split(" ");
      return parts.every((part) => begins.some((word) => word.startsWith(part)));
    });
    return found.slice(0, SHOWN).map(({ medicine, isAvailable }) => ({
      kind: words.medicine,
      label: medicine,
      detail: isAvailable ? W.inventory.in : W.inventory.out,
      path: "/inventory/stock/" + encodeURIComponent(medicine),
    }));
  }

  /** The invoice of this number, unless none has been issued so far. @param {string} text @param {AbortSignal} signal @returns {Promise<Hit[]>} */
  async function bills(text, signal) {
    const number = /^#?([1-9]\d{0,17})$/.exec(text)?.[1];
    if (number === undefined || !may("invoice:read")) return [];
    const query = { newest: true, limit: 1 };
    const { data } = /** @type {{ data: { items: import("./contract.js").ListedInvoice[] } }} */ (
      await call("GET", "/invoice", { query, signal, quiet: true })
    );
    if (BigInt(number) > BigInt(data.items[0]?.invoiceId ?? 0)) return [];
    return [{ kind: words.invoice, label: W.bill.title(number), detail: "", path: "/bills/" + number }];
  }
  return node;
}
