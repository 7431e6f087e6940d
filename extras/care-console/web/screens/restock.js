// The restock report: medicines to order, and the reasons.

import { Problem, call } from "../api.js";
import { day, number, today } from "../formats.js";
import { follow } from "../live.js";
import { medicines, watch } from "../medicines.js";
import { may } from "../scopes.js";
import { bars } from "../ui/chart.js";
import { fileDay, saveCsv } from "../ui/csv.js";
import { button, h, link, show, told } from "../ui/dom.js";
import { control, form } from "../ui/form.js";
import { lacks } from "../ui/lacks.js";
import { pill, stock } from "../ui/pill.js";
import { refusal } from "../ui/problem.js";
import { reasons } from "../ui/reasons.js";
import { table } from "../ui/table.js";
import { DESK, STOCK, W } from "../words.js";

/** @typedef {import("../contract.js").Restock} Restock */
/** @typedef {import("../contract.js").RestockItem} RestockItem */
/** @typedef {import("../contract.js").Stock} Stock */

const PERIODS = [30, 90, 180, 365];
/** The number of medicines in the chart. */
const DRAWN = 12;
const TONES = /** @type {const} */ ({ now: "bad", soon: "warn", watch: "calm", none: "calm" });

/** @param {import("../router.js").Place} place */
export async function restock({ node, signal, title, say }) {
  /** @type {Restock} */
  let report = { from: "", to: "", items: [] };
  title(
    W.screens.restock,
    button(W.restock.csv, () => save({ ...report, items: report.items.filter(isDue) }), { class: "quiet" }),
    button(W.restock.print, () => print(), { class: "quiet" }),
  );
  const from = control({ name: "from", label: W.restock.from, kind: "day" });
  const to = control({ name: "to", label: W.restock.to, kind: "day" });
  const presets = PERIODS.map((days) =>
    button(
      W.restock.days(days),
      () => {
        from.put(today(1 - days));
        to.put(today());
        return read();
      },
      { class: "quiet" },
    ),
  );
  const { node: period } = form({
    id: undefined,
    isFilter: true,
    children: [from.node, to.node],
    controls: () => [from, to],
    go: W.restock.period,
    submit: () => read(),
    more: presets,
  });
  const lead = h("p", { class: "muted", role: "status" });
  const date = h("p", { class: "printed" }, W.restock.list(day(today())));
  const drawing = h("div", {});
  const rows = table({
    caption: W.restock.caption,
    none: W.restock.none,
    key: (/** @type {RestockItem} */ item) => item.medicine,
    columns: columns(ordered),
  });
  const trouble = h("div", {});

  // On paper stands what is to be ordered, and nothing else.
  let isOnPaper = false;
  const draw = (/** @type {{ flash?: boolean }} */ how = {}) =>
    rows.update(isOnPaper ? report.items.filter(isDue) : report.items, { ...how, isCut: report.more });
  const turn = (/** @type {boolean} */ toPaper) => {
    isOnPaper = toPaper;
    draw();
  };
  addEventListener("beforeprint", () => turn(true), { signal });
  addEventListener("afterprint", () => turn(false), { signal });

  const undo = h("div", { class: "rows" });
  const coming = table({
    caption: DESK.ordered.caption,
    none: DESK.ordered.none,
    key: (/** @type {Stock} */ stock) => stock.medicine,
    columns: [
      {
        label: W.restock.columns.medicine,
        cell: ({ medicine }) => link("/inventory/stock/" + encodeURIComponent(medicine), told(medicine)),
        kind: "wide",
      },
      { label: STOCK.figures.ordered, cell: (one) => told(STOCK.units(one.ordered, one.unit)), kind: "number" },
    ],
  });
  const onOrder = h("div", { class: "lacks", hidden: true }, coming.node);
  watch(() => {
    const items = medicines().items.flatMap(({ stock }) => (stock && stock.ordered > 0 ? [stock] : []));
    onOrder.hidden = items.length === 0;
    coming.update(items, { flash: true });
  }, signal);

  /** Offers to take an order back, as long as no other person has changed it. @param {RestockItem} item @param {string} text */
  function offer({ medicine, plan }, text) {
    const line = h(
      "div",
      { class: "actions" },
      told(text),
      button(DESK.expiring.undo, async () => {
        show(trouble);
        try {
          await putOrder(medicine, (plan?.ordered ?? 0) + (plan?.order ?? 0), plan?.ordered ?? 0);
          line.remove();
          say(DESK.ordered.undone(medicine));
          await read();
        } catch (error) {
          show(trouble, refusal(error));
        }
      }),
    );
    undo.prepend(line);
    line.querySelector("button")?.focus();
  }

  /** Puts an order on its way. The focus goes to what takes it back. @param {RestockItem} item */
  async function ordered(item) {
    show(trouble);
    try {
      const text = await putOnOrder(item);
      say(text);
      offer(item, text);
    } catch (error) {
      show(trouble, refusal(error));
    }
    await read().catch((error) => show(trouble, refusal(error)));
  }

  async function read() {
    /** @type {{ data: Restock }} */
    const { data } = await call("GET", "/restock", { query: { from: from.value(), to: to.value() }, signal });
    report = data;
    lead.textContent = W.restock.lead(day(report.from), day(report.to)) + (report.more ? " " + W.restock.more : "");
    draw({ flash: true });
    const most = report.items
      .filter((item) => item.prescribed + item.previousPrescribed > 0)
      .sort((one, other) => other.prescribed - one.prescribed)
      .slice(0, DRAWN);
    show(
      drawing,
      most.length > 0 &&
        bars(
          W.restock.chart,
          most.map((item) => ({ label: item.medicine, now: item.prescribed, before: item.previousPrescribed })),
          [W.restock.now, W.restock.before],
        ),
    );
  }
  node.append(lacks("inventory:write"), period, lead, date, trouble, undo, rows.node, onOrder, drawing);
  await read();
  follow(() => read().catch(() => {}), signal, ["Prescription", "Invoice", "Inventory", "Stock", "Movement"]);
}

