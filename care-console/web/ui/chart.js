// Charts. Each stands beside a table with the same numbers.

import { W } from "../words.js";
import { h, svg } from "./dom.js";

/**
 * A bar chart of two periods, with one line for each medicine.
 * @param {string} title
 * @param {{ label: string, now: number, before: number }[]} rows
 */
export function bars(title, rows) {
  const [left, width, line] = [180, 460, 30];
  const most = Math.max(1, ...rows.flatMap((row) => [row.now, row.before]));
  const long = (/** @type {number} */ value) => Math.max(value > 0 ? 2 : 0, (value / most) * width);
  const lines = rows.map((row, place) => {
    const top = place * line;
    return svg(
      "g",
      {},
      svg("text", { x: left - 10, y: top + 17, class: "label", "text-anchor": "end" }, short(row.label)),
      svg("rect", { x: left, y: top + 4, width: long(row.now), height: 11, rx: 2, class: "now" }),
      svg("rect", { x: left, y: top + 16, width: long(row.before), height: 6, rx: 2, class: "before" }),
      svg("text", { x: left + long(row.now) + 6, y: top + 14, class: "value" }, row.now),
    );
  });
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${left + width + 50} ${rows.length * line}`, role: "img", "aria-label": title },
    lines,
  );
  return h(
    "figure",
    { class: "chart" },
    h(
      "figcaption",
      {},
      title,
      " ",
      h("span", { class: "key now" }, W.restock.now),
      h("span", { class: "key before" }, W.restock.before),
    ),
    drawing,
  );
}

/** @param {string} text */
const short = (text) => ([...text].length > 22 ? [...text].slice(0, 21).join("") + "…" : text);
