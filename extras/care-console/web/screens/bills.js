// Invoices by state, patient and day, the newest first.

import { call } from "../api.js";
import { money } from "../formats.js";
import { follow } from "../live.js";
import { ask, asked, go } from "../router.js";
import { may } from "../scopes.js";
import { button, h, link, show, told } from "../ui/dom.js";
import { control, form } from "../ui/form.js";
import { pill } from "../ui/pill.js";
import { dated, table } from "../ui/table.js";
import { taken } from "../typed.js";
import { DESK, W } from "../words.js";
import { people } from "./people.js";
import { inAll } from "./till.js";
import { toBill } from "./visit_of.js";
import { among, apart, persons } from "./who.js";

/** @typedef {import("../contract.js").ListedInvoice} ListedInvoice */
/** @typedef {"all" | "unpaid" | "paid" | "refunded"} State */

const PAGE = 50;
const STATES = /** @type {State[]} */ (["unpaid", "paid", "refunded", "all"]);
/** The number of patients among whom one is chosen. */
const NAMESAKES = 8;

/** @param {import("../router.js").Place} place */
export async function bills({ node, signal, title, kept }) {
  title(W.screens.bills);
  const words = DESK.bills;
  const known = persons(signal);
  const given = asked();
  let state = STATES.find((name) => name === given.get("state")) ?? "unpaid";
  let patientId = given.get("patient") ?? undefined;
  let wanted = Number(kept["wanted"] ?? PAGE);
  const { columns } = W.bills;
  const rows = table({
    caption: W.screens.bills,
    none: W.bills.none,
    key: (/** @type {ListedInvoice} */ invoice) => String(invoice.invoiceId),
    columns: [
      {
        label: columns.id,
        cell: (invoice) => toBill(invoice.invoiceId),
      },
      { label: columns.name, cell: (invoice) => among(invoice), kind: "wide" },
      { label: columns.medicine, cell: (invoice) => told(invoice.medicine) },
      { label: columns.date, cell: (invoice) => dated(invoice.invoiceDate) },
      { label: columns.price, cell: (invoice) => money(invoice.price, invoice.currency), kind: "number" },
      {
        label: columns.state,
        cell: (invoice) => pill(W.bill.states[invoice.state], invoice.state === "paid" ? "calm" : "warn"),
      },
      {
        label: W.inventory.columns.actions,
        cell: ({ state, invoiceId }) =>
          state === "unpaid" &&
          may("invoice:write") &&
          link("/bills/" + invoiceId, DESK.today.pay, {
            class: "button quiet",
            "aria-label": W.form.pair(DESK.today.pay, W.bill.title(String(invoiceId))),
          }),
        kind: "actions",
      },
    ],
  });
  const number = control({ name: "number", label: words.number, kind: "whole" });
  const patient = control({
    name: "patient",
    label: words.patient,
    hint: words.patientHint,
    value: patientId && "#" + patientId,
  });
  const from = control({ name: "from", label: W.restock.from, kind: "day", value: given.get("from") ?? undefined });
  const to = control({ name: "to", label: W.restock.to, kind: "day", value: given.get("to") ?? undefined });
  const namesakes = h("div", { class: "forms", role: "group", "aria-label": words.which });
  const count = h("p", { class: "muted", role: "status" });
  const { node: filters } = form({
    id: undefined,
    isFilter: true,
    children: [may("patient:read") && patient.node, number.node, from.node, to.node],
    controls: () => [patient, number, from, to],
    go: words.show,
    async submit() {
      if (number.value() !== undefined) return go("/bills/" + number.value());
      if (!(await choosePatient())) return;
      wanted = PAGE;
      await read();
    },
    more: [button(words.clear, clear, { class: "quiet" })],
  });
  const states = STATES.map((name) =>
    button(name === "all" ? words.all : W.bills[name], () => choose(name), {
      "aria-pressed": String(name === state),
      "data-state": name,
    }),
  );
  const more = button(
    W.bills.more,
    () => {
      wanted += PAGE;
      return read();
    },
    { class: "quiet" },
  );

  /** Returns whether the patient is certain, or none is asked for. Of several, one is to be chosen. */
  async function choosePatient() {
    show(namesakes);
    const text = String(patient.value() ?? "").trim();
    patientId = /^#(\d+)$/.exec(text)?.[1];
    if (text === "" || patientId !== undefined) return true;
    const { found, more } = await people(text, NAMESAKES, signal);
    const only = taken(undefined, found, !more);
    if (found.length === 0) {
      patient.fault(W.patients.none);
      patient.input.focus();
    } else if (only) {
      take(String(only.patientId));
      return true;
    } else {
      show(
        namesakes,
        h("p", {}, words.which),
        found.map((one) =>
          button(among(one, { detail: apart(one) }), () => {
            take(String(one.patientId));
            show(namesakes);
            return read();
          }),
        ),
      );
      namesakes.querySelector("button")?.focus();
    }
    return false;
  }

  /** @param {string} id */
  function take(id) {
    patientId = id;
    patient.put("#" + id);
  }

  function clear() {
    [patient, number, from, to].forEach((one) => (one.put(""), one.fault("")));
    show(namesakes);
    patientId = undefined;
    return choose("unpaid");
  }

  /** @param {State} name */
  async function choose(name) {
    state = name;
    wanted = PAGE;
    states.forEach((each) => each.setAttribute("aria-pressed", String(each.dataset["state"] === name)));
    await read();
  }

  /** @type {ListedInvoice[]} */
  let shown = [];
  /** Shows the invoices, with what is known now of their patients. */
  const display = async () => rows.update(await known.marked(shown), { flash: true });

  async function read() {
    Object.assign(kept, { wanted });
    const chosen = {
      patientId,
      state: state === "all" ? undefined : state,
      from: from.value(),
      to: to.value(),
      newest: true,
    };
    const days = /** @type {{ from?: string, to?: string }} */ (chosen);
    ask({ state: state === "unpaid" ? undefined : state, patient: patientId, from: days.from, to: days.to });
    /** @type {ListedInvoice[]} */
    const items = [];
    let after;
    do {
      /** @type {{ data: { items: ListedInvoice[], next?: string } }} */
      const { data } = await call("GET", "/invoice", { query: { ...chosen, limit: PAGE, after }, signal });
      items.push(...data.items);
      after = data.next;
    } while (after !== undefined && items.length < wanted);
    shown = items;
    await display();
    const sum = inAll(items);
    count.textContent = [words.count(items.length, after !== undefined), sum && W.form.pair(DESK.today.sum, sum)]
      .filter(Boolean)
      .join(" ");
    more.hidden = after === undefined;
  }
  node.append(
    h("div", { class: "forms", role: "group", "aria-label": W.bills.which }, states),
    filters,
    namesakes,
    count,
    rows.node,
    more,
  );
  await read();
  follow(() => read().catch(() => {}), signal, ["Invoice"]);
  follow(() => display().catch(() => {}), signal, ["Patient"]);
}
