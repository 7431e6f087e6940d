// What a screen leaves out, because the key does not open it.

import { may } from "../scopes.js";
import { W } from "../words.js";
import { h } from "./dom.js";

/** Says what the key lacks for the rest of a screen, if anything. @param {...(keyof typeof W.may)} scopes */
export function lacks(...scopes) {
  const missing = scopes.filter((scope) => !may(scope)).map((scope) => W.may[scope]);
  return h("p", { class: "muted lacks", hidden: missing.length === 0 }, W.shell.lacks(missing));
}
