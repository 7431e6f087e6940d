// What a scanner reads from the package of a medicine, by the GS1 General Specifications: elements, each an identifier
// with its value.

/** @typedef {{ article: string, lot?: string, expires?: string }} Scanned */
/** A code that cannot be read: where it fails, and nothing if it names no article. @typedef {{ unread: string }} Unread */
/** @typedef {[name: string, value: string][]} Elements */

/** What ends a value of any length, and what readers type in its place. */
export const SEPARATOR = "\u001d";
const SEPARATORS = /<GS>|\{GS\}|␝/g;
/** A reader's name for the kind of code. Those after it have elements, and the others a bare number. */
const SYMBOLOGY = /^\][A-Za-z]\d/;
const HAS_ELEMENTS = /^\](?:C1|e0|d2|Q3|J1)/;
/** The first two digits of an identifier say how many it has. */
const IDENTIFIER = /^(?:0[0-4]|1\d|2[0-2]|30|37|9\d|(?:2[3-5]|4[0-2]|71)\d|(?:3[1-69]|43|70|72|8[0-2])\d\d)/;
const IN_BRACKETS = /^\((\d{2,4})\)/;
const BARE = /^(?:\d{8}|\d{12,14})$/;
const DATES = ["11", "12", "13", "15", "16", "17"];
const TEXT = /^[!"%-?A-Z_a-z]{1,90}$/;
const SHORT_TEXT = /^.{1,20}$/;
const SHORT = ["10", "21", "22"];
const ARTICLES = ["01", "02", "03"];
const COUNTS = ["30", "37"];
const COUNT = /^\d{1,8}$/;

/**
 * Reads a code; `undefined` for a text that is none. A bare number of 8 or 12 to 14 digits is an article alone, and unread
 * as a whole where its check digit is wrong.
 * @param {string} text @param {number} [now] The year.
 * @returns {Scanned | Unread | undefined}
 */
export function scanned(text, now = new Date().getFullYear()) {
  const whole = text.replace(SEPARATORS, SEPARATOR).replace(/\s/g, "");
  const code = whole.replace(SYMBOLOGY, "").replace(/^\u001d+/, "");
  if (BARE.test(code) && !HAS_ELEMENTS.test(whole))
    return isChecked(code) ? { article: code.padStart(14, "0") } : { unread: code };
  const isCode = code !== whole || code.includes(SEPARATOR) || IN_BRACKETS.test(code) || /^\d{8}/.test(code);
  if (!isCode) return undefined;
  const elements = code.startsWith("(") ? bracketed(code) : plain(code);
  return "unread" in elements ? elements : named(elements, now);
}

/** Takes from the elements what a delivery needs. @param {Elements} elements @param {number} now @returns {Scanned | Unread} */
function named(elements, now) {
  /** @type {Map<string, string>} */
  const parts = new Map();
  for (const [name, value] of elements) {
    if ((parts.get(name) ?? value) !== value) return { unread: name };
    parts.set(name, value);
  }
  const article = parts.get("01") ?? parts.get("02");
  if (article === undefined) return { unread: "" };
  const lot = parts.get("10");
  const expires = lastDay(parts.get("17") ?? "", now);
  return { article, ...(lot ? { lot } : {}), ...(expires ? { expires } : {}) };
}

/** The digits after the first two of an identifier, those of the value included, where their number is predefined. @param {string} name */
function predefined(name) {
  const first = Number(name.slice(0, 2));
  if (first >= 11 && first <= 19) return 6;
  if (first >= 31 && first <= 36) return 8;
  return /** @type {Record<number, number>} */ ({ 0: 18, 1: 14, 2: 14, 3: 14, 4: 16, 20: 2, 41: 14 })[first];
}

/** @param {string} name @param {string} value */
function isValue(name, value) {
  const digits = predefined(name);
  if (digits !== undefined && !(/^\d*$/.test(value) && name.length - 2 + value.length === digits)) return false;
  if (DATES.includes(name)) return lastDay(value, 2000) !== undefined;
  if (ARTICLES.includes(name)) return isChecked(value);
  if (COUNTS.includes(name)) return COUNT.test(value);
  return TEXT.test(value) && (!SHORT.includes(name) || SHORT_TEXT.test(value));
}

/**
 * Whether the last digit of an article is the one that the others lead to. Where a digit was lost, another one stands in
 * its place, and all behind it is read as something else.
 * @param {string} digits
 */
function isChecked(digits) {
  const sum = Array.from(digits, (digit, place) => Number(digit) * ((digits.length - place) % 2 === 0 ? 3 : 1));
  return sum.reduce((all, one) => all + one, 0) % 10 === 0;
}

/** The elements of a code as it is read from its bars. @param {string} code @returns {Elements | Unread} */
function plain(code) {
  /** @type {Elements} */
  const elements = [];
  let rest = code;
  while (rest !== "") {
    const name = IDENTIFIER.exec(rest)?.[0];
    if (name === undefined) return { unread: rest };
    const digits = predefined(name);
    const [upTo = ""] = rest.split(SEPARATOR, 1);
    const value = digits === undefined ? upTo.slice(name.length) : rest.slice(name.length, 2 + digits);
    if (!isValue(name, value)) return { unread: name };
    elements.push([name, value]);
    // A separator may stand behind any value.
    rest = rest.slice(name.length + value.length).replace(/^\u001d+/, "");
  }
  return elements;
}

/**
 * The elements of a code as it is printed below its bars, such as `(01)…(17)…(10)…`. A value may contain brackets: it
 * ends at the first place from which all the rest can be read.
 * @param {string} code @returns {Elements | Unread}
 */
function bracketed(code) {
  /** The elements from each place to the end. @type {(Elements | undefined)[]} */
  const read = [];
  read[code.length] = [];
  for (let at = code.length - 1; at >= 0; at -= 1) {
    if (code[at] === SEPARATOR) read[at] = read[at + 1];
    const name = identified(code.slice(at));
    if (name === undefined) continue;
    const from = at + name.length + 2;
    for (let end = from + 1; end <= code.length && !read[at]; end += 1) {
      const others = read[end];
      const value = code.slice(from, end);
      if (others && isValue(name, value)) read[at] = [[name, value], ...others];
    }
  }
  return read[0] ?? { unread: unreadOf(code) };
}

/** The identifier in brackets with which a text begins. @param {string} text */
function identified(text) {
  const name = IN_BRACKETS.exec(text)?.[1];
  return name !== undefined && IDENTIFIER.exec(name)?.[0] === name ? name : undefined;
}

/** The first element that cannot be read, of those that seem to be there. @param {string} code */
function unreadOf(code) {
  const parts = code.split(/(?=\(\d{2,4}\))/);
  const wrong = parts.find((part) => {
    const name = identified(part);
    return name === undefined || !isValue(name, part.slice(name.length + 2).replace(/\u001d+$/, ""));
  });
  return IN_BRACKETS.exec(wrong ?? "")?.[1] ?? wrong ?? code;
}

/**
 * Returns the day that is written `YYMMDD`, whose day 00 is the last of the month. It is from 49 years before this year
 * to 50 years after it.
 * @param {string} text @param {number} now
 */
function lastDay(text, now) {
  const [, ending = "", month = "", date = ""] = /^(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  const first = now - 49;
  const year = first + ((((Number(ending) - first) % 100) + 100) % 100);
  const last = new Date(Date.UTC(year, Number(month), 0)).getUTCDate();
  if (ending === "" || Number(month) < 1 || Number(month) > 12 || Number(date) > last) return undefined;
  return `${date === "00" ? last : date}/${month}/${year}`;
}
