// The restock report: medicines to order, and the reasons.

import { call } from "../api.js";
import { day, number, today } from "../formats.js";
import { follow } from "../live.js";
import { bars } from "../ui/chart.js";
import { button, h, link, show, told } from "../ui/dom.js";
import { control, form } from "../ui/form.js";
import { pill, stock } from "../ui/pill.js";
import { table } from "../ui/table.js";
import { STOCK, W } from "../words.js";

/** @typedef {import("../contract.js").Restock} Restock */
/** @typedef {import("../contract.js").RestockItem} RestockItem */

const PERIODS = [30, 90, 180, 365];
/** The number of medicines in the chart. */
const DRAWN = 12;
const TONES = /** @type {const} */ ({ now: "bad", soon: "warn", watch: "calm", none: "calm" });

/** @param {import("../router.js").Place} place */
export async function restock({ node, signal, title }) {
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
    children: [from.node, to.node],
    controls: () => [from, to],
    go: W.restock.period,
    submit: () => read(),
    more: presets,
  });
  period.classList.add("filters");
  const lead = h("p", { class: "muted", role: "status" });
  const date = h("p", { class: "printed" }, W.restock.list(day(today())));
  const drawing = h("div", {});
  const rows = table({
    caption: W.restock.caption,
    none: W.restock.none,
    key: (/** @type {RestockItem} */ item) => item.medicine,
    columns: columns(),
  });

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
  node.append(period, lead, date, rows.node, drawing);
  await read();
  follow(() => read().catch(() => {}), signal, ["Prescription", "Invoice", "Inventory", "Stock", "Movement"]);
}

/** @returns {import("../ui/table.js").Column<RestockItem>[]} */
function columns() {
  const { columns, recommendations } = W.restock;
  return [
    {
      label: columns.medicine,
      cell: (item) =>
        link((item.plan ? "/restock/of/" : "/inventory/of/") + encodeURIComponent(item.medicine), told(item.medicine)),
      kind: "wide",
    },
    {
      label: columns.recommendation,
      cell: (item) => [pill(recommendations[item.recommendation], TONES[item.recommendation]), order(item)],
    },
    { label: columns.isAvailable, cell: (item) => stock(item.isAvailable) },
    { label: columns.prescribed, cell: (item) => number(item.prescribed), kind: "number" },
    { label: columns.previousPrescribed, cell: (item) => number(item.previousPrescribed), kind: "number" },
    { label: columns.averageMonthly, cell: (item) => number(item.averageMonthly), kind: "number" },
    { label: columns.unmet, cell: (item) => number(item.unmet), kind: "number" },
    {
      label: columns.reasons,
      cell: (item) =>
        h(
          "ul",
          { class: "reasons" },
          item.reasons.map((reason) => h("li", {}, told(reason))),
        ),
      kind: "wide",
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
    ...names.map((name) => cell(item[name])),
    ...planned.map((name) => cell(item.plan?.[name])),
    cell(item.reasons.join("; ")),
  ]);
  const text = [[...names, ...planned, "reasons"], ...lines].map((line) => line.join(",") + "\r\n").join("");
  const file = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const anchor = h("a", { href: file, download: `restock-${report.to.split("/").reverse().join("-")}.csv` });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(file), 10_000);
}

/**
 * Returns a cell of the CSV file. A text that a spreadsheet would take for a formula gets an apostrophe in front.
 * @param {unknown} value
 */
function cell(value) {
  const text = value === undefined ? "" : String(value);
  const harmless = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? "'" + text : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Returns the order that the item's plan advises. @param {RestockItem} item */
function order({ plan }) {
  return plan && plan.order > 0 && h("div", {}, STOCK.packs(plan.packs, plan.order));
}
