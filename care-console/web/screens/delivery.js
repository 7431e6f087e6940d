// A delivery of many lots in one form: a row for each, received by a request of its own.

import { Problem, list } from "../api.js";
import { scanned } from "../gs1.js";
import { folded, meant } from "../names.js";
import { isAsTyped, steady } from "../steady.js";
import { combobox } from "../ui/combobox.js";
import { button, h, link, show, told } from "../ui/dom.js";
import { control, filled, form } from "../ui/form.js";
import { pill } from "../ui/pill.js";
import { refusal } from "../ui/problem.js";
import { DESK, STOCK, W } from "../words.js";
import { named } from "./shelf_forms.js";

/** @typedef {import("../contract.js").Stock} Stock */
/** @typedef {import("../ui/form.js").Control} Control */
/** @typedef {Awaited<ReturnType<ReturnType<typeof steady>["make"]>>} Made */

const MOST = 100;

/** The medicine of an article, as it was entered before. @type {Map<string, string>} */
const articles = new Map();

/** @param {import("../router.js").Place} place */
export async function delivery({ node, signal, title, say }) {
  const words = DESK.delivery;
  title(words.title);
  const sending = steady("delivery", say);
  let before = await sending.learn();
  const tracked = /** @type {Stock[]} */ ((await list("/stock", { signal })).items);
  const stocks = tracked.map((stock) => ({ ...stock, folded: folded(stock.medicine) }));
  const scan = control({ name: "scan", label: words.scan, hint: words.scanHint, wide: true });
  const note = control({ name: "note", label: words.note, hint: words.noteHint, wide: true });
  const place = h("div", { class: "rows" });
  const received = h("ul", { class: "received" });
  /** @type {ReturnType<typeof row>[]} */
  let rows = [];
  const used = () => rows.filter((one) => one.isUsed());

  /** The tracked medicine that was probably meant. @param {string} text */
  const best = (text) => (text.trim() === "" ? undefined : meant(stocks, text, 1)[0]);
  /** @param {string} text @param {number} most */
  const suggest = (text, most) =>
    meant(stocks, text, most).map(({ medicine, available, unit }) => ({
      value: medicine,
      shown: [told(medicine), " ", h("span", { class: "muted" }, told(STOCK.units(Number(available), unit)))],
    }));
  combobox(scan, suggest, { picks: false });

  function add() {
    if (rows.length >= MOST) return undefined;
    const own = row(best, suggest, () => scan.input.focus(), leave);
    rows.push(own);
    place.append(own.node);
    return own;
  }

  /** Takes a row away. @param {ReturnType<typeof row>} own */
  function leave(own) {
    rows = rows.filter((other) => other !== own);
    own.node.remove();
    // What is kept of the form is what is left of it.
    editor.dispatchEvent(new Event("input"));
  }

  /** Refuses what was scanned, and selects it: the next scan takes its place. @param {string} why */
  function refuse(why) {
    scan.fault(why);
    scan.input.select();
  }

  /** Adds a row for what was scanned or typed. The same package again adds a pack to its row. */
  function enter() {
    scan.fault("");
    const text = scan.input.value;
    const code = scanned(text);
    const found = code ? undefined : best(text);
    if (text.trim() === "") return;
    if (!code && !found) return refuse(words.unknown);
    const medicine =
      found?.medicine ??
      (code && (rows.find((one) => one.article === code.article)?.medicine() ?? articles.get(code.article)));
    const same = code && rows.find((one) => one.isOf(code));
    const own = same ?? add();
    if (!own) return refuse(words.most(MOST));
    scan.put("");
    if (code) own.take(code, medicine);
    else own.name(found?.medicine);
    editor.dispatchEvent(new Event("input"));
    if (!code) own.units();
    else if (own.medicine() === undefined) own.first();
    else say(words.scanned(own.medicine() ?? "", own.amount()));
  }
  scan.input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    enter();
  });

  /** @param {Made} made @param {string} [text] */
  function enlist(made, text = words.received) {
    const { units, lot, expires } = /** @type {{ units: number, lot?: string, expires?: string }} */ (made.body);
    const name = decodeURIComponent(made.path.split("/")[2] ?? "");
    const unit = stocks.find((one) => one.medicine === name)?.unit ?? "";
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
    children: [scan.node, place, note.node],
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
          own.learn(articles);
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
 * One lot of the delivery. Enter in it goes back to the scanner's field, and never receives.
 * @param {(text: string) => Stock | undefined} best
 * @param {Parameters<typeof combobox>[1]} suggest
 * @param {() => void} back
 * @param {(own: any) => void} leave
 */
function row(best, suggest, back, leave) {
  const { fields } = STOCK;
  const medicine = control({ name: "medicine", label: DESK.delivery.medicine, required: true });
  const units = control({ name: "units", label: fields.units, kind: "whole", required: true });
  const lot = control({ name: "lot", label: fields.lot });
  const expires = control({ name: "expires", label: fields.expires, kind: "lastDay" });
  combobox(medicine, suggest);
  const controls = [medicine, units, lot, expires];
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
    const stock = best(medicine.input.value);
    if (packs === 0 || !stock) return;
    if (units.input.value === "") units.put(packs * (stock.packUnits ?? 1));
    packs = 0;
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
    medicine: () => best(medicine.input.value)?.medicine,
    amount: () => units.input.value,
    units: () => units.input.focus(),
    first: () => medicine.input.focus(),
    /** @param {string | undefined} text */
    name: (text) => medicine.put(text),
    /** @param {import("../gs1.js").Scanned} code */
    isOf: (code) => own.article === code.article && lot.value() === code.lot && expires.value() === code.expires,
    /** @param {import("../gs1.js").Scanned} code @param {string | undefined} name */
    take(code, name) {
      own.article = code.article;
      lot.put(code.lot);
      expires.put(code.expires);
      packs += 1;
      if (name === undefined) return;
      medicine.put(name);
      const counted = Number(units.value()) || 0;
      units.put(counted + packs * (best(name)?.packUnits ?? 1));
      packs = 0;
    },
    /** @param {Map<string, string>} articles */
    learn(articles) {
      if (own.article) articles.set(own.article, own.medicine() ?? medicine.input.value);
    },
    path: () => `/inventory/${encodeURIComponent(own.medicine() ?? medicine.input.value.trim())}/movements`,
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
  for (const { input } of controls)
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      if (input === medicine.input && own.medicine() !== undefined) medicine.put(own.medicine());
      back();
    });
  return own;
}
