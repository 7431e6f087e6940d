// The restock report: medicines to order, and the reasons.

import { Problem, call } from "../api.js";
import { day, number, today } from "../formats.js";
import { follow } from "../live.js";
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
    button(W.restock.csv, () => save(report), { class: "quiet" }),
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

  const buttons = () => [...rows.node.querySelectorAll("button")];
  /** Puts an order on its way. The focus goes to the next one. @param {RestockItem} item @param {Event} event */
  async function ordered(item, { target }) {
    const names = buttons().map((one) => one.ariaLabel);
    const after = names.slice(names.indexOf(DESK.ordered.of(item.medicine)));
    show(trouble);
    try {
      say(await putOnOrder(item));
    } catch (error) {
      show(trouble, refusal(error));
    }
    await read().catch((error) => show(trouble, refusal(error)));
    const { activeElement } = document;
    if (signal.aborted || (activeElement !== document.body && activeElement !== target)) return;
    const [next] = after.flatMap((name) => buttons().find((one) => one.ariaLabel === name) ?? []);
    (next ?? document.querySelector("h1"))?.focus();
  }

  async function read() {
    /** @type {{ data: Restock }} */
    const { data } = await call("GET", "/restock", { query: { from: from.value(), to: to.value() }, signal });
    report = data;
    lead.textContent = W.restock.lead(day(report.from), day(report.to)) + (report.more ? " " + W.restock.more : "");
    rows.update(report.items, { flash: true });
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
  node.append(lacks("inventory:write"), period, lead, date, trouble, rows.node, drawing);
  await read();
  follow(() => read().catch(() => {}), signal, ["Prescription", "Invoice", "Inventory", "Stock", "Movement"]);
}

/**
 * Puts what the plan advises on its way, beside what is on its way already, and returns what is said of it.
 * @param {RestockItem} item
 */
export async function putOnOrder({ medicine, plan }) {
  const path = `/inventory/${encodeURIComponent(medicine)}/stock`;
  const { data, tag } = /** @type {{ data: import("../contract.js").Stock, tag: string }} */ (await call("GET", path));
  // Another person may have ordered it since the report was made.
  if (!plan || data.ordered !== plan.ordered)
    throw new Problem(412, { title: W.stale.title, detail: DESK.ordered.stale });
  await call("PUT", path, { body: { ordered: plan.ordered + plan.order }, ifMatch: tag });
  return DESK.ordered.done(medicine, plan.order);
}

/**
 * @param {(item: RestockItem, event: Event) => Promise<void>} ordered
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
 * @param {RestockItem} item @param {(item: RestockItem, event: Event) => Promise<void>} ordered
 */
function order(item, ordered) {
  const { plan, medicine } = item;
  if (!plan || plan.order === 0) return false;
  const label = { class: "quiet", "aria-label": DESK.ordered.of(medicine) };
  return h(
    "div",
    {},
    STOCK.packs(plan.packs, plan.order),
    " ",
    may("inventory:write") && button(DESK.ordered.go, (event) => ordered(item, event), label),
  );
}
