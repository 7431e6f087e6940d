// What a scanner reads from the package of a medicine: GS1 codes with the article, the lot and the last day.

import { written } from "./formats.js";

/** @typedef {{ article: string, lot?: string, expires?: string }} Scanned */

/** The length of an element's value by its identifier; what is not listed ends at a separator or with the code. */
const FIXED = /** @type {Record<string, number>} */ ({ "01": 14, "02": 14, 11: 6, 12: 6, 13: 6, 15: 6, 16: 6, 17: 6 });
const SEPARATOR = "\u001d";

/**
 * Reads a code; `undefined` for a text that is none. A bare number of 8 to 14 digits is an article alone.
 * @param {string} text
 * @returns {Scanned | undefined}
 */
export function scanned(text) {
  const code = text.trim().replace(/^\][A-Za-z]\d/, "");
  if (/^(\d{8}|\d{12,14})$/.test(code)) return { article: code.padStart(14, "0") };
  const parts = code.startsWith("(") ? bracketed(code) : elements(code);
  const article = parts.get("01") ?? parts.get("02");
  if (article === undefined || !/^\d{14}$/.test(article)) return undefined;
  const lot = parts.get("10");
  const expires = lastDay(parts.get("17") ?? "");
  return { article, ...(lot ? { lot } : {}), ...(expires ? { expires } : {}) };
}

/** The elements of a code as it is printed below its bars, such as `(01)…(17)…(10)…`. @param {string} code */
const bracketed = (code) =>
  new Map([...code.matchAll(/\((\d{2,4})\)([^(]*)/g)].map(([, name = "", value = ""]) => [name, value.trim()]));

/** The elements of a code as it is read. @param {string} code @returns {Map<string, string>} */
function elements(code) {
  const parts = new Map();
  let rest = code;
  while (rest !== "") {
    const name = rest.slice(0, 2);
    const end = rest.indexOf(SEPARATOR);
    const length = FIXED[name] ?? (end < 0 ? rest.length : end) - 2;
    parts.set(name, rest.slice(2, 2 + length));
    rest = rest.slice(2 + length).replace(SEPARATOR, "");
  }
  return parts;
}

/** The last day of `YYMMDD`, whose day 00 is the last of the month. @param {string} text */
function lastDay(text) {
  const [, year, month, date] = /^(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  return date === "00" ? written(`${month}/20${year}`, true) : written(`${date}/${month}/20${year}`);
}
