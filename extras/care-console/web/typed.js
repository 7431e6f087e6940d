// What becomes of a typed name, in every field and box that takes one. It needs no browser, so the tests go over all of it.

import { folded, rank, words } from "./names.js";

/**
 * The names that may be typed, as far as they are known.
 * @template T
 * @typedef {object} Names
 * @property {T[]} items those that the field can hold
 * @property {{ folded: string }[]} [others] those that may be meant, but that it cannot hold
 * @property {boolean} isAll whether there are no others
 */

/** The ways in which a field is left. A reader scans into another field. */
export const WAYS = /** @type {const} */ (["enter", "tab", "blur", "press", "scan"]);

/** @typedef {(typeof WAYS)[number]} Way */

/**
 * What a text has become.
 * @template T
 * @typedef {object} Became
 * @property {T | undefined} held what the field holds
 * @property {string} text what stands in it now
 * @property {boolean} isAsked whether it is a question which name is meant
 * @property {T[]} begun the names with a word that begins so, which may be meant where it is one
 */

/**
 * What Enter takes: what is marked, or the only one where all that may be meant are known.
 * @template T
 * @param {T | undefined} marked @param {T[]} found @param {boolean} isAll
 */
export const taken = (marked, found, isAll) => marked ?? (isAll && found.length === 1 ? found[0] : undefined);

/**
 * Decides what becomes of a typed name when its field is left. A whole name is held. Enter alone writes a name out: the one
 * that is marked, or the only one that begins so. Every other text stays as it is, and is a question.
 * @template {{ medicine: string, folded: string }} T
 * @param {{ text: string, way: Way, marked?: T | undefined, names: Names<T> }} typed what is marked in the field's list
 * @returns {Became<T>}
 */
export function becomes({ text, way, marked, names: { items, others = [], isAll } }) {
  const wanted = folded(text);
  const isEnter = way === "enter";
  /** @param {T} item */
  const hold = (item) => ({ held: item, text: isEnter ? item.medicine : text, isAsked: false, begun: [] });
  if (isEnter && marked) return hold(marked);
  if (wanted === "") return { held: undefined, text, isAsked: false, begun: [] };
  const whole = items.find((item) => item.folded === wanted);
  if (whole) return hold(whole);
  const isBegun = (/** @type {{ folded: string }} */ item) => (rank(item, wanted) ?? 3) < 3;
  const begun = items.filter(isBegun);
  const only = isEnter ? taken(undefined, begun, isAll && !others.some(isBegun)) : undefined;
  // A word inside of a name may begin another name that is not on record.
  return only && rank(only, wanted) === 1 ? hold(only) : { held: undefined, text, isAsked: true, begun };
}

/** Whether two words are the same but for one letter. @param {string} one @param {string} other */
function isNear(one, other) {
  if (one === other) return true;
  const [short = [], long = []] = [[...one], [...other]].sort((one, other) => one.length - other.length);
  // A single letter is as near to every other one.
  if (short.length < 2 || long.length - short.length > 1) return false;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same += 1;
  const rest = short.slice(long.length === short.length ? same + 1 : same).join("");
  const isSwapped = short[same] === long[same + 1] && short[same + 1] === long[same];
  return (
    rest === long.slice(same + 1).join("") ||
    (isSwapped && short.slice(same + 2).join("") === long.slice(same + 2).join(""))
  );
}

/**
 * Whether a name that is typed over another one is that of another person or medicine, and no correction: it has other
 * numbers, or no word of letters that is the same but for one.
 * @param {string | undefined} before @param {string | undefined} typed
 */
export function isAnother(before = "", typed = "") {
  const [first, second] = [words(before), words(typed)];
  const numbers = (/** @type {string[]} */ all) => (all.join(" ").match(/\p{N}+/gu) ?? []).join(" ");
  if (second.length === 0 || first.join(" ") === second.join(" ")) return false;
  const isWord = (/** @type {string} */ one) => /\p{L}/u.test(one);
  const isKept = first.filter(isWord).some((one) => second.filter(isWord).some((other) => isNear(one, other)));
  return numbers(first) !== numbers(second) || !isKept;
}
