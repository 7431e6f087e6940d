// One invoice: shown, paid, cancelled, printed.

import { Problem, call, list, once } from "../api.js";
import { formId, settle } from "../drafts.js";
import { day, money } from "../formats.js";
import { follow } from "../live.js";
import { go } from "../router.js";
import { may } from "../scopes.js";
import { steady } from "../steady.js";
import { sure } from "../ui/dialog.js";
import { button, h, link, show, told } from "../ui/dom.js";
import { lacks } from "../ui/lacks.js";
import { pill } from "../ui/pill.js";
import { refusal } from "../ui/problem.js";
import { W } from "../words.js";
import { STOCK } from "../words_stock.js";
import { past } from "./patient.js";
import { named, takeBack } from "./shelf_forms.js";

/** @typedef {import("../contract.js").Invoice} Invoice */
/** @typedef {import("../contract.js").ListedInvoice} ListedInvoice */
/** @typedef {import("../contract.js").Movement} Movement */

/** @param {import("../router.js").Place} place */
export async function bill({ node, signal, parameters: [id = ""], title, say }) {
  const path = "/invoice/" + id;
  const paper = h("article", { class: "paper" });
  const trouble = h("div", {});
  const after = h("div", {});
  const returns = h("div", {});
  const key = once();
  const returning = steady("return " + id, say);
  let tag = "";
  /** @type {Invoice["patientId"]} */
  let patient = 0;
  const pay = button(
    W.bill.pay,
    () =>
      attempt(async () => {
        /** @type {{ data: import("../contract.js").History }} */
        const { data } = await call("POST", path + "/payment", { once: key });
        await read();
        show(
          after,
          h(
            "section",
            { class: "card" },
            h("h2", {}, W.bill.afterwards),
            past(data),
            link("/patients/" + data.patientId, W.patient.open),
          ),
        );
        say(W.bill.paid);
      }),
    { class: "primary" },
  );
  const cancel = button(
    W.bill.cancel,
    () =>
      attempt(async () => {
        if (!(await sure(W.bill.sure, W.bill.sureDetail, W.bill.cancel))) return;
        await call("DELETE", path, { ifMatch: tag });
        go("/bills", W.bill.cancelled);
      }),
    { class: "quiet" },
  );
  const print = button(W.bill.print, () => globalThis.print(), { class: "quiet" });

  let isBusy = false;
  /** @param {() => Promise<void>} deed */
  async function attempt(deed) {
    if (isBusy) return;
    isBusy = true;
    show(trouble);
    await deed().catch((error) => show(trouble, refusal(error)));
    isBusy = false;
  }

  let isOpen = true;
  let reads = 0;

  /**
   * Reads the invoice and its lots, and shows both at once. News of the payment cause a read beside the one of the page
   * itself: only the last one that began is shown.
   */
  async function read() {
    reads += 1;
    const own = reads;
    const answer = /** @type {{ data: Invoice, tag: string }} */ (await call("GET", path, { signal }));
    const now = await state(id, answer.data.patientId, signal);
    const isPaid = now !== "unpaid";
    const lots = isPaid ? await handedOut() : [];
    if (own !== reads) return;
    tag = answer.tag;
    patient = answer.data.patientId;
    show(paper, sheet(id, answer.data, now), lots && lines(lots));
    if (!lots) show(returns, h("p", { class: "muted" }, STOCK.lotsHidden));
    else if (lots.length > 0 && may("inventory:write")) show(returns, takeBack(id, lots, returning, cameBack));
    // The focus must not be lost with the button that had it.
    if (isPaid && (pay === document.activeElement || cancel === document.activeElement)) print.focus();
    isOpen = !isPaid;
    pay.hidden = cancel.hidden = isPaid || !may("invoice:write");
  }

  async function cameBack(text = STOCK.cameBack) {
    say(text);
    await read();
    returns.querySelector("summary")?.focus();
  }

  /** Returns what the payment took from which lots, or nothing when the key does not see it. */
  async function handedOut() {
    if (!may("inventory:read")) return undefined;
    const { items } = await list("/movements", { query: { invoiceId: id }, signal, quiet: true });
    return /** @type {Movement[]} */ (items).filter((one) => one.kind === "dispense");
  }

  /** Reads the invoice only when the list has changed: where reads are audited, each read makes news. */
  async function refresh() {
    if (isOpen && (await state(id, patient, signal)) !== "unpaid") await read();
  }
  title(W.bill.title(id));
  if (await returning.learn()) {
    settle(formId(STOCK.takeBack, "units"));
    say(STOCK.wasEntered);
  }
  await read();
  node.append(
    lacks("invoice:write"),
    trouble,
    paper,
    h("div", { class: "actions" }, pay, cancel, print),
    after,
    returns,
  );
  follow(() => refresh().catch((error) => error instanceof Problem && error.status === 404 && go("/bills")), signal);
}

/** Returns the state of the invoice. Only lists contain it. @param {string} id @param {number} patientId @param {AbortSignal} signal */
async function state(id, patientId, signal) {
  for (const wanted of /** @type {const} */ (["unpaid", "refunded"])) {
    const { items } = await list("/invoice", { query: { patientId, state: wanted }, signal, quiet: true });
    if (/** @type {ListedInvoice[]} */ (items).some((listed) => String(listed.invoiceId) === id)) return wanted;
  }
  return "paid";
}

/** The lots that were handed out. @param {Movement[]} lots */
function lines(lots) {
  const items = lots.map((one) => h("li", {}, String(-one.units), " × ", told(named(one))));
  return lots.length > 0 && h("div", {}, h("h2", {}, STOCK.handedOut), h("ul", {}, items));
}

/** @param {string} id @param {Invoice} invoice @param {ListedInvoice["state"]} now */
function sheet(id, invoice, now) {
  const person = [invoice.name ?? W.patients.unnamed(String(invoice.patientId)), invoice.email, invoice.phone];
  const known = person.filter((part) => part !== undefined);
  return [
    h(
      "header",
      {},
      h("div", {}, h("h2", {}, W.bill.title(id)), h("p", { class: "muted" }, day(invoice.invoiceDate))),
      pill(W.bill.states[now], now === "paid" ? "good" : "warn"),
    ),
    h(
      "dl",
      { class: "facts" },
      invoice.companyaddress ? [h("dt", {}, W.bill.from), h("dd", {}, told(invoice.companyaddress))] : [],
      h("dt", {}, W.bill.to),
      h(
        "dd",
        {},
        known.map((part) => h("div", {}, told(part))),
      ),
    ),
    h(
      "div",
      { class: "sum" },
      h("div", {}, told(invoice.medicine), invoice.dosage && h("div", { class: "muted" }, told(invoice.dosage))),
      h("strong", {}, invoice.price === undefined ? W.bill.free : money(invoice.price, invoice.currency)),
    ),
  ];
}
