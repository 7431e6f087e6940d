// Labels for medicines. They are measured, so that no word of them is lost.

import { h, show, told } from "./dom.js";

/** A line of a label, with its words and the white space behind them. @typedef {{ words: string[], isStrong: boolean }} Line */

/** The sizes of the letters in points, the first one where it fits. */
const SIZES = [9, 8.5, 8, 7.5, 7];
/** Scripts that are written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u;

/**
 * Returns labels that show every word: a single one, in letters as large as fit, or several in the smallest. Nothing is
 * returned if there is a word that does not fit.
 * @param {string[]} texts of the lines, the most important first
 * @param {(number: number, of: number) => string} mark what tells one of several labels from the others
 */
export function labels(texts, mark) {
  const bench = h("div", { class: "paper label bench" });
  document.body.append(bench);
  const lines = texts.filter(Boolean).map((text, place) => ({ words: words(text), isStrong: place === 0 }));
  try {
    for (const size of SIZES) {
      const one = blank(bench, size);
      one.append(...lines.map((line) => written(line)));
      if (fits(one)) return [one];
    }
    return several(bench, lines, mark);
  } finally {
    bench.remove();
  }
}

/** @param {HTMLElement} bench @param {Line[]} lines @param {(number: number, of: number) => string} mark */
function several(bench, lines, mark) {
  const left = [...lines];
  /** @type {HTMLElement[]} */
  const all = [];
  while (left.length > 0) {
    const label = blank(bench, SIZES.at(-1) ?? 0);
    const foot = h("p", {}, mark(1, 2));
    label.append(foot);
    const before = left.length;
    let isBegun = false;
    while (left[0]) {
      const line = left[0];
      const node = written(line);
      foot.before(node);
      if (fits(label)) {
        left.shift();
        continue;
      }
      const count = most(line.words.length - 1, (count) => {
        show(node, told(line.words.slice(0, count).join("")));
        return fits(label);
      });
      isBegun = count > 0;
      if (isBegun) {
        show(node, told(line.words.slice(0, count).join("")));
        left[0] = { ...line, words: line.words.slice(count) };
      } else node.remove();
      break;
    }
    if (left.length === before && !isBegun) return undefined;
    all.push(label);
  }
  all.forEach((label, place) => show(label.lastElementChild ?? label, mark(place + 1, all.length)));
  return all;
}

/** The largest number up to this one for which a condition holds, as it does for all below it. @param {number} high @param {(count: number) => boolean} holds */
function most(high, holds) {
  let low = 0;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    holds(middle) ? (low = middle) : (high = middle - 1);
  }
  return low;
}

/** @param {HTMLElement} bench @param {number} size */
function blank(bench, size) {
  const label = h("div", { class: "sticker" });
  label.style.fontSize = `${size}pt`;
  bench.append(label);
  return label;
}

/** @param {Line} line */
const written = ({ words, isStrong }) => h(isStrong ? "strong" : "p", {}, told(words.join("")));

/** @param {HTMLElement} label */
const fits = (label) => label.scrollHeight <= label.clientHeight && label.scrollWidth <= label.clientWidth;

/** @param {string} text */
const words = (text) =>
  text.split(/(?<=\s)/).flatMap((word) => {
    if (!UNSPACED.test(word)) return [word];
    return Array.from(new Intl.Segmenter(undefined, { granularity: "word" }).segment(word), ({ segment }) => segment);
  });
