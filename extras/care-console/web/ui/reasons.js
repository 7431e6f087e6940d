// The sentences of an advice, said by their rules in the page's language.

import { PLAN, SPEECH } from "../words.js";
import { h, told } from "./dom.js";

/** @typedef {import("../contract.js").RestockItem["why"][number]} Reasoning */

/**
 * A list of the sentences. One without a rule, or with a rule that the console does not know, stays as the service says it.
 * @param {string[]} sentences @param {Reasoning[]} rules one for each
 */
export function reasons(sentences, rules) {
  const items = sentences.map((sentence, place) => {
    const text = said(rules[place]);
    return h("li", { lang: text === undefined ? "en" : undefined }, told(text ?? sentence));
  });
  return h("ul", { class: "reasons" }, items);
}

/** @param {Reasoning | undefined} reasoning */
function said(reasoning) {
  const text = reasoning && /** @type {Record<string, string>} */ (PLAN.rules)[reasoning.rule];
  const figures = new Map(reasoning?.figures.map(({ name, value }) => [name, value]));
  const figure = (/** @type {string} */ name) => figures.get(name) ?? "";
  return text?.replace(/(- )?\{(\w+)\}(?: \{unit\})?/g, (all, minus = "", name) => {
    const value = figure(name);
    if (name === "packs") return minus + PLAN.packs(Number(value));
    const said = numbered(value) + (all.endsWith("{unit}") ? " " + SPEECH.unit(Number(value), figure("unit")) : "");
    return minus && value.startsWith("-") ? `${minus}(${said})` : minus + said;
  });
}

/** A figure as it is written in the page's language. @param {string} value */
const numbered = (value) => value.replace(/-?\d+(\.\d+)?/g, (number) => SPEECH.n(Number(number)));
