// What is handed out on paper: an invoice, a receipt or a credit note, a label for the medicine, the slip of the drawer.

import { day, money, number } from "../formats.js";
import { facility, printsAllergies } from "../scopes.js";
import { h, link, told } from "../ui/dom.js";
import { labels } from "../ui/labels.js";
import { pill } from "../ui/pill.js";
import { table } from "../ui/table.js";
import { DESK, MONEY, STOCK, W } from "../words.js";
import { inexact, methodOf, totals } from "./receipts.js";
import { named } from "./shelf_forms.js";
import { allergies, apart } from "./who.js";

/** @typedef {import("../contract.js").Invoice} Invoice */
/** @typedef {import("../contract.js").ListedInvoice} ListedInvoice */
/** @typedef {import("../contract.js").Movement} Movement */
/** @typedef {import("../contract.js").Receipt} Receipt */
/** @typedef {import("../contract.js").Takings} Takings */

/** How the patient of an invoice is called. @param {Invoice} invoice */
const called = (invoice) => invoice.name ?? W.patients.unnamed(String(invoice.patientId));

/**
 * @param {string} id @param {Invoice} invoice @param {ListedInvoice["state"]} now @param {Movement[]} lots still out
 * @param {Movement[]} returned what came back
 * @param {number} [units]
 */
export function invoiceSheet(id, invoice, now, lots, returned, units) {
  return [
    head(W.bill.title(id), invoice.invoiceDate, stateOf(now)),
    parties(invoice, []),
    sum(invoice, invoice.price === undefined ? W.bill.free : money(invoice.price, invoice.currency)),
    units !== undefined && lots.length + returned.length === 0 && h("p", {}, MONEY.quantity(units)),
    lots.length > 0 && listed(STOCK.handedOut, lots.map(lotOf)),
    returned.length > 0 &&
      listed(
        STOCK.kinds.return,
        returned.map((one) => `${number(one.units)} × ${named(one)}`),
      ),
  ];
}

/**
 * A receipt for the payment of an invoice, or a credit note for its refund.
 * @param {string} id the invoice's @param {Invoice} invoice @param {Receipt} receipt
 * @param {Receipt["method"]} method the one that holds after its corrections
 * @param {number | undefined} units
 */
export function receiptSheet(id, invoice, receipt, method, units) {
  const isRefund = receipt.kind === "refund";
  const title = receipt.creditNoteId === undefined ? receipt.receiptId : receipt.creditNoteId;
  const amount = receipt.amount === undefined ? W.bill.free : money(receipt.amount, receipt.currency);
  /** @type {[string, string][]} */
  const facts = [
    [MONEY.of, W.bill.title(id)],
    ...(isRefund ? [/** @type {[string, string]} */ ([MONEY.columns.receiptId, String(receipt.receiptId)])] : []),
    [MONEY.method, MONEY.methods[method]],
    ...(receipt.reason ? [/** @type {[string, string]} */ ([MONEY.columns.why, MONEY.reasons[receipt.reason]])] : []),
  ];
  return [
    head(isRefund ? MONEY.creditNote(title) : MONEY.receipt(title), receipt.day),
    parties(invoice, facts),
    sum(invoice, W.form.pair(isRefund ? MONEY.amountBack : MONEY.amountPaid, amount)),
    units !== undefined && !isRefund && h("p", {}, MONEY.quantity(units)),
  ];
}

/**
 * The bill of a visit: its invoices, how they were paid, what was handed out for them, and a sum for each currency.
 * @param {object} bill
 * @param {ListedInvoice[]} bill.lines
 * @param {Map<string, Movement[]>} bill.lots by the number of the invoice, as all that follows
 * @param {Map<string, string>} bill.refused why the payment of an invoice was refused, which is not printed
 * @param {Map<string, Receipt[]>} bill.book
 * @param {string[]} bill.gone the invoices that were cancelled meanwhile
 */
