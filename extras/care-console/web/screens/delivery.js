// A delivery of many lots in one form: a row for each, received by a request of its own.

import { Problem } from "../api.js";
import { SEPARATOR, scanned } from "../gs1.js";
import { MOST as MOST_NAMES, medicines, settled, watch } from "../medicines.js";
import { remembers } from "../memory.js";
import { folded, meant } from "../names.js";
import { isAsTyped, steady } from "../steady.js";
import { becomes } from "../typed.js";
import { button, h, link, show, told } from "../ui/dom.js";
import { control, filled, form } from "../ui/form.js";
import { naming } from "../ui/naming.js";
import { pill } from "../ui/pill.js";
import { refusal } from "../ui/problem.js";
import { DESK, STOCK, W } from "../words.js";
import { named } from "./shelf_forms.js";

/** @typedef {import("../ui/form.js").Control} Control */
/** @typedef {Awaited<ReturnType<ReturnType<typeof steady>["make"]>>} Made */

const MOST = 100;

/** The number of medicines that a refused text offers to track. */
const OFFERED = 3;

/** The medicine of an article, as it was entered before. @type {Map<string, string>} */
const articles = new Map();
remembers(() => articles.clear());

/** The medicines that are tracked: only they can be received. */
const tracked = () => ({
  items: medicines().items.filter((item) => item.stock),
  isAll: medicines().extent === "all",
  others: medicines().items.filter((item) => !item.stock),
});
/** @param {import("../medicines.js").Medicine} item */
const detail = ({ stock }) => [
  stock && h("span", { class: "muted" }, told(STOCK.units(Number(stock.available), stock.unit))),
];
const unknown = () => (tracked().isAll ? DESK.delivery.unknown : W.inventory.noneOf(MOST_NAMES));

/** The medicine of a request. @param {Made} made */
const medicineOf = ({ path }) => decodeURIComponent(path.split("/")[2] ?? "");

