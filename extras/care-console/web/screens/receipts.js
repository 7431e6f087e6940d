// The receipts of an invoice: listed, refunded, corrected. The totals of many.

import { Problem, list } from "../api.js";
import { counting } from "../drafts.js";
import { money, number } from "../formats.js";
import { isAsTyped } from "../steady.js";
import { button, h, show, told } from "../ui/dom.js";
import { choice, control, filled, form, grid } from "../ui/form.js";
import { dated, table } from "../ui/table.js";
import { MONEY, STOCK, W } from "../words.js";
import { toBill } from "./visit_of.js";
import { sureOf } from "./who.js";

/** @typedef {import("../contract.js").Receipt} Receipt */
/** @typedef {import("../contract.js").MethodTotal} MethodTotal */
/** @typedef {ReturnType<typeof import("../steady.js").steady>} Sending */

/** The receipts of an invoice, which say its state. @param {string} id @param {AbortSignal} signal */
export async function receiptsOf(id, signal) {
  const { items } = await list("/receipts", { query: { invoiceId: id }, signal, quiet: true });
  return /** @type {Receipt[]} */ (items);
}

/** The method that holds for a receipt. @param {Receipt} receipt @param {Receipt[]} all those of its invoice */
export const methodOf = ({ receiptId, method }, all) =>
  all.findLast((one) => one.corrects === receiptId)?.method ?? method;

/** A choice among the methods. @param {string} label @param {string[][]} [before] */
export const methods = (label, before = []) => choice("method", label, [...before, ...Object.entries(MONEY.methods)]);

/** Refuses what is sent until there is a choice. @param {HTMLSelectElement} select @param {string} text what to choose */
function need(select, text) {
  if (select.value !== "") return;
  select.focus();
  throw new Problem(422, { title: text, detail: text });
}

/** A table of receipts. @param {string} [caption] @param {boolean} [isOfMany] whether they are those of several invoices */
export function receipts(caption = MONEY.caption, isOfMany = false) {
  const { columns } = MONEY;
  const rows = table({
    caption,
    none: W.form.none,
    key: (/** @type {Receipt} */ receipt) => String(receipt.receiptId),
    columns: [
      { label: columns.receiptId, cell: (receipt) => String(receipt.receiptId) },
      ...(isOfMany
        ? [
            {
              label: W.bills.columns.id,
              cell: (/** @type {Receipt} */ one) => toBill(one.invoiceId),
            },
          ]
        : []),
      {
        label: columns.kind,
        cell: ({ kind, creditNoteId }) =>
          creditNoteId === undefined ? MONEY.kinds[kind] : MONEY.creditNote(creditNoteId),
      },
      {
        label: columns.method,
        cell: ({ method, from }) =>
          from ? MONEY.moved(MONEY.methods[from], MONEY.methods[method]) : MONEY.methods[method],
      },
      {
        label: columns.amount,
        cell: ({ kind, amount, currency }) =>
          money(kind === "refund" && amount !== undefined ? -amount : amount, currency),
        kind: "number",
      },
      { label: columns.day, cell: (receipt) => dated(receipt.day) },
      { label: columns.holder, cell: (receipt) => told(receipt.holder) },
      {
        label: columns.why,
        cell: ({ reason, note }) => [reason ? MONEY.reasons[reason] : "", note && h("div", {}, told(note))],
        isRare: true,
      },
    ],
  });
  return rows;
}

/**
 * Gives the whole amount back, folded up.
 * @param {string} path the invoice's @param {string} tag
 * @param {import("../contract.js").Invoice & import("./who.js").Marked} invoice
 * @param {Sending} sending @param {AbortSignal} signal @param {(text: string) => Promise<void>} done
 */
export function refund(path, tag, invoice, sending, signal, done) {
  const go = MONEY.refundOf(invoice.price === undefined ? W.bill.free : money(invoice.price, invoice.currency));
  const reason = choice("reason", MONEY.reason, [["", MONEY.choose], ...Object.entries(MONEY.reasons)]);
  const method = methods(MONEY.refundBy, [["", MONEY.asPaid]]);
  const note = control({ name: "note", label: MONEY.note, hint: MONEY.noteHint, wide: true });
  const restock = control({ name: "restock", label: MONEY.restock, kind: "check", hint: MONEY.restockHint });
  const reopen = control({ name: "reopen", label: MONEY.reopen, kind: "check", hint: MONEY.reopenHint });
  const controls = [note, restock, reopen];
  const { node, trouble } = form({
    id: "refund",
    children: [
      h("p", {}, MONEY.refundLead),
      h("div", { class: "grid" }, reason.node, method.node),
      grid([note]),
      restock.node,
      reopen.node,
    ],
    controls: () => controls,
    go,
    async submit() {
      need(reason.select, MONEY.noReason);
      const by = method.select.value === "" ? {} : { method: method.select.value };
      const body = { reason: reason.select.value, ...by, ...filled(controls) };
      const question = (/** @type {string} */ who) => MONEY.sureRefund(go, who);
      if (!(await sureOf(invoice, question, MONEY.refundLead, go, signal))) return;
      const made = await sending.make(path + "/refund", body, tag);
      await done(isAsTyped(made, body) ? MONEY.refunded : STOCK.wasEntered);
    },
  });
  reason.select.addEventListener("change", () => show(trouble));
  return h("details", { class: "card" }, h("summary", {}, go), node);
}

