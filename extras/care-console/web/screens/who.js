// Who is meant, wherever a person is named: what tells namesakes apart, and what the person must not get. Beside a name
// that is written here stand the allergies; a heading with the name alone stands above the line of `who`.

import { call } from "../api.js";
import { day, phone as phoned } from "../formats.js";
import { follow } from "../live.js";
import { may, printsAllergies } from "../scopes.js";
import { sure } from "../ui/dialog.js";
import { h, link, show, told } from "../ui/dom.js";
import { DESK, W } from "../words.js";

/** @typedef {import("../contract.js").Patient} Patient */
/** @typedef {Pick<Patient, "patientId" | "name" | "birthDate" | "age" | "phone" | "location">} Person */
/** @typedef {{ allergies?: string | undefined }} Marked What is known of a person's allergies. */

/** How a person is called in a heading, by the number where no name is known. @param {Person} person */
export const called = ({ name, patientId }) => told(name ?? W.patients.unnamed(String(patientId)));

/** What tells namesakes apart. @param {Person} person */
export const apart = ({ patientId, birthDate, age, phone, location }) =>
  [
    DESK.find.number(String(patientId)),
    birthDate !== undefined && DESK.find.born(day(birthDate)),
    age !== undefined && DESK.find.age(age),
    phone !== undefined && phoned(phone),
    location,
  ]
    .filter(Boolean)
    .join(", ");

/** Whether a text has a letter or a digit, as the service asks of new ones. @param {string | undefined} text */
const says = (text) =>
  text !== undefined && /[\p{Alphabetic}\p{N}]/u.test(text.replace(/[\p{Default_Ignorable_Code_Point}\p{M}]/gu, ""));

/**
 * The allergies of a person; nothing without any.
 * @param {Marked} person @param {boolean} [isPrinted] whether they are on paper where the facility wants them there
 */
export const allergies = ({ allergies: text }, isPrinted = true) =>
  says(text) &&
  h(
    "span",
    { class: isPrinted && printsAllergies() ? "allergies" : "allergies unprinted" },
    h("strong", {}, W.patient.fields.allergies, W.form.colon),
    told(text),
  );

/** Who is meant, in a line below the heading, and what the person must not get. @param {Person & Marked} person */
export const who = (person) =>
  h(
    "div",
    { class: "person" },
    h("p", { class: "who" }, h("strong", {}, called(person)), " ", h("span", { class: "muted" }, told(apart(person)))),
    allergies(person),
  );

/**
 * A person among others.
 * @param {Person & Marked} person
 * @param {{ detail?: string, isLink?: boolean }} [how] what tells namesakes apart, where it is not shown beside, and
 * whether the name leads to the patient
 */
export const among = (person, { detail = "", isLink = false } = {}) =>
  h(
    "span",
    { class: "named" },
    isLink ? link("/patients/" + person.patientId, called(person)) : called(person),
    detail !== "" && h("span", { class: "muted" }, " ", told(detail)),
    allergies(person, false),
  );

/**
 * Asks about a deed to a person, who is named in full.
 * @param {Person & Marked} person @param {(who: string) => string} question @param {string} detail
 * @param {string} yes what the deed is called @param {AbortSignal} signal when the screen is left
 */
export function sureOf(person, question, detail, yes, signal) {
  const inFull = [person.name, apart(person)].filter((part) => part !== undefined).join(", ");
  return sure(question(inFull), h("div", {}, h("p", {}, detail), allergies(person, false)), yes, signal);
}

/** The number of patients that are asked for at once. */
const AT_ONCE = 50;

/** The patients with these numbers, as far as they are on record. @param {string[]} ids @param {AbortSignal} signal */
async function patientsOf(ids, signal) {
  /** @type {Patient[]} */
  const all = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const query = { id: ids.slice(at, at + AT_ONCE).join(",") };
    const { data } = await call("GET", "/patient", { query, signal, quiet: true });
    all.push(.../** @type {{ items: Patient[] }} */ (data).items);
  }
  return all;
}

/**
 * The patients whom records are about. All that are not known yet are read at once, and again after a patient has changed:
 * a screen that shows them follows that, too.
 * @param {AbortSignal} signal
 */
export function persons(signal) {
  /** @type {Map<string, Patient>} */
  let known = new Map();
  follow(() => (known = new Map()), signal, ["Patient"]);

  /**
   * Returns what finds the patient of one of these records, for a key that reads patients.
   * @param {{ patientId: Patient["patientId"] }[]} records
   */
  async function of(records) {
    const ids = may("patient:read") ? [...new Set(records.map((one) => String(one.patientId)))] : [];
    let own = known;
    do {
      own = known;
      const all = own;
      const fresh = ids.filter((id) => !all.has(id));
      for (const one of await patientsOf(fresh, signal)) all.set(String(one.patientId), one);
      // What was read while one changed may be old.
    } while (own !== known);
    return (/** @type {{ patientId: Patient["patientId"] }} */ { patientId }) => own.get(String(patientId));
  }
  return {
    of,
    /**
     * Adds what is known now of the patients' allergies.
     * @template {{ patientId: Patient["patientId"] }} T
     * @param {T[]} records
     * @returns {Promise<(T & Marked)[]>}
     */
    async marked(records) {
      const find = await of(records);
      return records.map((one) => ({ ...one, allergies: find(one)?.allergies }));
    },
  };
}

/**
 * The line of `who` for as long as a screen shows it, with the allergies that are entered meanwhile.
 * @template {Person & Marked} T
 * @param {T} person @param {AbortSignal} signal @param {(now: T) => void} [changed] is told of others
 */
export function present(person, signal, changed = () => {}) {
  const { marked } = persons(signal);
  const node = h("div", {}, who(person));
  let shown = person;
  async function renew() {
    const [now = shown] = await marked([person]);
    if (now.allergies === shown.allergies) return;
    shown = now;
    show(node, who(now));
    changed(now);
  }
  follow(() => renew().catch(() => {}), signal, ["Patient"]);
  return node;
}