/** @param {import("../router.js").Place} place */
export async function delivery({ node, signal, title, say, go }) {
  const words = DESK.delivery;
  title(words.title);
  const sending = steady("delivery", say);
  let before = await sending.learn();
  await settled();
  const scan = control({ name: "scan", label: words.scan, hint: words.scanHint, wide: true });
  const note = control({ name: "note", label: words.note, hint: words.noteHint, wide: true });
  /** Ways on from a name that cannot be received. */
  const ways = h("div", { class: "actions" });
  const place = h("div", { class: "rows" });
  const received = h("ul", { class: "received" });
  /** @type {ReturnType<typeof row>[]} */
  let rows = [];
  const used = () => rows.filter((one) => one.isUsed());
  const name = naming(scan, { names: tracked, detail, unknown: whyNot, next: enter });
  watch(name.refresh, signal);

  function add() {
    if (rows.length >= MOST) return undefined;
    const own = row(() => scan.input.focus(), leave, lead);
    rows.push(own);
    // The newest one stands next to the scanner's field.
    place.prepend(own.node);
    return own;
  }

  /** Takes a row away. @param {ReturnType<typeof row>} own */
  function leave(own) {
    rows = rows.filter((other) => other !== own);
    own.node.remove();
    // What is kept of the form is what is left of it.
    editor.dispatchEvent(new Event("input"));
  }

  /** Why a text that is in no name cannot be taken, if so. @param {string} text */
  function whyNot(text) {
    const code = scanned(text);
    if (!code) return unknown();
    if (!("unread" in code)) return "";
    const { lot, expires } = STOCK.fields;
    const label = { "": words.article, "01": words.article, "02": words.article, 10: lot, 17: expires }[code.unread];
    const part = label ? `${label} (${code.unread || "01"})` : code.unread;
    return code.unread === "" ? words.missing(part) : words.unread(part);
  }

  /** Whether Tab was pressed for what stands in the scanner's field: another Tab leaves it. */
  let isHeld = false;

  /**
   * The ways on from a text that is in no name of a tracked medicine, or is the whole name of another: to track one,
   * or to add it.
   * @param {string} text
   */
  function lead(text) {
    if (text.trim() === "" || scanned(text)) return [];
    const { isAll, others } = tracked();
    const isPart = becomes({ text, way: "blur", names: tracked() }).begun.length > 0;
    const offered = isPart ? others.filter((item) => item.folded === folded(text)) : meant(others, text, OFFERED);
    const found = offered.map(({ medicine }) =>
      link(`/inventory/stock/${encodeURIComponent(medicine)}?untracked`, W.form.pair(STOCK.start, medicine)),
    );
    if (found.length > 0 || isPart || !isAll) return found;
    /** @param {Event} event */
    const onclick = (event) => {
      event.preventDefault();
      go("/inventory/new", "", text.trim());
    };
    return [link("/inventory/new", W.inventory.add, { onclick })];
  }

  /** Refuses what was scanned, and selects it: the next scan takes its place. @param {string} [why] */
  function refuse(why = name.wrong()) {
    scan.fault(why);
    scan.input.select();
    show(ways, lead(scan.input.value));
  }
  scan.input.addEventListener("input", () => {
    isHeld = false;
    show(ways);
  });

  /** Adds a row for what was scanned or typed. The same package again adds a pack to its row. */
  function enter() {
    const text = scan.input.value;
    if (text.trim() === "") return;
    const found = name.whole();
    const code = found ? undefined : scanned(text);
    if (code ? "unread" in code : !found) return refuse();
    const known = code && !("unread" in code) ? code : undefined;
    const medicine =
      found?.medicine ??
      (known && (rows.find((one) => one.article === known.article)?.medicine() ?? articles.get(known.article)));
    const own = (known && rows.find((one) => one.isOf(known))) ?? add();
    if (!own) return refuse(words.most(MOST));
    name.put("");
    show(ways);
    if (known) own.take(known, medicine);
    else own.name(medicine);
    editor.dispatchEvent(new Event("input"));
    if (!known) own.units();
    else if (own.medicine() === undefined) own.first();
    else say(words.scanned(own.medicine() ?? "", own.amount()));
  }

  /** Stays in the field with what is no package and no whole name, until Tab is pressed again. @param {KeyboardEvent} event */
  function stay(event) {
    if (event.shiftKey || isHeld || scan.input.value.trim() === "") return;
    event.preventDefault();
    const code = scanned(scan.input.value);
    if (name.whole() || (code && !("unread" in code))) return enter();
    isHeld = true;
    name.settle("tab");
    refuse();
  }
  scan.input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    // Readers that type press Ctrl and ] for the separator of elements.
    if (event.key === SEPARATOR || (event.ctrlKey && (event.key === "]" || event.code === "BracketRight"))) {
      event.preventDefault();
      const { selectionStart, selectionEnd } = scan.input;
      scan.input.setRangeText(SEPARATOR, selectionStart ?? 0, selectionEnd ?? 0, "end");
    } else if (event.key === "Tab") stay(event);
  });

  /** @param {Made} made @param {string} [text] */
  function enlist(made, text = words.received) {
    const { units, lot, expires } = /** @type {{ units: number, lot?: string, expires?: string }} */ (made.body);
    const name = medicineOf(made);
    const unit = medicines().items.find((one) => one.medicine === name)?.stock?.unit ?? "";
    const which = named({ ...(lot ? { lot } : {}), ...(expires ? { expires } : {}) });
    received.append(
      h(
        "li",
        {},
        pill(words.received, "good"),
        " ",
        link("/inventory/stock/" + encodeURIComponent(name), told(name)),
        ": ",
        told(`${STOCK.units(units, unit)}, ${which}`),
        text !== words.received && h("div", { class: "muted" }, text),
      ),
    );
  }
  /** Whether a request was made from what stands in a row. @param {Made} made @param {ReturnType<typeof row>} own */
  const isOf = (made, own) => made.path === own.path() && isAsTyped(made, own.body(note));

  const { node: editor, trouble } = form({
    id: "delivery",
    children: [scan.node, ways, place, note.node],
    controls: () => used().flatMap((own) => own.controls),
    go: words.go,
    grow(names) {
      const wanted = names.filter((name) => name === "medicine").length;
      while (rows.length < wanted && add());
    },
    async submit() {
      if (used().length === 0) return scan.input.focus();
      let count = 0;
      // The answer to the last request of a row may have been lost: it is learned before anything else is sent.
      for (const own of used().sort((one, other) => Number(other.isOpen) - Number(one.isOpen))) {
        own.tell();
        try {
          if (before && isOf(before, own)) {
            before = undefined;
            leave(own);
            continue;
          }
          let made = await sending.make(own.path(), own.body(note));
          if (!own.isOpen && !isOf(made, own)) {
            enlist(made, STOCK.wasEntered);
            made = await sending.make(own.path(), own.body(note));
          }
          enlist(made, isOf(made, own) ? undefined : STOCK.wasEntered);
          own.learn(made);
          leave(own);
          count += 1;
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          own.complain(error);
          // Where nothing answers, the others would wait in vain.
          if (own.isOpen || error.status === 401) break;
        }
      }
      const left = used().length;
      if (left === 0) note.put("");
      editor.dispatchEvent(new Event("input"));
      say([count > 0 && words.done(count), left > 0 && words.left(left)].filter(Boolean).join(" "));
      if (left === 0) scan.input.focus();
      else show(trouble, h("p", { class: "refusal", role: "alert" }, words.left(left)));
    },
  });
  if (before) enlist(before, STOCK.wasEntered);
  node.append(h("p", { class: "muted" }, words.lead), editor, received);
}

