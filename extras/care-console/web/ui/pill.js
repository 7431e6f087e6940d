// States, in a word and a colour.

import { W } from "../words.js";
import { h } from "./dom.js";

/** @param {string} text @param {"good" | "bad" | "warn" | "calm"} tone */
export const pill = (text, tone) => h("span", { class: `pill ${tone}` }, text);

/** Shows whether a medicine is available. @param {boolean | undefined} isAvailable */
export const stock = (isAvailable) => (isAvailable ? pill(W.inventory.in, "good") : pill(W.inventory.out, "bad"));
