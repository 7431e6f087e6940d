// What a price is the price of, and the fields for one.

import { money } from "../formats.js";
import { medicines } from "../medicines.js";
import { combobox } from "../ui/combobox.js";
import { control } from "../ui/form.js";
import { W } from "../words.js";

/** A price: it is charged for each prescription, whatever its units. @param {number | bigint | undefined} price @param {string | undefined} currency */
export const priced = (price, currency) => (price === undefined ? "" : W.form.each(money(price, currency)));

/** The currencies in use, the most usual first. */
function inUse() {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { currency } of medicines().items)
    if (currency !== undefined) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([currency]) => currency);
}

/** A field for a currency, which is suggested among those in use. @param {string} label @param {string} [value] */
export function currencyField(label, value) {
  const field = control({ name: "currency", label, kind: "currency", value });
  const suggest = (/** @type {string} */ text, /** @type {number} */ most) =>
    inUse()
      .filter((one) => one.startsWith(text.trim().toUpperCase()))
      .slice(0, most)
      .map((one) => ({ value: one, shown: [one] }));
  combobox(field, suggest);
  return field;
}

/** The fields for a price. @param {{ price?: number, currency?: string }} item */
export const priceFields = ({ price, currency }) => [
  control({ name: "price", label: W.inventory.fields.price, kind: "whole", value: price, hint: W.form.wholeAmount }),
  currencyField(W.inventory.fields.currency, currency),
];