/**
 * One lot of the delivery. Enter in it goes on to what is empty, at last back to the scanner's field, and never receives.
 * @param {() => void} back
 * @param {(own: any) => void} leave
 * @param {(text: string) => HTMLElement[]} lead the ways on from a name that cannot be received
 */
function row(back, leave, lead) {
  const { fields } = STOCK;
  const medicine = control({ name: "medicine", label: DESK.delivery.medicine, required: true });
  const units = control({ name: "units", label: fields.units, kind: "whole", required: true });
  const lot = control({ name: "lot", label: fields.lot });
  const expires = control({ name: "expires", label: fields.expires, kind: "lastDay" });
  const controls = [medicine, units, lot, expires];
  const name = naming(medicine, { names: tracked, detail, unknown, next: () => goOn(medicine), left });
  const state = h("div", { class: "wide" });
  const remove = button(W.visit.remove, () => (leave(own), back()), { class: "quiet" });
  const node = h(
    "div",
    { class: "row" },
    controls.map((one) => one.node),
    remove,
    state,
  );
  /** The packages that were scanned before their medicine was known. */
  let packs = 0;
  /** Counts them once it is, unless the units were typed. */
  function unpack() {
    const found = name.whole();
    if (packs === 0 || !found) return;
    if (units.input.value === "") units.put(packs * (found.stock?.packUnits ?? 1));
    packs = 0;
  }
  function left() {
    const ways = lead(medicine.input.value);
    if (ways.length > 0) show(state, h("div", { class: "actions" }, ways));
  }
  let isAsked = false;
  /** Asks once for the last day of a row that has none. */
  expires.wrong = () => {
    if (isAsked || expires.value() !== undefined) return "";
    isAsked = true;
    return DESK.delivery.noDay;
  };
  /** @param {Control} from */
  function goOn(from) {
    const empty = controls.slice(controls.indexOf(from) + 1).find((one) => one.value() === undefined);
    const why = empty || from !== expires ? "" : (expires.wrong?.() ?? "");
    expires.fault(why);
    if (empty) empty.input.focus();
    else if (why === "") back();
  }
  // What is typed of a name is not yet the medicine.
  medicine.input.addEventListener("input", (event) => event instanceof CustomEvent && unpack());
  medicine.input.addEventListener("change", unpack);
  const own = {
    node,
    controls,
    article: "",
    /** Whether the answer to its request was lost. */
    isOpen: false,
    isUsed: () => controls.some((one) => one.value() !== undefined),
    /** @returns {string | undefined} */
    medicine: () => name.whole()?.medicine,
    amount: () => units.input.value,
    units: () => units.input.focus(),
    first: () => medicine.input.focus(),
    /** @param {string | undefined} text */
    name: (text) => name.put(text),
    /** @param {import("../gs1.js").Scanned} code */
    isOf: (code) => own.article === code.article && lot.value() === code.lot && expires.value() === code.expires,
    /** @param {import("../gs1.js").Scanned} code @param {string | undefined} known the medicine of the package */
    take(code, known) {
      own.article = code.article;
      lot.put(code.lot);
      expires.put(code.expires);
      packs += 1;
      if (known === undefined) return;
      name.put(known);
      const counted = Number(units.value()) || 0;
      units.put(counted + packs * (name.whole()?.stock?.packUnits ?? 1));
      packs = 0;
    },
    /** Keeps the medicine that its package was received as. @param {Made} made */
    learn: (made) => void (own.article && articles.set(own.article, medicineOf(made))),
    path: () => `/inventory/${encodeURIComponent(own.medicine() ?? "")}/movements`,
    /** @param {Control} note */
    body: (note) => ({ kind: "receipt", ...filled([units, lot, expires, note]) }),
    tell: () => show(state),
    /** @param {Problem} error */
    complain(error) {
      own.isOpen = [0, 500, 502, 504].includes(error.status);
      for (const fault of error.errors) controls.find((one) => one.name === fault.field)?.fault(fault.detail);
      show(state, refusal(error));
    },
  };
  for (const one of [units, lot, expires])
    one.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      goOn(one);
    });
  return own;
}
