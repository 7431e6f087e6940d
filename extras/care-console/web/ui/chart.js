// Charts. Each stands beside a table with the same numbers.

import { day, number } from "../formats.js";
import { W } from "../words.js";
import { h, svg } from "./dom.js";

/**
 * A bar chart of two figures, with one line for each row.
 * @param {string} title
 * @param {{ label: string, now: number, before: number }[]} rows
 * @param {[string, string]} names what the two figures are called
 */
export function bars(title, rows, [now, before]) {
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
      svg("text", { x: left + long(row.now) + 6, y: top + 14, class: "value" }, number(row.now)),
    );
  });
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${left + width + 50} ${rows.length * line}`, role: "img", "aria-label": title },
    lines,
  );
  return figure(title, drawing, h("span", { class: "key now" }, now), h("span", { class: "key before" }, before));
}

/**
 * Units on the shelf over time, in steps, with levels to compare them with.
 * @param {string} title
 * @param {{ day: string, units: number }[]} points at the end of days, the earliest first
 * @param {{ at: number, label: string, kind: string }[]} [levels]
 */
export function level(title, points, levels = []) {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < 2) return undefined;
  const [width, height, left] = [720, 200, 48];
  const [begin, end] = [days(first.day), Math.max(days(last.day), days(first.day) + 1)];
  const most = Math.max(1, ...points.map((point) => point.units), ...levels.map((one) => one.at));
  const x = (/** @type {string} */ at) => left + ((days(at) - begin) / (end - begin)) * (width - left - 8);
  const y = (/** @type {number} */ units) => 12 + (1 - units / most) * (height - 40);
  const line = points
    .map(({ day, units }, place) => (place === 0 ? `M${x(day)} ${y(units)}` : `H${x(day)}V${y(units)}`))
    .join("");
  const across = (/** @type {number} */ at, /** @type {string} */ kind) =>
    svg("line", { x1: left, x2: width - 8, y1: y(at), y2: y(at), class: kind });
  const word = (/** @type {number} */ at, /** @type {string} */ text, /** @type {string} */ anchor, top = height - 6) =>
    svg("text", { x: at, y: top, class: "value", "text-anchor": anchor }, text);
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title },
    [0, 0.5, 1]
      .map((part) => Math.round(most * part))
      .flatMap((at) => [across(at, "grid"), word(left - 8, number(at), "end", y(at) + 4)]),
    levels.map((one) => across(one.at, one.kind)),
    svg("path", { d: line, class: "line" }),
    word(left, day(first.day), "start"),
    word(width - 8, day(last.day), "end"),
  );
  const keys = levels.map((one) => h("span", { class: `key ${one.kind}` }, W.form.pair(one.label, number(one.at))));
  return figure(title, drawing, ...keys);
}

/** @param {string} title @param {Element} drawing @param {...HTMLElement} keys */
function figure(title, drawing, ...keys) {
  return h("figure", { class: "chart" }, h("figcaption", {}, title, " ", keys), drawing);
}

/** A day of the service as a number of days. @param {string} day */
function days(day) {
  const [date = 1, month = 1, year = 1970] = day.split("/").map(Number);
  return Date.UTC(year, month - 1, date) / 86_400_000;
}

/** @param {string} text */
const short = (text) => ([...text].length > 22 ? [...text].slice(0, 21).join("") + "…" : text);
