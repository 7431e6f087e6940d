// The paper that a sheet is printed on.

import { tab } from "../tab.js";
import { MONEY } from "../words.js";
import { choice } from "./form.js";

/** The size that was chosen last. @type {ReturnType<typeof tab<string>>} */
const chosen = tab("care.paper", 1);

/**
 * A choice of paper. It holds until the signal, for what is printed elsewhere has the printer's own paper.
 * @param {AbortSignal} signal
 */
export function papers(signal) {
  const { node, select } = choice("paper", MONEY.paper, Object.entries(MONEY.papers));
  const { dataset } = document.documentElement;
  select.value = dataset.paper = chosen.get("size") ?? "a4";
  select.addEventListener("change", () => {
    dataset.paper = select.value;
    chosen.put("size", select.value);
  });
  signal.addEventListener("abort", () => delete dataset.paper);
  return node;
}
