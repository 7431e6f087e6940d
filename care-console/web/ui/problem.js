// Refusals, shown to people.

import { Problem } from "../api.js";
import { W } from "../words.js";
import { h } from "./dom.js";

/**
 * Shows a refusal and its reason. Screen readers read it out at once.
 * @param {unknown} error
 */
export function refusal(error) {
  const problem = error instanceof Problem ? error : new Problem(0, { detail: String(error) });
  const faults = problem.errors.map((fault) =>
    h("li", { lang: problem.language }, W.form.pair(fault.field, fault.detail)),
  );
  return h(
    "div",
    { class: "refusal", role: "alert" },
    h("strong", {}, problem.title),
    problem.message !== problem.title && h("p", {}, problem.message),
    faults.length > 0 && h("ul", {}, faults),
  );
}
