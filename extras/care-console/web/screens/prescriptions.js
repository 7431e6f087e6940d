// The prescriptions of a patient, and the buttons that change them.

import { Problem, call, list, once } from "../api.js";
import { money } from "../formats.js";
import { medicines, watch } from "../medicines.js";
import { folded } from "../names.js";
import { may } from "../scopes.js";
import { sure } from "../ui/dialog.js";
import { button, h, link, told } from "../ui/dom.js";
import { cut } from "../ui/lacks.js";
import { pill, stock } from "../ui/pill.js";
import { refusal } from "../ui/problem.js";
import { dated, table } from "../ui/table.js";
import { DESK, STOCK, W } from "../words.js";

/** @typedef {import("../contract.js").ListedPrescription} Listed */

/** The number of prescriptions that are listed. */
const MOST = 500;

/**
 * @param {object} options
 * @param {string} options.id the patient's
 * @param {Set<string>} [options.only] those of one visit
 * @param {AbortSignal} options.signal
 * @param {(text: string) => void} options.say
 * @param {import("../router.js").Place["go"]} options.go
 * @param {() => Promise<void>} options.refresh reads the page again after a change
 */
export async function prescriptions({ id, only, signal, say, go, refresh }) {
  const { columns, states } = W.prescription;
  const trouble = h("div", {});
  const rest = cut();
  /** The `Idempotency-Key` of each prescription, with which issuing its invoice twice is the same as once. @type {Map<string, string>} */
  const keys = new Map();
  const rows = table({
    caption: W.prescription.caption,
    none: W.patient.noPrescriptions,
    key: (/** @type {Listed & { shelf: string }} */ prescription) => String(prescription.prescriptionId),
    columns: [
      { label: columns.medicine, cell: (one) => told(one.medicine), kind: "wide" },
      { label: columns.quantity, cell: (one) => one.quantity ?? W.form.none, kind: "number" },
      { label: columns.prescribed, cell: (one) => dated(one.prescribed) },
      { label: columns.dosage, cell: (one) => told(one.dosage ?? W.form.none), isRare: true },
      { label: columns.isRegular, cell: (one) => (one.isRegular ? W.form.yes : W.form.no), isRare: true },
      { label: columns.price, cell: (one) => money(one.price, one.currency), kind: "number" },
      { label: columns.isAvailable, cell: (one) => [stock(one.isAvailable), " ", told(one.shelf)] },
      { label: columns.state, cell: (one) => pill(states[one.state], one.state === "active" ? "good" : "calm") },
      { label: columns.actions, cell: actions, kind: "actions" },
    ],
  });

  /** @param {Listed} prescription */
  function actions(prescription) {
    if (prescription.state !== "active") return W.form.none;
    const number = String(prescription.prescriptionId);
    const of = (/** @type {string} */ label) => ({ "aria-label": W.form.pair(label, prescription.medicine) });
    return [
      may("invoice:write") && button(W.patient.bill, () => attempt(() => bill(number)), of(W.patient.bill)),
      may("prescriptions:write") &&
        link("/prescriptions/" + number, W.patient.editPrescription, {
          class: "button quiet",
          ...of(W.patient.editPrescription),
        }),
      may("prescriptions:write") &&
        button(W.patient.withdraw, () => attempt(() => withdraw(number, prescription.medicine)), {
          class: "quiet",
          ...of(W.patient.withdraw),
        }),
    ];
  }

  /** @param {() => Promise<void>} deed */
  async function attempt(deed) {
    trouble.replaceChildren();
    await deed().catch((error) => trouble.replaceChildren(refusal(error)));
  }

  /** @param {string} number */
  async function bill(number) {
    const key = keys.get(number) ?? once();
    keys.set(number, key);
    const invoice = await invoiceOf(number, key);
    go("/bills/" + invoice, DESK.bill.issued([invoice]));
  }

  /** @param {string} number @param {string} medicine */
  async function withdraw(number, medicine) {
    const { tag } = await call("GET", "/prescriptions/" + number);
    if (!(await sure(W.patient.sure(medicine), W.patient.sureDetail, W.patient.withdraw, signal))) return;
    await call("DELETE", "/prescriptions/" + number, { ifMatch: tag });
    say(W.patient.withdrawn);
    await refresh();
  }

  /** @type {Listed[]} */
  let all = [];
  let isCut = false;

  async function read() {
    const how = { query: { patientId: id }, signal, most: MOST, quiet: all.length > 0 };
    const { items, more } = await list("/prescriptions", how);
    rest.hidden = !more;
    isCut = more;
    all = /** @type {Listed[]} */ (items);
    display();
  }

  /**
   * Shows them, the active ones first, with the units on the shelf as far as they are known: those of a visit as its bill
   * has them, else the latest first.
   */
  function display() {
    const shown = only ? all.filter((one) => only.has(String(one.prescriptionId))) : all.toReversed();
    const active = (/** @type {Listed} */ one) => Number(one.state === "active");
    rows.update(
      shown.sort((one, other) => active(other) - active(one)).map((one) => ({ ...one, shelf: onShelf(one.medicine) })),
      { flash: true, isCut },
    );
  }
  if (may("inventory:read")) watch(display, signal);
  return { node: h("div", {}, trouble, rest, rows.node), read, shown: () => all };
}

/** The units of a medicine that are available, where they are tracked and known. @param {string} medicine */
export function onShelf(medicine) {
  const stock = medicines().items.find((one) => one.folded === folded(medicine))?.stock;
  return stock ? STOCK.units(Number(stock.available), stock.unit) : "";
}

/**
 * Issues the invoice of a prescription, and returns its number.
 * @param {string} number @param {string} key
 */
export async function invoiceOf(number, key) {
  const { location } = await call("POST", `/prescriptions/${number}/invoice`, { once: key });
  const invoice = /\/invoice\/(\d+)$/.exec(location)?.[1];
  if (invoice === undefined) throw new Problem(0, { title: W.problem.unknown });
  return invoice;
}