/**
 * Corrects the method of a payment or a refund, folded up.
 * @param {Receipt[]} all those of an invoice @param {Sending} sending @param {(text: string) => Promise<void>} done
 */
export function correct(all, sending, done) {
  const open = all.filter((one) => one.kind !== "correction");
  const which = choice(
    "receipt",
    MONEY.which,
    open.map((one) => [
      String(one.receiptId),
      W.form.pair(String(one.receiptId), `${MONEY.kinds[one.kind]}, ${MONEY.methods[methodOf(one, all)]}`),
    ]),
  );
  const method = methods(MONEY.method, [["", MONEY.choose]]);
  const note = control({ name: "note", label: MONEY.note, wide: true });
  // Another method may have been corrected since.
  counting(/** @type {any} */ (method.select), open.map((one) => methodOf(one, all)).join());
  const { node, trouble } = form({
    id: "correction",
    children: [h("p", {}, MONEY.correctLead), h("div", { class: "grid" }, which.node, method.node), grid([note])],
    controls: () => [note],
    go: MONEY.correct,
    async submit() {
      need(method.select, MONEY.noMethod);
      const body = { method: method.select.value, ...filled([note]) };
      const made = await sending.make(`/receipts/${which.select.value}/correction`, body);
      await done(isAsTyped(made, body) ? MONEY.corrected : STOCK.wasEntered);
    },
  });
  method.select.addEventListener("change", () => show(trouble));
  return h("details", { class: "card" }, h("summary", {}, MONEY.correct), node);
}

/** @typedef {Omit<MethodTotal, "method"> & { method?: MethodTotal["method"] }} Total without a method, that of all */

/** A line for all methods of a currency that has several. @param {MethodTotal[]} own @returns {Total[]} */
function all(own) {
  const [first, second] = own;
  if (!first || !second) return [];
  const { method, ...sum } = first;
  for (const name of /** @type {const} */ (["payments", "paid", "refunds", "refunded", "moved", "net"]))
    sum[name] = own.reduce((sum, one) => sum + Number(one[name]), 0);
  return [sum];
}

/**
 * A table of totals. Amounts in different currencies are never added.
 * @param {(total: Total) => Promise<void>} [open] shows the receipts behind a line
 */
export function totals(open) {
  const { columns } = MONEY.takings;
  const rows = table({
    caption: MONEY.takings.caption,
    none: MONEY.takings.none,
    key: (/** @type {Total} */ total) => `${total.currency ?? ""} ${total.method ?? ""}`,
    columns: [
      {
        label: columns.method,
        cell: (total) => {
          const name = total.method ? MONEY.methods[total.method] : MONEY.takings.all;
          return open ? button(name, () => open(total), { class: "quiet" }) : name;
        },
      },
      { label: columns.currency, cell: (total) => total.currency ?? MONEY.takings.noCurrency },
      { label: columns.payments, cell: (total) => number(total.payments), kind: "number" },
      { label: columns.paid, cell: (total) => number(total.paid), kind: "number" },
      { label: columns.refunds, cell: (total) => number(total.refunds), kind: "number" },
      { label: columns.refunded, cell: (total) => number(total.refunded), kind: "number" },
      { label: columns.moved, cell: (total) => number(total.moved), kind: "number" },
      { label: columns.net, cell: (total) => h("strong", {}, number(total.net)), kind: "number" },
    ],
  });
  return {
    node: rows.node,
    /** @param {Pick<import("../contract.js").Takings, "totals" | "beyond">} takings @param {{ flash?: boolean }} [how] */
    update({ totals, beyond = [] }, how) {
      const exact = [...new Set(totals.map((one) => one.currency))].flatMap((currency) => {
        const own = totals.filter((one) => one.currency === currency);
        return [...own, ...(beyond.some((one) => one.currency === currency) ? [] : all(own))];
      });
      rows.update(exact, how);
    },
  };
}

/**
 * The currencies without an exact sum, as a sentence; empty when every sum is exact.
 * @param {{ currency?: string, method?: keyof typeof MONEY.methods }[]} [beyond]
 */
export function inexact(beyond = []) {
  const named = beyond.map(({ currency, method }) =>
    [currency || MONEY.takings.noCurrency, method && MONEY.methods[method]].filter(Boolean).join(" "),
  );
  return named.length === 0 ? "" : MONEY.takings.beyond(named);
}
