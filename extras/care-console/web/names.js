// Names of medicines, as they are compared and searched.

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
    const at = item.folded.indexOf(wanted);
    if (at >= 0) found[item.folded === wanted ? 0 : at === 0 ? 1 : item.folded[at - 1] === " " ? 2 : 3]?.push(item);
  }
  return found.flat().slice(0, most);
}
