// The texts of the page's language. Each file in `words/` has all texts of one language, and only that one is loaded.

import { choose, language } from "./language.js";

/** @typedef {typeof import("./words/en.js")} Words */

// Their content changes with the language: what keeps a text must make it anew.
export const W = /** @type {Words["W"]} */ ({});
export const STOCK = /** @type {Words["STOCK"]} */ ({});
export const PLAN = /** @type {Words["PLAN"]} */ ({});
export const MONEY = /** @type {Words["MONEY"]} */ ({});
export const DESK = /** @type {Words["DESK"]} */ ({});
export const SPEECH = /** @type {Words["SPEECH"]} */ ({});

/** @type {Words} the page's */
let own;

/** Puts the texts of a language in their places. @param {Words} words */
function use(words) {
  Object.assign(W, words.W);
  Object.assign(STOCK, words.STOCK);
  Object.assign(PLAN, words.PLAN);
  Object.assign(MONEY, words.MONEY);
  Object.assign(DESK, words.DESK);
  Object.assign(SPEECH, words.SPEECH);
}

/** Loads the page's language, or English in its place. */
async function load() {
  own = await import(`./words/${language()}.js`).catch(() => import("./words/en.js"));
  use(own);
  const { documentElement } = document;
  documentElement.lang = SPEECH.language;
  documentElement.dir = SPEECH.direction;
}
await load();

/** Makes something at once, in the words that it is given in. @typedef {(make: () => void) => void} Saying */

/** Returns what makes something in another language than the page's. @param {string} wanted @returns {Promise<Saying>} */
export async function saying(wanted) {
  const words = await import(`./words/${wanted}.js`);
  return (make) => {
    use(words);
    try {
      make();
    } finally {
      use(own);
    }
  };
}

/** Changes the language of the page, and of this browser. @param {string} wanted */
export async function speak(wanted) {
  choose(wanted);
  await load();
}
