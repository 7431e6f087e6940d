// The texts of the page's language. Each file in `words/` has all texts of one language, and only that one is loaded.

import { choose, language } from "./language.js";

/** @typedef {typeof import("./words/en.js")} Words */

/** Loads the page's language, or English in its place. @returns {Promise<Words>} */
async function load() {
  /** @type {Words} */
  const words = await import(`./words/${language()}.js`).catch(() => import("./words/en.js"));
  const { documentElement } = document;
  documentElement.lang = words.SPEECH.language;
  documentElement.dir = words.SPEECH.direction;
  return words;
}

// They change with the language: what keeps a text must make it anew.
export let { W, STOCK, PLAN, MONEY, DESK, SPEECH } = await load();

/** Changes the language of the page, and of this browser. @param {string} wanted */
export async function speak(wanted) {
  choose(wanted);
  ({ W, STOCK, PLAN, MONEY, DESK, SPEECH } = await load());
}
