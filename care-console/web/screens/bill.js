// One invoice: shown, paid, cancelled, printed.

import { Problem, call, list, once } from "../api.js";
import { day, money } from "../formats.js";
import { follow } from "../live.js";
import { go } from "../router.js";
import { sure } from "../ui/dialog.js";
import { button, h, link, show, told } from "../ui/dom.js";
import { pill } from "../ui/pill.js";
import { refusal } from "../ui/problem.js";
import { W } from "../words.js";
import { STOCK } from "../words_stock.js";
import { past } from "./patient.js";
import { takeBack } from "./shelf_forms.js";

/** @typedef {import("../contract.js").Invoice} Invoice */
/** @typedef {import("../contract.js").ListedInvoice} ListedInvoice */

/** @param {import("../router.js").Place} place */
export async function bill({ node, signal, parameters: [id = ""], title, say }) {
  const path = "/invoice/" + id;
  const paper = h("article", { class: "paper" });
  const trouble = h("div", {});
  const after = h("div", {});
  const returns = h("div", {});
  const key = once();
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

  /** @param {() => Promise<void>} deed */
  async function attempt(deed) {
    show(trouble);
    await deed().catch((error) => show(trouble, refusal(error)));
  }

  async function read() {
    const answer = /** @type {{ data: Invoice, tag: string }} */ (await call("GET", path, { signal }));
    tag = answer.tag;
    patient = answer.data.patientId;
    const isPaid = (await state(id, patient, signal)) === "paid";
    show(paper, sheet(id, answer.data, isPaid));
    if (isPaid) await handOut();
    // The focus must not be lost with the button that had it.
    if (isPaid && (pay === document.activeElement || cancel === document.activeElement)) print.focus();
    pay.hidden = cancel.hidden = isPaid;
  }
  /** Shows from which lots the payment took. */
  async function handOut() {
    const { items } = await list("/movements", { query: { invoiceId: id }, signal, quiet: true }).catch(() => ({
      items: [],
    }));
    const lots = /** @type {import("../contract.js").Movement[]} */ (items).filter((one) => one.kind === "dispense");
    if (lots.length === 0) return;
    const lines = lots.map((one) => {
      const lot = STOCK.lotOf(one.lot ?? "", one.expires ? day(one.expires) : "") || STOCK.noLot;
      return h("li", {}, String(-one.units), " × ", told(lot));
    });
    paper.append(h("div", {}, h("h2", {}, STOCK.handedOut), h("ul", {}, lines)));
    show(
      returns,
      takeBack(id, lots, () => (say(STOCK.cameBack), read())),
    );
  }

  /** Reads the invoice only when the list has changed: where reads are audited, each read makes news. */
  async function refresh() {
    if (!pay.hidden && (await state(id, patient, signal)) === "paid") await read();
  }
  title(W.bill.title(id));
  await read();
  node.append(trouble, paper, h("div", { class: "actions" }, pay, cancel, print), after, returns);
  follow(() => refresh().catch((error) => error instanceof Problem && error.status === 404 && go("/bills")), signal);
}

/** Returns the state of the invoice. Only lists contain it. @param {string} id @param {number} patientId @param {AbortSignal} signal */
async function state(id, patientId, signal) {
  const { items } = await list("/invoice", { query: { patientId, state: "unpaid" }, signal, quiet: true });
  const isUnpaid = /** @type {ListedInvoice[]} */ (items).some((listed) => String(listed.invoiceId) === id);
  return isUnpaid ? "unpaid" : "paid";
}

/** @param {string} id @param {Invoice} invoice @param {boolean} isPaid */
function sheet(id, invoice, isPaid) {
  const person = [invoice.name ?? W.patients.unnamed(String(invoice.patientId)), invoice.email, invoice.phone];
  const known = person.filter((part) => part !== undefined);
  return [
    h(
      "header",
      {},
      h("div", {}, h("h2", {}, W.bill.title(id)), h("p", { class: "muted" }, day(invoice.invoiceDate))),
      isPaid ? pill(W.bill.states.paid, "good") : pill(W.bill.states.unpaid, "warn"),
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
