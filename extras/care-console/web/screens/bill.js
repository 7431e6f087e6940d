// One invoice: shown, paid, refunded, cancelled, printed.

import { Problem, call, list, once } from "../api.js";
import { follow, newest } from "../live.js";
import { may } from "../scopes.js";
import { steady } from "../steady.js";
import { sure } from "../ui/dialog.js";
import { button, h, link, show } from "../ui/dom.js";
import { choice } from "../ui/form.js";
import { lacks } from "../ui/lacks.js";
import { papers, printWhole, tongue } from "../ui/paper.js";
import { refusal } from "../ui/problem.js";
import { DESK, MONEY, STOCK, W } from "../words.js";
import { past } from "./patient.js";
import { correct, methodOf, receipts, receiptsOf, refund } from "./receipts.js";
import { invoiceSheet, labelSheet, left, receiptSheet, unitsOf } from "./sheets.js";
import { takeBack } from "./shelf_forms.js";
import { balance, till } from "./till.js";
import { visitOf } from "./visit_of.js";
import { persons, present } from "./who.js";

/** @typedef {import("../contract.js").Invoice} Invoice */
/** @typedef {import("../contract.js").ListedInvoice} ListedInvoice */
/** @typedef {import("../contract.js").Movement} Movement */
/** @typedef {import("../contract.js").Receipt} Receipt */

