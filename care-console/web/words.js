// The texts of the page's language. Each file in `words/` has all texts of one language, and only that one is loaded.

import { language } from "./language.js";

/** @typedef {typeof import("./words/en.js")} Words */

/** @type {Words} English stands in for a language that cannot be loaded. */
const words = await import(`./words/${language()}.js`).catch(() => import("./words/en.js"));

export const { W, STOCK, PLAN, MONEY } = words;
