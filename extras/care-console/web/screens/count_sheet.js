// Counting the whole shelf. The sheet is printed blind, for what should be there does not stand on it; the counts are entered
// in the same list.

import { Problem, call, list, once } from "../api.js";
import { counting, isOvertaken, recount } from "../drafts.js";
import { day, today } from "../formats.js";
import { folded, inOrder } from "../names.js";
import { may } from "../scopes.js";
import { button, h, link, show, told } from "../ui/dom.js";
import { control, form } from "../ui/form.js";
import { refusal } from "../ui/problem.js";
import { dated, table } from "../ui/table.js";
import { DESK, STOCK, W } from "../words.js";

/** @typedef {import("../contract.js").Stock} Stock */
/** @typedef {import("../ui/form.js").Control} Control */
/** @typedef {{ medicine: string, unit: string, lot?: string | undefined, expires?: string | undefined }} Line */

const MOST = 2000;

/** The shelf of a medicine as it is counted: its lots and their units. @param {Stock | undefined} stock */
const shelfOf = (stock) => JSON.stringify(stock?.lots.map(({ lot, expires, onHand }) => [lot, expires, onHand]));

/** @param {Line} line */
const nameOf = (line) => JSON.stringify([line.medicine, line.lot, line.expires]);

/** Reads the shelves, in the order of their medicines. @param {AbortSignal} signal @param {boolean} [quiet] */
async function shelves(signal, quiet) {
  const { items, more } = await list("/stock", { signal, most: MOST, quiet });
  const stocks = /** @type {Stock[]} */ (items).map((one) => ({ ...one, folded: folded(one.medicine) }));
  return { stocks: inOrder(stocks), more };
}

/** @param {import("../router.js").Place} place */
export async function countSheet({ node, signal, title, say }) {
  const words = DESK.sheet;
  title(
    words.title,
    button(W.restock.print, () => print(), { class: "quiet" }),
  );
  let read = await shelves(signal);
  const empty = control({ name: "empty", label: words.empty, kind: "check" });
  /** The counts, by their lots: a row that is made anew keeps what was typed. @type {Map<string, Control>} */
  const counts = new Map();
  /** What makes entering a medicine's counts twice the same as once. @type {Map<string, { text: string, key: string }>} */
  const keys = new Map();
  const trouble = h("div", { class: "rows" });

  /** @param {Line} line */
  function field(line) {
    const name = nameOf(line);
    const label = [line.medicine, line.lot, line.expires && day(line.expires)].filter(Boolean).join(", ");
    const made = counts.get(name) ?? control({ name: "counted", of: name, label, kind: "whole" });
    if (!counts.has(name)) counting(made.input, shelfOf(read.stocks.find((one) => one.medicine === line.medicine)));
    made.node.classList.add("bare");
    const title = made.node.querySelector("label");
    if (title) show(title, told(label));
    title?.classList.add("unseen");
    counts.set(name, made);
    return [h("div", { class: "blank printed" }), made.node];
  }
  const rows = table({
    caption: words.caption,
    none: words.none,
    key: nameOf,
    columns: [
      {
        label: words.columns.medicine,
        cell: ({ medicine }) => link("/inventory/stock/" + encodeURIComponent(medicine), told(medicine)),
        kind: "wide",
      },
      { label: words.columns.unit, cell: (line) => told(line.unit) },
      { label: words.columns.lot, cell: (line) => told(line.lot ?? W.form.none) },
      { label: words.columns.expires, cell: (line) => dated(line.expires) },
      {
        label: words.columns.counted,
        cell: (line) => (line.lot || line.expires || hasLots(line) ? field(line) : h("div", { class: "blank" })),
      },
    ],
  });
  /** @param {Line} line */
  const hasLots = ({ medicine }) =>
    may("inventory:write") && read.stocks.some((one) => one.medicine === medicine && one.lots.length > 0);

  /** A line for each lot, and on demand one for each empty shelf. */
  function display() {
    rows.update(
      read.stocks.flatMap(({ medicine, unit, lots }) =>
        lots.length === 0 && empty.input.checked
          ? [{ medicine, unit }]
          : lots.map(({ lot, expires }) => ({ medicine, unit, lot, expires })),
      ),
      read.more ? { none: W.inventory.noneOf(MOST) } : {},
    );
  }

  const overtaken = () => new Problem(412, { title: W.stale.title, detail: STOCK.stale });
  /** Says of a medicine why its counts are not entered. @param {string} medicine @param {Problem} error */
  const refuse = (medicine, error) => trouble.append(h("div", {}, h("strong", {}, told(medicine)), refusal(error)));
  /** The counts of a medicine. @param {Stock} stock */
  const countsOf = ({ medicine, unit, lots }) =>
    lots.flatMap(({ lot, expires }) => {
      const made = counts.get(nameOf({ medicine, unit, lot, expires }));
      return made ? [{ made, lot, expires }] : [];
    });

  /**
   * Enters the counts of one medicine, unless its units were moved since the list was read: then they would be wrong.
   * @param {Stock} stock @param {Record<string, unknown>[]} lines
   */
  async function enter(stock, lines) {
    const path = "/inventory/" + encodeURIComponent(stock.medicine);
    const now = /** @type {{ data: Stock, tag: string }} */ (await call("GET", path + "/stock", { signal }));
    if (shelfOf(now.data) !== shelfOf(stock)) throw overtaken();
    const text = JSON.stringify(lines);
    const kept = keys.get(stock.medicine);
    const key = kept?.text === text ? kept.key : once();
    keys.set(stock.medicine, { text, key });
    await call("POST", path + "/count", { body: { lines }, once: key, ifMatch: now.tag });
  }
  const { node: editor } = form({
    id: "sheet",
    grow: rows.whole,
    late(fields) {
      show(trouble);
      if (fields?.length === 0) trouble.append(refusal(overtaken()));
      for (const stock of read.stocks)
        if (countsOf(stock).some(({ made }) => fields?.includes(made.input))) refuse(stock.medicine, overtaken());
    },
    children: [rows.node],
    controls: () => [...counts.values()],
    go: STOCK.count,
    async submit() {
      show(trouble);
      let done = 0;
      /** The medicines of which the user knows now that units were moved. @type {Set<string>} */
      const known = new Set();
      for (const stock of read.stocks) {
        const own = countsOf(stock).filter(({ made }) => made.value() !== undefined);
        if (own.length === 0) continue;
        try {
          if (own.some(({ made }) => isOvertaken(made.input))) throw overtaken();
          await enter(
            stock,
            own.map(({ made, lot, expires }) => ({ lot, expires, counted: made.value() })),
          );
          own.forEach(({ made }) => made.put(""));
          done += 1;
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          refuse(stock.medicine, error);
          if (error.status === 412) known.add(stock.medicine);
          // Where nothing answers, the others would wait in vain.
          if (error.status === 0 || error.status === 401) break;
        }
      }
      read = await shelves(signal, true);
      for (const stock of read.stocks)
        for (const { made } of countsOf(stock)) {
          counting(made.input, shelfOf(stock));
          if (known.has(stock.medicine)) recount(made.input);
        }
      display();
      editor.dispatchEvent(new Event("input"));
      say(words.entered(done));
    },
  });
  empty.input.addEventListener("change", display);
  display();
  node.append(
    h("p", { class: "muted lacks" }, words.lead),
    h("div", { class: "filters" }, empty.node),
    h("p", { class: "printed" }, words.of(day(today()))),
    h("p", { class: "note", hidden: !read.more }, DESK.expiring.more),
    trouble,
    may("inventory:write") ? editor : rows.node,
    h("p", { class: "printed" }, words.by),
  );
}
