// Which visit an invoice is from. Invoices do not name their prescriptions, but a patient has at most one active
// prescription of a medicine at a time.

import { list } from "../api.js";
import { day } from "../formats.js";
import { folded } from "../names.js";
import { may } from "../scopes.js";
import { link } from "../ui/dom.js";
import { dated } from "../ui/table.js";
import { DESK } from "../words.js";

/** @typedef {import("../contract.js").ListedInvoice} ListedInvoice */
/** @typedef {import("../contract.js").ListedPrescription} ListedPrescription */
/** @typedef {import("../contract.js").Consultation} Consultation */
/** @typedef {{ visit: Consultation, medicines: Set<string> }} Visit with the medicines that were prescribed in it */

/** Whether the key opens the screen of a visit. */
const isOpen = () => may("history:read", "prescriptions:read", "patient:read");

/** The way to a visit, or its name alone for a key that does not open it. @param {Consultation} visit */
export function toVisit({ consultationId, date }) {
  const name = dated(date, DESK.today.visit(day(date)));
  return isOpen() ? link("/visits/" + consultationId, name) : name;
}

/**
 * Returns the number of the visit in which the medicine of an invoice was prescribed; nothing when that is not certain.
 * @param {Pick<ListedInvoice, "patientId" | "medicine" | "invoiceDate">} invoice @param {boolean} isUnpaid
 * @param {AbortSignal} signal
 * @returns {Promise<Consultation["consultationId"] | undefined>}
 */
export async function visitOf(invoice, isUnpaid, signal) {
  if (!isOpen()) return undefined;
  return origin(invoice, await visitsOf(invoice.patientId, isUnpaid ? "active" : undefined, signal))?.consultationId;
}

/**
 * Returns the bills of a visit, the latest first: its invoices that were issued on one day.
 * @param {Consultation} visit @param {AbortSignal} signal
 * @returns {Promise<{ day: string, invoices: ListedInvoice[] }[]>}
 */
export async function billsOf({ consultationId, patientId }, signal) {
  const [visits, { items }] = await Promise.all([
    visitsOf(patientId, undefined, signal),
    list("/invoice", { query: { patientId, newest: true }, signal, quiet: true }),
  ]);
  const own = /** @type {ListedInvoice[]} */ (items).filter(
    (invoice) => origin(invoice, visits)?.consultationId === consultationId,
  );
  const days = [...new Set(own.map((one) => one.invoiceDate ?? ""))];
  return days.map((day) => ({ day, invoices: own.filter((one) => (one.invoiceDate ?? "") === day).reverse() }));
}

/**
 * Returns the last visit up to the day of the invoice in which its medicine was prescribed, unless there are two of one
 * day.
 * @param {Pick<ListedInvoice, "medicine" | "invoiceDate">} invoice @param {Visit[]} visits
 */
function origin({ medicine, invoiceDate }, visits) {
  const all = visits.filter((one) => one.medicines.has(folded(medicine))).map((one) => one.visit);
  if (all.length < 2 || invoiceDate === undefined) return all.length === 1 ? all[0] : undefined;
  const before = all.filter((visit) => ordered(visit.date) <= ordered(invoiceDate));
  const latest = before
    .map((visit) => ordered(visit.date))
    .sort()
    .at(-1);
  const last = before.filter((visit) => ordered(visit.date) === latest);
  return last.length === 1 ? last[0] : undefined;
}

/**
 * @param {ListedInvoice["patientId"]} patientId @param {"active" | undefined} state of the prescriptions that count
 * @param {AbortSignal} signal
 * @returns {Promise<Visit[]>}
 */
async function visitsOf(patientId, state, signal) {
  const [prescribed, visits] = await Promise.all([
    list("/prescriptions", { query: { patientId, state }, signal, quiet: true }),
    list("/consultations", { query: { patientId }, signal, quiet: true }),
  ]);
  const medicines = new Map(
    /** @type {ListedPrescription[]} */ (prescribed.items).map((one) => [
      String(one.prescriptionId),
      folded(one.medicine),
    ]),
  );
  return /** @type {Consultation[]} */ (visits.items).map((visit) => ({
    visit,
    medicines: new Set((visit.prescriptionIds ?? []).flatMap((id) => medicines.get(String(id)) ?? [])),
  }));
}

/** A day of the service as it is compared. @param {string} day */
const ordered = (day) => day.split("/").reverse().join();
