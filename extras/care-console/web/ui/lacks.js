// What a screen leaves out: what the key does not open, and the rest of a list that was cut.

import { may } from "../scopes.js";
import { DESK, W } from "../words.js";
import { h } from "./dom.js";

/** Says what the key lacks for the rest of a screen, if anything. @param {...(keyof typeof W.may)} scopes */
export function lacks(...scopes) {
  const missing = scopes.filter((scope) => !may(scope)).map((scope) => W.may[scope]);
  return h("p", { class: "muted lacks", hidden: missing.length === 0 }, W.shell.lacks(missing));
}

/** Says that only a part of a list is shown, unless it is hidden. @param {string} [text] which part */
export const cut = (text = DESK.recall.more) => h("p", { class: "note", hidden: true }, text);