/** @param {import("../router.js").Place} place */
export async function bill({ node, signal, parameters: [id = ""], title, say, go, settle }) {
  const path = "/invoice/" + id;
  const person = h("div", {});
  const known = persons(signal);
  const paper = h("article", { class: "paper" });
  const trouble = h("div", {});
  const after = h("div", {});
  const returns = h("div", {});
  const ledger = h("div", { class: "rows" });
  const book = receipts();
  const returning = steady("return " + id, say);
  const refunding = steady("refund " + id, say);
  const correcting = steady("correction " + id, say);
  // Another method is another request.
  let key = once();
  let tag = "";
  /** @type {Invoice["patientId"]} */
  let patient = 0;
  /** Its units, as far as they are known. @type {number | undefined} */
  let quantity;
  const cancel = button(
    W.bill.cancel,
    () =>
      attempt(async () => {
        if (!(await sure(W.bill.sure, W.bill.sureDetail, W.bill.cancel, signal, W.bill.keep))) return;
        await call("DELETE", path, { ifMatch: tag });
        go("/bills", W.bill.cancelled);
      }),
    { class: "quiet" },
  );
  const print = button(W.bill.print, () => printWhole(paper), { class: "quiet" });
  const printed = choice("sheet", MONEY.sheet, []);
  printed.select.addEventListener("change", () => draw());
  const sizes = papers(signal);
  const language = tongue(paper, () => draw());
  const desk = till((by) => attempt(() => take(by)), cancel);
  desk.select.addEventListener("change", () => (key = once()));

  let isBusy = false;
  /** @param {() => Promise<void>} deed */
  async function attempt(deed) {
    if (isBusy) return;
    isBusy = true;
    show(trouble);
    await deed().catch((error) => show(trouble, refusal(error)));
    isBusy = false;
  }

  /** @param {import("./till.js").Method} by */
  async function take(by) {
    const answer = await call("POST", path + "/payment", { once: key, body: { method: by } });
    const data = /** @type {import("../contract.js").History} */ (answer.data);
    await read();
    show(
      after,
      // Whose turn is next sees the screen too: what the patient suffers from stays folded.
      h(
        "details",
        { class: "card" },
        h("summary", {}, W.bill.afterwards),
        past(data),
        may("patient:read") && link("/patients/" + data.patientId, W.patient.open),
      ),
    );
    // Another key may have taken it meanwhile, or an earlier attempt whose answer was lost.
    const held = all[0] && methodOf(all[0], all);
    say(held === undefined || held === by ? W.bill.paid : MONEY.paidBefore(MONEY.methods[held]));
  }

  /** @type {Receipt[]} */
  let all = [];
  /** @type {Record<string, { label: string, draw: () => import("../ui/dom.js").Child[] }>} */
  let sheets = {};
  /** The sheet to choose as soon as it is there. */
  let wanted = "";

  /** Shows the sheet that was chosen as it will be printed. */
  function draw() {
    const chosen = printed.select.value;
    paper.classList.toggle("label", chosen === "label");
    sizes.use(chosen === "label" ? "label" : "sheet");
    language.write(() => sheets[chosen]?.draw() ?? []);
  }

  /** @param {Invoice} invoice @param {Movement[]} lots @param {Movement[]} returned */
  function lay(invoice, lots, returned) {
    const state = all.length === 0 ? "unpaid" : all.some((one) => one.kind === "refund") ? "refunded" : "paid";
    sheets = {
      invoice: { label: MONEY.invoice, draw: () => invoiceSheet(id, invoice, state, lots, returned, quantity) },
    };
    for (const one of all.filter((one) => one.kind !== "correction")) {
      const label = one.creditNoteId === undefined ? MONEY.receipt(one.receiptId) : MONEY.creditNote(one.creditNoteId);
      sheets[one.kind] = {
        label,
        draw: () => receiptSheet(id, invoice, one, methodOf(one, all), unitsOf(lots, quantity)),
      };
    }
    sheets.label = { label: MONEY.label, draw: () => labelSheet(id, invoice, lots, quantity) };
    const chosen = sheets[wanted] ? wanted : printed.select.value || "invoice";
    if (chosen === wanted) wanted = "";
    show(
      printed.select,
      Object.entries(sheets).map(([value, { label }]) => h("option", { value }, label)),
    );
    printed.select.value = chosen;
    draw();
    return state;
  }

  /** Reads the invoice, its receipts and its lots, and shows all at once. */
  const read = newest(async (isLast) => {
    const answer = /** @type {{ data: Invoice, tag: string }} */ (await call("GET", path, { signal }));
    const found = await receiptsOf(id, signal);
    const moved = found.length > 0 ? await handedOut() : [];
    const lots = moved && left(moved);
    const open = found.length > 0 ? undefined : await unpaid(answer.data.patientId);
    const [invoice = answer.data] = await known.marked([answer.data]);
    if (!isLast()) return;
    tag = answer.tag;
    if (patient === 0) {
      void lead(answer.data, found.length === 0);
      show(
        person,
        present(invoice, signal, () => read().catch(() => {})),
      );
    }
    patient = answer.data.patientId;
    quantity = open?.quantity ?? quantity;
    all = found;
    const state = lay(
      invoice,
      lots ?? [],
      (moved ?? []).filter((one) => one.kind === "return"),
    );
    const isPaid = state !== "unpaid";
    if (!lots) show(returns, h("p", { class: "muted" }, STOCK.lotsHidden));
    else show(returns, lots.length > 0 && may("inventory:write") && takeBack(id, lots, returning, cameBack));
    book.update(all);
    desk.ask([answer.data]);
    const isRefundable = isPaid && may("invoice:refund");
    show(
      ledger,
      isPaid && h("section", { class: "card" }, h("h2", {}, MONEY.receipts), book.node, h("p", {}, balance(all))),
      isRefundable && !sheets["refund"] && refund(path, tag, invoice, refunding, signal, settled),
      isRefundable && correct(all, correcting, settled),
    );
    // The focus must not be lost with the button that had it.
    if (isPaid && desk.hasFocus()) print.focus();
    desk.node.hidden = isPaid || !may("invoice:write");
  });

  /** @param {string} text */
  async function settled(text) {
    say(text);
    // News may begin another read, which then shows the sheet in place of this one.
    if (text === MONEY.refunded) wanted = "refund";
    show(after);
    await read();
    print.focus();
  }

  async function cameBack(text = STOCK.cameBack) {
    say(text);
    await read();
    returns.querySelector("summary")?.focus();
  }

  /** Returns what was moved for the invoice, or nothing when the key does not see it. */
  async function handedOut() {
    if (!may("inventory:read")) return undefined;
    const { items } = await list("/movements", { query: { invoiceId: id }, signal, quiet: true });
    return /** @type {Movement[]} */ (items);
  }

  /** Reads the invoice only when it has changed: where reads are audited, each read of it is written down. */
  async function refresh() {
    const found = await receiptsOf(id, signal);
    if (found.length !== all.length || (found.length === 0 && !(await unpaid(patient)))) await read();
  }

  /** This invoice in the list of unpaid ones, unless it was paid or cancelled. @param {Invoice["patientId"]} patientId */
  async function unpaid(patientId) {
    const query = { patientId, state: "unpaid" };
    const { items } = await list("/invoice", { query, signal, quiet: true });
    return /** @type {ListedInvoice[]} */ (items).find((listed) => String(listed.invoiceId) === id);
  }

  /** Links the patient, and the visit where it is certain. @param {Invoice} invoice @param {boolean} isUnpaid */
  async function lead(invoice, isUnpaid) {
    const to =
      may("patient:read") && link("/patients/" + invoice.patientId, DESK.bill.patient, { class: "button quiet" });
    title(W.bill.title(id), to);
    const found = await visitOf(invoice, isUnpaid, signal).catch(() => undefined);
    if (!found || signal.aborted) return;
    title(W.bill.title(id), to, link("/visits/" + found.visit, DESK.bill.visit, { class: "button quiet" }));
    quantity ??= found.quantity;
    draw();
  }
  title(W.bill.title(id));
  if (await returning.learn()) {
    settle("return");
    say(STOCK.wasEntered);
  }
  for (const [sending, form] of /** @type {const} */ ([
    [refunding, "refund"],
    [correcting, "correction"],
  ])) {
    if (!(await sending.learn())) continue;
    settle(form);
    say(STOCK.wasEntered);
  }
  await read();
  node.append(
    person,
    lacks("invoice:write", "invoice:refund"),
    trouble,
    paper,
    desk.node,
    h("div", { class: "actions" }, printed.node, sizes.node, language.node, print),
    after,
    ledger,
    returns,
  );
  follow(() => refresh().catch((error) => error instanceof Problem && error.status === 404 && go("/bills")), signal, [
    "Invoice",
    "Receipt",
  ]);
}
