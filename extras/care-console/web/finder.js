// One box for patients, medicines and invoices. `/` leads to it, and Enter opens the only hit.

import { call, list as listed, wasLeft } from "./api.js";
import { day } from "./formats.js";
import { MOST, look as lookUp, medicines, settled } from "./medicines.js";
import { go } from "./router.js";
import { may } from "./scopes.js";
import { people, seen, similar, unasked } from "./screens/people.js";
import { whoGot } from "./screens/shelf_forms.js";
import { among, apart, persons } from "./screens/who.js";
import { folded } from "./names.js";
import { taken } from "./typed.js";
import { button, h, show, told, unique } from "./ui/dom.js";
import { onKey } from "./ui/keys.js";
import { nothing as nothingOf } from "./ui/table.js";
import { DESK, STOCK, W } from "./words.js";

/** @typedef {{ kind: string, shown: Node, path: string }} Hit */

/** The pause in typing after which a search is sent, in milliseconds. */
const PAUSE = 120;
/** The number of hits of each kind. */
const SHOWN = 8;
/** The number of movements among which lots are looked for. */
const LOTS = 500;

/** A press in the box leaves the focus where it is. */
const PRESSED = { onmousedown: (/** @type {Event} */ event) => event.preventDefault() };

/** What is shown of a hit that is no person. @param {string} label @param {string} [detail] */
const plain = (label, detail = "") => h("span", {}, told(label), " ", h("span", { class: "muted" }, told(detail)));

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
    placeholder: matchMedia("(pointer: coarse)").matches ? words.label : words.hint,
  });
  const list = h("ul", { id: id + "l", role: "listbox", "aria-label": words.label });
  const register = h("div", {});
  const box = h("div", { class: "hits", hidden: true }, list, register);
  const said = h("p", { class: "unseen", role: "status" });
  const node = h(
    "div",
    { class: "finder", role: "search" },
    h("label", { for: id, class: "unseen" }, words.label),
    input,
    box,
    said,
  );
  const known = persons(out);
  /** @type {Hit[]} */
  let hits = [];
  /** The text that they are the hits of. @type {string | undefined} */
  let asked;
  let active = -1;
  let running = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** Leaves the search that is to be sent, and the one on its way. */
  function stop() {
    clearTimeout(timer);
    running.abort();
  }

  /** Searches for what stands in the box. Where nothing stands there, those are shown who were opened last. */
  async function look() {
    stop();
    running = new AbortController();
    const signal = AbortSignal.any([running.signal, out]);
    const text = input.value.trim();
    try {
      if (text === "") {
        const ids = seen();
        const find = await known.of(ids);
        if (signal.aborted) return;
        hits = ids.flatMap((id) => find(id) ?? []).map((one) => ({ ...patient(one), kind: words.last }));
        asked = "";
        return hits[0] ? display(words.last, false) : close();
      }
      const [persons, ...others] = await Promise.all([
        patients(text, signal),
        shelves(text),
        bills(text, signal),
        lots(text, signal),
      ]);
      const exact = [...persons.hits, ...others.flat()];
      const near = exact[0] ? { hits: exact, more: false } : await alike(text, signal);
      // The arrow keys choose among the last hits while the next are on their way.
      const chosen = hits[active]?.path;
      [hits, asked] = [near.hits, text];
      const isCut = may("inventory:read") && medicines().extent !== "all";
      const nothing = hits.some((hit) => hit.kind !== words.similar)
        ? ""
        : isCut
          ? W.inventory.noneOf(MOST)
          : nothingOf(words.none, persons.more || near.more);
      const count = persons.more ? words.first(hits.length) : words.count(hits.length);
      // A name that is not found is probably that of a new patient. The keys of the box do not register one: it may be a slip.
      const isNew = nothing !== "" && may("patient:write") && /\p{L}/u.test(text);
      const said = nothing === "" ? count : [nothing, isNew && words.orRegister].filter(Boolean).join(" ");
      display(said, nothing !== "");
      show(register, isNew && button(plain(W.patients.register, text), () => leave("/patients/new", text), PRESSED));
      // What was chosen stays so, if the longer text means it too.
      const at = hits.findIndex((hit) => hit.path === chosen);
      if (at >= 0) move(at);
    } catch (error) {
      if (wasLeft(error)) return;
      asked = undefined;
      hits = [];
      display(error instanceof Error ? error.message : W.problem.unknown, true);
    }
  }

  /** Shows the hits. @param {string} text what is said of them @param {boolean} isShown whether it is seen too */
  function display(text, isShown) {
    close();
    show(register);
    const all = hits.map((hit, place) =>
      h(
        "li",
        { id: id + place, role: "option", "aria-selected": "false", onclick: () => leave(hit.path), ...PRESSED },
        h("span", { class: "kind" }, hit.kind),
        hit.shown,
      ),
    );
    show(list, all, isShown && none(text));
    said.textContent = text;
    box.hidden = false;
    input.setAttribute("aria-expanded", "true");
  }

  /** What stands in the place of hits. @param {string} text */
  const none = (text) =>
    h("li", { class: "none", role: "option", "aria-disabled": "true", "aria-selected": "false" }, text);

  function close() {
    box.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  /** Forgets the text and its hits, those on their way too. */
  function clear() {
    stop();
    input.value = "";
    asked = undefined;
    hits = [];
    close();
    show(list);
    show(register);
    said.textContent = "";
  }

  /** @param {string} path @param {string} [name] */
  function leave(path, name) {
    clear();
    // The new screen takes the focus.
    input.blur();
    go(path, "", name);
  }

  /** @param {number} to */
  function move(to) {
    if (!hits[0]) return;
    list.children[active]?.setAttribute("aria-selected", "false");
    active = (to + hits.length) % hits.length;
    const option = list.children[active];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", id + active);
  }

  /** Opens the chosen hit, or the only one. What was typed since the last search is searched for first. */
  async function enter() {
    const { hash } = location;
    if (asked !== input.value.trim()) await look();
    if (location.hash !== hash) return;
    const isSure = asked !== "" && hits.every((hit) => hit.kind !== words.similar);
    const hit = taken(hits[active], hits, isSure);
    if (hit && input.value.trim() === asked) leave(hit.path);
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  });
  input.addEventListener("focus", () => input.value === "" && look());
  node.addEventListener("focusout", (event) => {
    if (node.contains(/** @type {Node | null} */ (event.relatedTarget))) return;
    // What is found from now on is no longer wanted.
    stop();
    close();
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") void enter();
    else if (event.key === "ArrowDown") move(active + 1);
    else if (event.key === "ArrowUp") move(active < 0 ? -1 : active - 1);
    else if (event.key === "Escape") clear();
    else return;
    event.preventDefault();
  });
  onKey(
    "/",
    () => {
      input.focus();
      input.select();
    },
    out,
  );

  /** @param {import("./contract.js").Patient} one @returns {Hit} */
  const patient = (one) => ({
    kind: words.patient,
    shown: among(one, { detail: apart(one) }),
    path: "/patients/" + one.patientId,
  });

  /** @param {string} text @param {AbortSignal} signal */
  async function patients(text, signal) {
    const { found, more } = may("patient:read") ? await people(text, SHOWN, signal) : { found: [], more: false };
    return { hits: found.map(patient), more };
  }

  /** @param {string} text @param {AbortSignal} signal */
  async function alike(text, signal) {
    const { found, more } = may("patient:read") ? await similar(text, SHOWN, signal) : { found: [], more: false };
    return { hits: found.map((one) => ({ ...patient(one), kind: words.similar })), more };
  }

  /** The lots with this number that were ever moved. @param {string} text @param {AbortSignal} signal @returns {Promise<Hit[]>} */
  async function lots(text, signal) {
    if (!may("inventory:read")) return [];
    const query = { lot: text };
    const { items } = await listed("/movements", { query, signal, quiet: true, most: LOTS }).catch(unasked);
    const found = new Map(
      /** @type {import("./contract.js").Movement[]} */ (items).map((one) => [whoGot(one.medicine, one), one]),
    );
    return [...found].slice(0, SHOWN).map(([path, one]) => ({
      kind: STOCK.fields.lot,
      shown: plain(one.lot ?? text, [one.medicine, one.expires && day(one.expires)].filter(Boolean).join(", ")),
      path,
    }));
  }

  /** The medicines that have each word of the text in their names. @param {string} text @returns {Promise<Hit[]>} */
  async function shelves(text) {
    if (!may("inventory:read")) return [];
    await settled();
    await lookUp(text);
    const parts = folded(text).split(" ");
    const found = medicines().items.filter(({ folded }) => {
      const begins = folded.split(" ");
      return parts.every((part) => begins.some((word) => word.startsWith(part)));
    });
    return found.slice(0, SHOWN).map(({ medicine, isAvailable }) => ({
      kind: words.medicine,
      shown: plain(medicine, isAvailable ? W.inventory.in : W.inventory.out),
      path: "/inventory/stock/" + encodeURIComponent(medicine),
    }));
  }

  /** The invoice of this number, unless none has been issued so far. @param {string} text @param {AbortSignal} signal @returns {Promise<Hit[]>} */
  async function bills(text, signal) {
    // Its title finds it too.
    const [, title = "", number] = /^(\D*?)\s*#?([1-9]\d{0,17})$/.exec(text) ?? [];
    if (![folded(words.invoice), ""].includes(folded(title))) return [];
    if (number === undefined || !may("invoice:read")) return [];
    const query = { newest: true, limit: 1 };
    const { data } = /** @type {{ data: { items: import("./contract.js").ListedInvoice[] } }} */ (
      await call("GET", "/invoice", { query, signal, quiet: true })
    );
    if (BigInt(number) > BigInt(data.items[0]?.invoiceId ?? 0)) return [];
    return [{ kind: words.invoice, shown: plain(W.bill.title(number)), path: "/bills/" + number }];
  }
  return node;
}
