// Tables for other programs.

import { h } from "./dom.js";

/** How a spreadsheet knows UTF-8. */
const MARK = "\ufeff";

/**
 * Offers a table as a file.
 * @param {string} name of the file
 * @param {readonly string[]} columns
 * @param {unknown[][]} lines
 */
export function saveCsv(name, columns, lines) {
  const text = [columns, ...lines.map((line) => line.map(cell))].map((line) => line.join(",") + "\r\n").join("");
  const file = URL.createObjectURL(new Blob([MARK + text], { type: "text/csv;charset=utf-8" }));
  const anchor = h("a", { href: file, download: `${name}.csv` });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(file), 10_000);
}

/** A day of the service as it stands in the name of a file. @param {string} day */
export const fileDay = (day) => day.split("/").reverse().join("-");

const UNSEEN = String.raw`["\p{White_Space}\p{Cc}\u00ad\u200b-\u200f\u2060\ufeff]`;
const SIGN = "[=+\\-@＝＋－＠﹦﹢﹣﹫−]";

/**
 * Where a text would become a formula: at a sign of one, in full width and small too, whatever cannot be seen stands
 * before it. A spreadsheet may take a semicolon, a tab or the end of a line for the end of a cell. The programs on the
 * command line have the same list, and their tests read the same table.
 */
const FORMULA = new RegExp(
  `^(?=[\\t\\r\\n]|${UNSEEN}*${SIGN})|(?<=[;\\t\\r\\n])(?=(?:(?![\\t\\r\\n])${UNSEEN})*${SIGN})`,
  "gu",
);

/**
 * Returns a cell of the CSV file. A text that a spreadsheet would take for a formula gets an apostrophe where it would begin.
 * @param {unknown} value
 */
export function cell(value) {
  const text = value === undefined ? "" : String(value);
  const harmless = typeof value === "string" ? text.replace(FORMULA, "'") : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