/**
 * Puts what the plan advises on its way, beside what is on its way already, and returns what is said of it.
 * @param {RestockItem} item
 */
export async function putOnOrder({ medicine, plan }) {
  const [order, before] = [plan?.order ?? 0, plan?.ordered ?? 0];
  await putOrder(medicine, before, before + order);
  return DESK.ordered.done(medicine, order);
}

/** Changes what is on its way, unless another person has changed it. @param {string} medicine @param {number} from @param {number} to */
async function putOrder(medicine, from, to) {
  const path = `/inventory/${encodeURIComponent(medicine)}/stock`;
  const { data, tag } = /** @type {{ data: Stock, tag: string }} */ (await call("GET", path));
  if (data.ordered !== from) throw new Problem(412, { title: W.stale.title, detail: DESK.ordered.stale });
  await call("PUT", path, { body: { ordered: to }, ifMatch: tag });
}

/** Whether something is to be ordered. @param {RestockItem} item */
const isDue = ({ plan, recommendation }) =>
  plan ? plan.order > 0 : recommendation === "now" || recommendation === "soon";

/**
 * @param {(item: RestockItem) => Promise<void>} ordered
 * @returns {import("../ui/table.js").Column<RestockItem>[]}
 */
function columns(ordered) {
  const { columns, recommendations } = W.restock;
  return [
    {
      label: columns.medicine,
      cell: (item) =>
        link(
          (item.plan ? "/restock/of/" : "/inventory/stock/") + encodeURIComponent(item.medicine),
          told(item.medicine),
        ),
      kind: "wide",
    },
    {
      label: columns.recommendation,
      cell: (item) => [pill(recommendations[item.recommendation], TONES[item.recommendation]), order(item, ordered)],
    },
    { label: columns.isAvailable, cell: (item) => stock(item.isAvailable), isRare: true },
    { label: columns.prescribed, cell: (item) => number(item.prescribed), kind: "number" },
    {
      label: columns.previousPrescribed,
      cell: (item) => number(item.previousPrescribed),
      kind: "number",
      isRare: true,
    },
    { label: columns.averageMonthly, cell: (item) => number(item.averageMonthly), kind: "number", isRare: true },
    { label: columns.unmet, cell: (item) => number(item.unmet), kind: "number", isRare: true },
    {
      label: columns.reasons,
      cell: (item) => reasons(item.reasons, item.why),
      kind: "wide",
      isRare: true,
    },
  ];
}

/** Offers the report as a table for other programs. @param {Restock} report */
function save(report) {
  const names = /** @type {const} */ ([
    "recommendation",
    "medicine",
    "isAvailable",
    "prescribed",
    "regular",
    "dispensed",
    "unmet",
    "averageMonthly",
    "previousPrescribed",
    "lastPrescribed",
  ]);
  const planned = /** @type {const} */ (["packs", "order", "reorderAt", "upTo", "available", "ordered", "stockOutOn"]);
  const lines = report.items.map((item) => [
    ...names.map((name) => item[name]),
    ...planned.map((name) => item.plan?.[name]),
    item.reasons.join("; "),
  ]);
  saveCsv(`restock-${fileDay(report.to)}`, [...names, ...planned, "reasons"], lines);
}

/**
 * Returns the order that the item's plan advises, with the button for when it is ordered.
 * @param {RestockItem} item @param {(item: RestockItem) => Promise<void>} ordered
 */
function order(item, ordered) {
  const { plan, medicine } = item;
  if (!plan || plan.order === 0) return false;
  const label = { class: "quiet", "aria-label": DESK.ordered.of(medicine) };
  return h(
    "div",
    { class: "order" },
    STOCK.packs(plan.packs, plan.order),
    " ",
    may("inventory:write") && button(DESK.ordered.go, () => ordered(item), label),
  );
}
