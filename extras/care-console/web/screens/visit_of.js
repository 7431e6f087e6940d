// Which visit an invoice is from. Invoices do not name their prescriptions, but a patient has at most one active
// prescription of a medicine at a time.

import { list } from "../api.js";
import { day } from "../formats.js";
import { folded } from "../names.js";
import { may } from "../scopes.js";
import { link } from "../ui/dom.js";
import { dated } from "../ui/table.js";
import { DESK, W } from "../words.js";

/** @typedef {import("../contract.js").ListedInvoice} ListedInvoice */
/** @typedef {import("../contract.js").ListedPrescription} ListedPrescription */
/** @typedef {import("../contract.js").Consultation} Consultation */
/** @typedef {{ visit: Consultation, prescribed: Map<string, ListedPrescription> }} Visit with what was prescribed in it, by medicine */

/** Whether the key opens the screen of a visit. */
const isOpen = () => may("history:read", "prescriptions:read", "patient:read");

/** The way to a visit, or its name alone for a key that does not open it. @param {Consultation} visit */
export function toVisit({ consultationId, date }) {
  const name = dated(date, DESK.today.visit(day(date)));
  return isOpen() ? link("/visits/" + consultationId, name) : name;
}

/** The way to an invoice, or its name alone for a key that does not open it. @param {number | bigint | string} id */
export function toBill(id) {
  const name = W.bill.title(String(id));
  return may("invoice:read") ? link("/bills/" + id, name) : name;
}

/**
 * Returns the number of the visit in which the medicine of an invoice was prescribed, with its units; nothing of what is
 * not certain.
 * @param {Pick<ListedInvoice, "patientId" | "medicine" | "invoiceDate">} invoice @param {boolean} isUnpaid
 * @param {AbortSignal} signal
 */
export async function visitOf(invoice, isUnpaid, signal) {
  if (!isOpen()) return undefined;
  const all = await visitsOf(invoice.patientId, isUnpaid ? "active" : undefined, signal);
  const found = origin(invoice, all);
  if (!found) return undefined;
  const medicine = folded(invoice.medicine);
  const units = (/** @type {Visit} */ { prescribed }) => prescribed.get(medicine)?.quantity;
  // On the day of a visit the invoice may still be that of the prescription before.
  const isSure = isUnpaid || found.visit.date !== invoice.invoiceDate;
  const others = all.filter(
    ({ visit, prescribed }) => prescribed.has(medicine) && ordered(visit.date) <= ordered(found.visit.date),
  );
  const quantity = isSure || others.every((one) => units(one) === units(found)) ? units(found) : undefined;
  return { visit: found.visit.consultationId, quantity };
}

/**
 * Returns the units that were prescribed in a visit, by medicine, for a key that may see them.
 * @param {string} number @param {ListedInvoice["patientId"]} patientId @param {AbortSignal} signal
 * @returns {Promise<(medicine: string) => number | undefined>}
 */
export async function unitsIn(number, patientId, signal) {
  const all = isOpen() ? await visitsOf(patientId, undefined, signal) : [];
  const own = all.find(({ visit }) => String(visit.consultationId) === number);
  return (medicine) => own?.prescribed.get(folded(medicine))?.quantity;
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
    (invoice) => origin(invoice, visits)?.visit.consultationId === consultationId,
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
  const all = visits.filter((one) => one.prescribed.has(folded(medicine)));
  if (all.length < 2 || invoiceDate === undefined) return all.length === 1 ? all[0] : undefined;
  const before = all.filter(({ visit }) => ordered(visit.date) <= ordered(invoiceDate));
  const latest = before
    .map(({ visit }) => ordered(visit.date))
    .sort()
    .at(-1);
  const last = before.filter(({ visit }) => ordered(visit.date) === latest);
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
  const known = new Map(
    /** @type {ListedPrescription[]} */ (prescribed.items).map((one) => [String(one.prescriptionId), one]),
  );
  return /** @type {Consultation[]} */ (visits.items).map((visit) => ({
    visit,
    prescribed: new Map(
      (visit.prescriptionIds ?? [])
        .flatMap((id) => known.get(String(id)) ?? [])
        .map((one) => [folded(one.medicine), one]),
    ),
  }));
}

/** A day of the service as it is compared. @param {string} day */
const ordered = (day) => day.split("/").reverse().join();
