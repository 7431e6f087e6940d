// Refusals, shown to people.

import { Problem } from "../api.js";
import { STOCK, W } from "../words.js";
import { h } from "./dom.js";

/** How a field is called, or its name where it stands in no form. @param {string} field such as `lines[0].expires` */
function called(field) {
  /** @type {Record<string, string>} */
  const labels = { ...W.inventory.fields, ...W.patient.fields, ...STOCK.fields, date: W.visit.date };
  return labels[/\w*$/.exec(field)?.[0] ?? ""] ?? field;
}

/**
 * Shows a refusal and its reason. Screen readers read it out at once.
 * @param {unknown} error
 */
export function refusal(error) {
  const problem = error instanceof Problem ? error : new Problem(0, { detail: String(error) });
  const faults = problem.errors.map((fault) =>
    h("li", {}, called(fault.field), W.form.colon, h("span", { lang: problem.language }, fault.detail)),
  );
  return h(
    "div",
    { class: "refusal", role: "alert" },
    h("strong", {}, problem.title),
    problem.message !== problem.title && h("p", {}, problem.message),
    faults.length > 0 && h("ul", {}, faults),
  );
}
