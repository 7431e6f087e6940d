// The advice on one medicine: how it was computed, its stock over time, and what other policies would have made of it.

import { Problem, call, list } from "../api.js";
import { day, number, today } from "../formats.js";
import { bars, level } from "../ui/chart.js";
import { h, link, told } from "../ui/dom.js";
import { cut } from "../ui/lacks.js";
import { reasons } from "../ui/reasons.js";
import { dated, table } from "../ui/table.js";
import { PLAN, SPEECH, STOCK, W } from "../words.js";

/** @typedef {import("../contract.js").Plan} Plan */
/** @typedef {import("../contract.js").Movement} Movement */
/** @typedef {import("../contract.js").Backtest["rows"][number]} Played */

/** The most medicines that a report of the service holds. */
const MOST = 5000;
/** The days that the drawing shows. */
const DRAWN = 180;
const FIGURES = /** @type {const} */ (["available", "ordered", "waiting", "position", "reorderAt", "upTo", "order"]);

/** @param {import("../router.js").Place} place */
export async function plan({ node, signal, parameters: [medicine = ""], title }) {
  title(
    told(PLAN.title(medicine)),
    link("/inventory/stock/" + encodeURIComponent(medicine), STOCK.open, { class: "button quiet" }),
  );
  /** @type {{ data: import("../contract.js").Restock }} */
  const { data } = await call("GET", "/restock", { query: { limit: MOST }, signal });
  const found = data.items.find((item) => item.medicine === medicine)?.plan;
  if (!found) throw new Problem(404, { title: PLAN.none, detail: PLAN.noneDetail });
  const moved = await list("/movements", { query: { medicine, from: today(-DRAWN) }, signal, most: 20_000 });
  node.append(figures(found), because(found));
  const line = level(PLAN.chart, balances(/** @type {Movement[]} */ (moved.items)), [
    { at: found.reorderAt, label: PLAN.figures.reorderAt, kind: "reorder" },
    { at: found.available + found.ordered, label: PLAN.withOrdered, kind: "ordered" },
  ]);
  const rest = cut();
  rest.hidden = !moved.more;
  if (line) node.append(rest, line);
  if (found.atRisk.length > 0) node.append(risks(found));
  node.append(await past(medicine, signal));
}

/** The units at the end of each day with a movement, and today. @param {Movement[]} movements the earliest first */
function balances(movements) {
  const ends = new Map(movements.map((one) => [one.day, one.balance]));
  const last = movements.at(-1);
  if (last) ends.set(today(), last.balance);
  return [...ends].map(([day, units]) => ({ day, units }));
}

/** @param {Plan} plan */
function figures(plan) {
  return h(
    "dl",
    { class: "figures" },
    FIGURES.map((name) => h("div", {}, h("dt", {}, PLAN.figures[name]), h("dd", {}, number(plan[name])))),
    plan.stockOutOn && h("div", {}, h("dt", {}, PLAN.figures.stockOutOn), h("dd", {}, day(plan.stockOutOn))),
  );
}

/** @param {Plan} plan */
function because(plan) {
  return h(
    "section",
    { class: "card" },
    h("h2", {}, PLAN.because),
    reasons(plan.because, plan.steps),
    plan.confidence === "low" && h("p", { class: "muted" }, PLAN.low),
  );
}

/** @param {Plan} plan */
function risks(plan) {
  const rows = table({
    caption: PLAN.atRisk,
    none: "",
    key: (/** @type {Plan["atRisk"][number]} */ lot) => `${lot.expires} ${lot.lot ?? ""}`,
    columns: [
      { label: STOCK.lotColumns.lot, cell: (lot) => told(lot.lot ?? STOCK.noLot), kind: "wide" },
      { label: STOCK.lotColumns.expires, cell: (lot) => dated(lot.expires) },
      { label: STOCK.lotColumns.onHand, cell: (lot) => number(lot.units), kind: "number" },
    ],
  });
  rows.update(plan.atRisk);
  return rows.node;
}

/** What the policies would have made of the last year. @param {string} medicine @param {AbortSignal} signal */
async function past(medicine, signal) {
  /** @type {{ data: import("../contract.js").Backtest }} */
  const { data } = await call("GET", "/restock/backtest", { query: { medicine }, signal });
  const { columns } = PLAN;
  const rows = table({
    caption: PLAN.past(day(data.from), day(data.to)),
    none: W.restock.none,
    key: (/** @type {Played} */ row) => row.policy,
    columns: [
      { label: columns.policy, cell: (row) => PLAN.policies[row.policy] },
      { label: columns.demand, cell: (row) => number(row.demand), kind: "number" },
      { label: columns.served, cell: (row) => number(row.served), kind: "number" },
      { label: columns.fillRate, cell: (row) => SPEECH.percent(row.fillRate / 10_000), kind: "number" },
      { label: columns.stockOutDays, cell: (row) => number(row.stockOutDays), kind: "number" },
      { label: columns.orders, cell: (row) => number(row.orders), kind: "number", isRare: true },
      { label: columns.ordered, cell: (row) => number(row.ordered), kind: "number", isRare: true },
      { label: columns.averageStock, cell: (row) => number(row.averageStock), kind: "number" },
      { label: columns.endStock, cell: (row) => number(row.endStock), kind: "number", isRare: true },
    ],
  });
  rows.update(data.rows);
  const drawn = data.rows.map((row) => ({
    label: PLAN.policies[row.policy],
    now: row.served,
    before: row.averageStock,
  }));
  return h(
    "div",
    { class: "screen" },
    h("p", {}, PLAN.pastLead),
    rows.node,
    bars(PLAN.picture, drawn, [columns.served, columns.averageStock]),
  );
}
