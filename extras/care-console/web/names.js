// Names, as they are compared, sorted and searched.

/** What is shown as nothing at all. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** The signs of printed names that are an apostrophe or a hyphen. */
const APOSTROPHE = /[`´ʹʼ‘’′＇]/gu;
const DASH = /[‐-―−]/gu;
/** What is not plain, and may be another form of a digit. */
const OTHER = /[^\0-\u007f]/gu;
/** Letters that stay as they are when they are folded, and those whose capitals are what they fold to. */
const KEPT = /[ıᎠ-Ᏽ]/u;
const CAPITAL = /[ᏸ-ᏽꭰ-ꮿ]/u;

/** Full case folding of Unicode, the same in every language of the browser. @param {string} letter */
function caseless(letter) {
  if (letter === "ẞ") return "ss";
  if (KEPT.test(letter)) return letter;
  const capital = letter.toUpperCase();
  return CAPITAL.test(letter) ? capital : capital.toLowerCase();
}

/**
 * A medicine's name as the service compares names: without letter case, without what cannot be seen, with one space for
 * each run of them, and with plain apostrophes, hyphens and digits.
 * @param {string} name
 */
export function folded(name) {
  const visible = name
    .replace(INVISIBLE, "")
    .split(/\p{White_Space}+/u)
    .filter(Boolean)
    .join(" ")
    .normalize("NFC");
  const digit = (/** @type {string} */ letter) => {
    const plain = letter.normalize("NFKD");
    return /^[0-9]$/u.test(plain) ? plain : letter;
  };
  const signs = Array.from(visible, caseless).join("").normalize("NFC");
  return signs.replace(APOSTROPHE, "'").replace(DASH, "-").replace(OTHER, digit);
}

/** A number of a name, with the part behind its point. */
const NUMBER = /(\d+)(?:[.,](\d+))?/g;

/**
 * Sorts medicines by their names, and those of one name by their strengths: 500 stands before 1000, and 2.5 before 10.
 * @template {{ folded: string }} T
 * @param {T[]} items
 */
export function inOrder(items) {
  const value = (/** @type {string} */ _, /** @type {string} */ whole, part = "") => {
    // Three digits behind a sign are thousands, unless nothing stands before it.
    const isLarge = part.length === 3 && !whole.startsWith("0");
    return isLarge ? (whole + part).padStart(18, "0") : `${whole.padStart(18, "0")}.${part}`;
  };
  const keyed = items.map((item) => ({ item, key: item.folded.replace(NUMBER, value) }));
  return keyed.sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key))).map(({ item }) => item);
}

/** Where a text stands in a name. @typedef {0 | 1 | 2 | 3} Rank it is all of it, its beginning, that of a word, inside of one */

/**
 * @param {{ folded: string }} item @param {string} wanted as names are compared
 * @returns {Rank | undefined}
 */
export function rank({ folded: name }, wanted) {
  if (name === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  const isInside = name.includes(wanted);
  for (let at = name.indexOf(wanted, 1); at > 0; at = name.indexOf(wanted, at + 1))
    if (!/[\p{L}\p{M}\p{N}]/u.test(name[at - 1] ?? "")) return 2;
  return isInside ? 3 : undefined;
}

/**
 * The medicines that may be meant by a part of their names, the best first: the one of this name, those that begin like
 * the text, those with a word that does, then those that contain it.
 * @template {{ folded: string }} T
 * @param {T[]} items @param {string} text @param {number} most
 */
export function meant(items, text, most) {
  const wanted = folded(text);
  /** @type {T[][]} */
  const found = [[], [], [], []];
  for (const item of items) {
    const at = rank(item, wanted);
    if (at !== undefined) found[at]?.push(item);
  }
  return found.flat().slice(0, most);
}

/** The words of a name, without their accents and letter case. @param {string} name */
export const words = (name) =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
