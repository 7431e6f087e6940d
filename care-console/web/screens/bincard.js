// The movements of a medicine, as a bin card and as a line chart.

import { day } from "../formats.js";
import { h, link, svg, told } from "../ui/dom.js";
import { table } from "../ui/table.js";
import { STOCK } from "../words_stock.js";

/** @typedef {import("../contract.js").Movement} Movement */

/** The bin card. */
export function card() {
  const { cardColumns } = STOCK;
  return table({
    caption: STOCK.card,
    none: STOCK.noMovements,
    key: (/** @type {Movement} */ one) => String(one.movementId),
    columns: [
      { label: cardColumns.number, cell: (one) => one.movementId, kind: "number" },
      { label: cardColumns.day, cell: (one) => day(one.day) },
      { label: cardColumns.kind, cell: (one) => [STOCK.kinds[one.kind], one.reason && ", " + one.reason] },
      { label: cardColumns.units, cell: (one) => (one.units > 0 ? "+" : "−") + Math.abs(one.units), kind: "number" },
      { label: cardColumns.balance, cell: (one) => one.balance, kind: "number" },
      { label: cardColumns.lot, cell: (one) => told(STOCK.lotOf(one.lot ?? "", one.expires ? day(one.expires) : "")) },
      {
        label: cardColumns.more,
        cell: (one) => [
          one.invoiceId ? link("/bills/" + one.invoiceId, STOCK.invoice(String(one.invoiceId))) : "",
          one.note ? told(" " + one.note) : "",
        ],
      },
    ],
  });
}

/**
 * The balance after each movement. The bin card beside it has the same numbers.
 * @param {Movement[]} movements the latest first
 * @param {string} unit
 */
export function chart(movements, unit) {
  if (movements.length < 2) return undefined;
  const [width, height, left] = [720, 180, 48];
  const balances = [...movements].reverse().map((one) => one.balance);
  const most = Math.max(1, ...balances);
  const x = (/** @type {number} */ place) => left + (place / (balances.length - 1)) * (width - left - 8);
  const y = (/** @type {number} */ balance) => 12 + (1 - balance / most) * (height - 36);
  const line = balances
    .map((balance, place) => (place === 0 ? `M${x(0)} ${y(balance)}` : `H${x(place)}V${y(balance)}`))
    .join("");
  const grid = [0, 0.5, 1].map((part) => Math.round(most * part));
  return h(
    "figure",
    { class: "chart" },
    h("figcaption", {}, STOCK.chart),
    svg(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${STOCK.chart} (${unit})` },
      grid
        .map((value) => [
          svg("line", { x1: left, x2: width - 8, y1: y(value), y2: y(value), class: "grid" }),
          svg("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end", class: "value" }, value),
        ])
        .flat(),
      svg("path", { d: line, class: "line" }),
      svg("text", { x: left, y: height - 6, class: "value" }, day(movements.at(-1)?.day)),
      svg("text", { x: width - 8, y: height - 6, class: "value", "text-anchor": "end" }, day(movements[0]?.day)),
    ),
  );
}
