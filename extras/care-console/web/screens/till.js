// The till: how an amount is paid, what is given in cash, and the change.

import { money } from "../formats.js";
import { h, show } from "../ui/dom.js";
import { control, form } from "../ui/form.js";
import { MONEY, SPEECH, W } from "../words.js";
import { methods } from "./receipts.js";

/** @typedef {{ price?: number | bigint, currency?: string }} Priced */
/** @typedef {keyof typeof MONEY.methods} Method */

/** The sums of what has a price, one for each currency. @param {Priced[]} lines @returns {[bigint, string | undefined][]} */
export function sumsOf(lines) {
  const priced = lines.filter((line) => line.price !== undefined);
  const currencies = [...new Set(priced.map((line) => line.currency))];
  return currencies.map((currency) => {
    const own = priced.filter((line) => line.currency === currency);
    return [own.reduce((sum, line) => sum + BigInt(line.price ?? 0), 0n), currency];
  });
}

/** Sums in a text. @param {Priced[]} lines */
export const inAll = (lines) => SPEECH.list(sumsOf(lines).map(([sum, currency]) => money(sum, currency)));

/**
 * Takes amounts. No method is chosen beforehand, so that none is entered by mistake; where nothing is to be paid, none is
 * asked for.
 * @param {(by: Method) => Promise<void>} take
 * @param {...import("../ui/dom.js").Child} more beside the button
 */
export function till(take, ...more) {
  const { select, node: choice } = methods(MONEY.payBy, [["", MONEY.choose]]);
  const given = control({ name: "given", label: MONEY.given, kind: "whole" });
  const change = h("p", { role: "status" });
  /** @type {Priced[]} */
  let due = [];
  // A screen that reads again must not take back that no method is chosen.
  let isAsked = false;
  const { node } = form({
    id: undefined,
    isFilter: true,
    children: [choice],
    controls: () => (given.node.hidden ? [] : [given]),
    go: "",
    async submit() {
      if (due.length > 0 && select.value === "") {
        isAsked = true;
        label();
        return select.focus();
      }
      await take(due.length === 0 ? "other" : /** @type {Method} */ (select.value));
    },
    more,
  });
  const button = /** @type {HTMLElement} */ (node.querySelector("[type=submit]"));
  // What is given is typed after the button: who needs no change passes it by.
  node.append(given.node, change);

  /** Says what is taken, and what is given back. */
  function label() {
    const by = /** @type {Method | ""} */ (select.value);
    const [sum, other] = sumsOf(due);
    choice.hidden = due.length === 0;
    show(button, due.length === 0 ? MONEY.nothingToPay : MONEY.take(inAll(due), by && MONEY.by[by]));
    given.node.hidden = by !== "cash" || !sum || other !== undefined;
    const cash = given.value();
    const back = sum && (typeof cash === "number" || typeof cash === "bigint") ? BigInt(cash) - sum[0] : undefined;
    const isKnown = !given.node.hidden && sum && back !== undefined;
    const lacks = isAsked && due.length > 0 && by === "" && MONEY.noMethod;
    show(
      change,
      lacks || (isKnown && (back < 0n ? MONEY.short(money(-back, sum[1])) : MONEY.change(money(back, sum[1])))),
    );
  }
  select.addEventListener("change", label);
  given.input.addEventListener("input", label);
  return {
    node,
    select,
    /** Says what is to be paid. @param {Priced[]} lines */
    ask(lines) {
      due = lines.filter((line) => line.price !== undefined);
      label();
    },
    /** Whether it has the focus. */
    hasFocus: () => node.contains(document.activeElement),
  };
}

/** What was given back, and what was paid, as a balance. @param {import("../contract.js").Receipt[]} all */
export function balance(all) {
  const signed = all
    .filter((one) => one.kind !== "correction" && one.amount !== undefined)
    .map((one) => ({ price: one.kind === "refund" ? -(one.amount ?? 0) : one.amount, currency: one.currency }));
  return signed.length === 0 ? "" : W.form.pair(MONEY.balance, inAll(/** @type {Priced[]} */ (signed)));
}
