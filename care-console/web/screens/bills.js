// Invoices, the unpaid ones first.

import { call } from "../api.js";
import { day, money } from "../formats.js";
import { follow } from "../live.js";
import { button, h, link, told } from "../ui/dom.js";
import { table } from "../ui/table.js";
import { W } from "../words.js";

/** @typedef {import("../contract.js").ListedInvoice} ListedInvoice */
/** @typedef {"unpaid" | "paid" | "refunded"} State */

const PAGE = 50;

/** @param {import("../router.js").Place} place */
export async function bills({ node, signal, title, kept }) {
  title(W.screens.bills);
  /** @type {State} */
  let state = /** @type {State | undefined} */ (kept["state"]) ?? "unpaid";
  let wanted = Number(kept["wanted"] ?? PAGE);
  const { columns } = W.bills;
  const rows = table({
    caption: W.screens.bills,
    none: W.bills.none,
    key: (/** @type {ListedInvoice} */ invoice) => String(invoice.invoiceId),
    columns: [
      {
        label: columns.id,
        cell: (invoice) => link("/bills/" + invoice.invoiceId, W.bill.title(String(invoice.invoiceId))),
      },
      {
        label: columns.name,
        cell: (invoice) => told(invoice.name ?? W.patients.unnamed(String(invoice.patientId))),
        kind: "wide",
      },
      { label: columns.medicine, cell: (invoice) => told(invoice.medicine) },
      { label: columns.date, cell: (invoice) => day(invoice.invoiceDate) },
      { label: columns.price, cell: (invoice) => money(invoice.price, invoice.currency), kind: "number" },
    ],
  });
  const states = /** @type {State[]} */ (["unpaid", "paid", "refunded"]).map((name) =>
    button(W.bills[name], () => choose(name), { "aria-pressed": String(name === state), "data-state": name }),
  );
  const more = button(
    W.bills.more,
    () => {
      wanted += PAGE;
      return read();
    },
    { class: "quiet" },
  );

  /** @param {State} name */
  async function choose(name) {
    state = name;
    wanted = PAGE;
    states.forEach((each) => each.setAttribute("aria-pressed", String(each.dataset.state === name)));
    await read();
  }

  async function read() {
    Object.assign(kept, { state, wanted });
    /** @type {ListedInvoice[]} */
    const items = [];
    let after;
    do {
      /** @type {{ data: { items: ListedInvoice[], next?: string } }} */
      const { data } = await call("GET", "/invoice", { query: { state, limit: PAGE, after }, signal });
      items.push(...data.items);
      after = data.next;
    } while (after !== undefined && items.length < wanted);
    rows.update(items, { flash: true });
    more.hidden = after === undefined;
  }
  node.append(h("div", { class: "forms", role: "group", "aria-label": W.bills.which }, states), rows.node, more);
  await read();
  follow(() => read().catch(() => {}), signal, ["Invoice"]);
}