export function billSheet({ lines, lots, refused, book, gone }) {
  const { columns } = DESK.bill;
  const first = lines[0];
  const rows = table({
    caption: DESK.bill.caption,
    none: W.patient.noInvoices,
    isFixed: true,
    key: (/** @type {ListedInvoice} */ line) => String(line.invoiceId),
    columns: [
      { label: columns.id, cell: (line) => link("/bills/" + line.invoiceId, String(line.invoiceId)) },
      {
        label: columns.medicine,
        cell: (line) => h("div", {}, told(line.medicine), handedOutOf(line, lots.get(String(line.invoiceId)) ?? [])),
        kind: "wide",
      },
      {
        label: columns.units,
        cell: (line) => (line.quantity === undefined ? W.form.none : number(line.quantity)),
        kind: "number",
      },
      {
        label: columns.price,
        cell: (line) => (line.price === undefined ? W.bill.free : money(line.price, line.currency)),
        kind: "number",
      },
      {
        label: columns.state,
        cell: (line) => [
          stateOf(line.state),
          ...paidBy(book.get(String(line.invoiceId)) ?? []),
          refusedAs(refused.get(String(line.invoiceId))),
        ],
      },
    ],
  });
  rows.update(lines);
  return [
    head(DESK.bill.title, first?.invoiceDate),
    first && parties(first, []),
    rows.node,
    ...gone.map((id) => h("p", {}, DESK.bill.gone(id))),
    ...sums(lines).map(([label, amount]) => h("div", { class: "sum" }, label, h("strong", {}, amount))),
  ];
}

/** The receipts of an invoice, each with its method and who took it. @param {Receipt[]} all */
const paidBy = (all) =>
  all
    .filter((one) => one.kind !== "correction")
    .map((one) => {
      const name = one.creditNoteId === undefined ? MONEY.receipt(one.receiptId) : MONEY.creditNote(one.creditNoteId);
      return h("div", { class: "muted" }, told(`${name}, ${MONEY.methods[methodOf(one, all)]}, ${one.holder}`));
    });

/** What is still out of what was handed out, a line for each lot. @param {Movement[]} moved for one invoice */
export function left(moved) {
  /** @type {Map<string, Movement>} */
  const lots = new Map();
  for (const one of moved.filter(({ kind }) => kind === "dispense" || kind === "return")) {
    const before = lots.get(named(one));
    lots.set(named(one), before ? { ...before, units: before.units + one.units } : one);
  }
  return [...lots.values()].filter((one) => one.units < 0);
}

/** @param {ListedInvoice["state"]} state */
const stateOf = (state) => pill(W.bill.states[state], state === "paid" ? "good" : "warn");

/** @param {string | undefined} reason */
const refusedAs = (reason) => reason !== undefined && h("p", { class: "refusal" }, reason);

/** The units of an invoice: those of its lots, or those that were prescribed. @param {Movement[]} lots @param {number} [prescribed] */
export const unitsOf = (lots, prescribed) => lots.reduce((sum, lot) => sum - lot.units, 0) || prescribed;

/** Units of a lot that were handed out. @param {Movement} lot */
const lotOf = (lot) => `${number(-lot.units)} × ${named(lot)}`;

/** How an invoice's medicine is taken, and the lots it was taken from. @param {ListedInvoice} line @param {Movement[]} lots */
function handedOutOf(line, lots) {
  return [line.dosage ?? "", ...lots.map(lotOf)]
    .filter(Boolean)
    .map((text) => h("div", { class: "muted" }, told(text)));
}

/**
 * The sums of invoices, which are never added across currencies: of all that were not refunded, and of the unpaid ones
 * once others are paid.
 * @param {ListedInvoice[]} lines @returns {[string, string][]}
 */
function sums(lines) {
  const priced = lines.filter((line) => line.price !== undefined && line.state !== "refunded");
  const currencies = [...new Set(priced.map((line) => line.currency))];
  const add = (/** @type {ListedInvoice[]} */ some) => some.reduce((sum, line) => sum + BigInt(line.price ?? 0), 0n);
  return currencies.flatMap((currency) => {
    const own = priced.filter((line) => line.currency === currency);
    const open = own.filter((line) => line.state === "unpaid");
    /** @type {[string, string][]} */
    const shown = [[DESK.bill.sum, money(add(own), currency)]];
    if (open.length > 0 && lines.some((line) => line.state !== "unpaid"))
      shown.push([DESK.bill.open, money(add(open), currency)]);
    return shown;
  });
}

