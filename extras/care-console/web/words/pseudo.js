// English in words that are two fifths longer, each text between brackets: for checks of the console's room, and of what
// is said without a text of `words/`.

import { speech } from "../speech.js";
import * as english from "./en.js";

/** What a text is given stands in it as it is, under these signs meanwhile. */
const GIVEN = 0xe000;

/** @param {string} text */
const stretched = (text) =>
  /\p{L}/u.test(text)
    ? `⟦${text.replace(/\{.*?\}|[aeiouy]/gi, (part) => (part.length > 1 ? part : part + part))}⟧`
    : text;

/** @template T @param {T} part @returns {T} */
function longer(part) {
  if (typeof part === "string") return /** @type {T} */ (stretched(part));
  if (typeof part === "function") return /** @type {T} */ (saying(/** @type {any} */ (part)));
  if (Array.isArray(part)) return /** @type {T} */ (part.map(longer));
  const members = Object.entries(/** @type {object} */ (part)).map(([name, inner]) => [name, longer(inner)]);
  return /** @type {T} */ (Object.fromEntries(members));
}

/** @param {(...given: unknown[]) => string} say */
function saying(say) {
  /** @param {...unknown} given */
  const said = (...given) => {
    /** @type {string[]} */
    const kept = [];
    /** @param {unknown} one @returns {unknown} */
    const sign = (one) => {
      if (Array.isArray(one)) return one.map(sign);
      return typeof one === "string" && one !== "" ? String.fromCharCode(GIVEN + kept.push(one)) : one;
    };
    const text = stretched(say(...given.map(sign)));
    return text.replace(/[\ue000-\uf8ff]/g, (at) => kept[at.charCodeAt(0) - GIVEN - 1] ?? "");
  };
  return Object.defineProperty(said, "length", { value: say.length });
}

export const SPEECH = speech("en-GB-x-pseudo");
export const W = longer(english.W);
export const STOCK = longer(english.STOCK);
export const PLAN = longer(english.PLAN);
export const MONEY = longer(english.MONEY);
export const DESK = longer(english.DESK);
