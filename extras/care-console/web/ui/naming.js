// A field that holds the whole name of a medicine.

import { look } from "../medicines.js";
import { folded, meant } from "../names.js";
import { W } from "../words.js";
import { combobox } from "./combobox.js";
import { told } from "./dom.js";

/** The number of names that a field mentions at most. */
const NAMED = 5;

/**
 * Makes a field hold a whole name: one that was chosen from a list, or typed so that it is equal to one. Leaving the
 * field with a part of a single name writes that name out; with a part of several, the field says which.
 * @template {{ medicine: string, folded: string }} T
 * @param {import("./form.js").Control} field
 * @param {object} options
 * @param {() => { items: T[], isAll: boolean, others?: { folded: string }[] }} options.names as far as they are known,
 * and others that may be meant, but that the field cannot hold
 * @param {(item: T) => import("./dom.js").Child[]} options.detail what stands beside a name in the list
 * @param {(text: string) => string} [options.unknown] what is wrong with a text that is in no name, if anything
 * @param {() => void} [options.next] goes on after Enter has chosen
 * @param {boolean} [options.picks] whether Enter chooses the best where none is marked
 */
export function naming(field, { names, detail, unknown = () => "", next, picks }) {
  const { input } = field;
  const suggest = (/** @type {string} */ text, /** @type {number} */ most) =>
    meant(names().items, text, most).map((item) => ({
      value: item.medicine,
      shown: [told(item.medicine), " ", ...detail(item)],
    }));
  const { refresh } = combobox(field, suggest, { picks, next });

  /** The medicine whose whole name stands in the field. */
  function whole() {
    const wanted = folded(input.value);
    return wanted === "" ? undefined : names().items.find((item) => item.folded === wanted);
  }

  /** Why what stands in the field is not sent, if it is not. */
  function wrong() {
    if (input.value.trim() === "" || whole()) return "";
    const found = meant(names().items, input.value, NAMED + 1).map((item) => item.medicine);
    if (found.length === 0) return unknown(input.value);
    return W.suggestions.which(found.slice(0, NAMED), found.length > NAMED);
  }

  /** Writes a name out that alone can be meant, or says what is wrong; returns the medicine. */
  function settle() {
    const { items, isAll, others = [] } = names();
    const own = whole();
    const [only, other] = own || !isAll || input.value.trim() === "" ? [own] : meant(items, input.value, 2);
    const isOther = others.some((item) => item.folded === folded(input.value));
    const isSole = own !== undefined || (other === undefined && !isOther);
    if (only && isSole && only.medicine !== input.value) {
      field.put(only.medicine);
      input.dispatchEvent(new CustomEvent("input", { bubbles: true, detail: "chosen" }));
    }
    const fault = wrong();
    if (fault !== "") field.fault(fault);
    return whole();
  }
  input.addEventListener("blur", settle);
  input.addEventListener("input", () => {
    field.fault("");
    look(input.value).then(refresh, () => {});
  });
  field.wrong = wrong;
  // What is said when the field is left is read out, for the focus is elsewhere by then.
  field.node.querySelector(".fault")?.setAttribute("aria-live", "polite");
  return { whole, wrong, settle, refresh };
}