/**
 * The labels for the medicine: what, how much, how it is taken, whose it is, since when, from where and from which lots.
 * @param {string} id the invoice's @param {Invoice} invoice @param {Movement[]} lots @param {number} [quantity]
 */
export function labelSheet(id, invoice, lots, quantity) {
  const units = unitsOf(lots, quantity);
  const person = String(invoice.patientId);
  const texts = [
    invoice.medicine,
    units === undefined ? "" : MONEY.quantity(units),
    invoice.dosage ?? "",
    invoice.name === undefined ? called(invoice) : `${invoice.name}, ${DESK.find.number(person)}`,
    day(invoice.invoiceDate),
    facility().join(", "),
    ...lots.map(lotOf),
  ];
  const found = labels(texts, (number, of) => `${MONEY.part(number, of)}, ${W.bill.title(id)}`);
  return found ?? [h("p", { class: "refusal", role: "alert" }, MONEY.tooLong)];
}

/**
 * The slip of a drawer over receipts by number.
 * @param {Takings} takings @param {string} at
 * @param {number | undefined} float what was in the drawer before @param {number | undefined} counted what is in it now
 */
export function slipSheet(takings, at, float, counted) {
  const { above = 0, upto = 0 } = takings;
  const report = totals();
  report.update(takings);
  const cash = takings.totals.filter((one) => one.method === "cash");
  // What was put in is of one currency: it is compared where nothing else was taken in cash.
  const [own, other] = cash;
  const expected = (float ?? 0) + Number(own?.net ?? 0);
  const amount = (/** @type {number} */ value) => money(value, own?.currency);
  const isKnown = !other && (float !== undefined || counted !== undefined);
  const drawer = /** @type {[string, string][]} */ ([
    ...(isKnown ? [[MONEY.takings.float, amount(float ?? 0)]] : []),
    ...(isKnown ? [[MONEY.takings.expected, amount(expected)]] : []),
    [MONEY.takings.cash, isKnown && counted !== undefined ? amount(counted) : ""],
    ...(isKnown && counted !== undefined ? [[MONEY.takings.difference, amount(counted - expected)]] : []),
    [MONEY.takings.counted, ""],
  ]);
  return [
    head(MONEY.takings.slip, undefined, at),
    h("p", {}, MONEY.takings.range(above + 1, upto)),
    h("p", {}, MONEY.takings.count(takings.receipts, takings.unpriced)),
    report.node,
    takings.beyond && h("p", {}, inexact(takings.beyond)),
    h(
      "dl",
      { class: "facts" },
      drawer.flatMap(([label, text]) => [h("dt", {}, label), h("dd", { class: text === "" && "blank" }, text)]),
    ),
    h("p", {}, MONEY.takings.next(upto)),
  ];
}

/** @param {string} title @param {string | undefined} date @param {import("../ui/dom.js").Child} [beside] */
function head(title, date, beside) {
  const shown = date && h("p", { class: "muted" }, day(date));
  const from = facility().map((text) => h("p", { class: "muted" }, told(text)));
  return h("header", {}, h("div", {}, h("h2", {}, title), shown, from), beside);
}

/**
 * From whom, to whom, and what else is known.
 * @param {Invoice & import("./who.js").Marked} invoice @param {[string, string][]} more
 */
function parties(invoice, more) {
  const { name, email, ...person } = invoice;
  const known = [name, apart(person), email].filter((part) => part !== undefined);
  return h(
    "dl",
    { class: "facts" },
    h("dt", {}, W.bill.to),
    h(
      "dd",
      {},
      known.map((part) => h("div", {}, told(part))),
      printsAllergies() && allergies(invoice),
    ),
    more.flatMap(([label, text]) => [h("dt", {}, label), h("dd", {}, text)]),
  );
}

/** @param {Invoice} invoice @param {string} amount */
function sum(invoice, amount) {
  return h(
    "div",
    { class: "sum" },
    h("div", {}, told(invoice.medicine), invoice.dosage && h("div", { class: "muted" }, told(invoice.dosage))),
    h("strong", {}, amount),
  );
}

/** @param {string} title @param {string[]} texts */
const listed = (title, texts) =>
  h(
    "div",
    {},
    h("h2", {}, title),
    h(
      "ul",
      {},
      texts.map((text) => h("li", {}, told(text))),
    ),
  );
