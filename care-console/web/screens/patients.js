// Finding a patient while typing.

import { Problem, call, wasLeft } from "../api.js";
import { day } from "../formats.js";
import { remembers } from "../memory.js";
import { may } from "../scopes.js";
import { h, link, told } from "../ui/dom.js";
import { control } from "../ui/form.js";
import { lacks } from "../ui/lacks.js";
import { refusal } from "../ui/problem.js";
import { table } from "../ui/table.js";
import { W } from "../words.js";

/** @typedef {import("../contract.js").Patient} Patient */

const SHOWN = 25;
/** The pause in typing after which a search is sent, in milliseconds. */
const PAUSE = 120;

/** The last search, shown again when the user comes back. */
let remembered = "";
remembers(() => (remembered = ""));

/** @param {import("../router.js").Place} place */
export async function patients({ node, signal, title }) {
  title(W.screens.patients, may("patient:write") && link("/patients/new", W.patients.register, { class: "button" }));
  const search = control({
    name: "search",
    label: W.patients.search,
    hint: W.patients.searchHint,
    value: remembered,
    wide: true,
  });
  search.input.type = "search";
  const count = h("p", { class: "muted", role: "status" });
  const { columns } = W.patients;
  const rows = table({
    caption: W.patients.caption,
    none: W.patients.none,
    key: (/** @type {Patient} */ patient) => String(patient.patientId),
    columns: [
      { label: columns.name, cell: (patient) => link("/patients/" + patient.patientId, called(patient)), kind: "wide" },
      { label: columns.id, cell: (patient) => String(patient.patientId), kind: "number" },
      { label: columns.age, cell: (patient) => patient.age ?? W.form.none, kind: "number" },
      { label: columns.phone, cell: (patient) => String(patient.phone ?? W.form.none), kind: "number" },
      { label: columns.location, cell: (patient) => told(patient.location ?? W.form.none) },
      { label: columns.lastvisit, cell: (patient) => day(patient.lastvisit) },
    ],
  });
  let asked = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  async function look() {
    asked.abort();
    asked = new AbortController();
    const stop = AbortSignal.any([asked.signal, signal]);
    remembered = search.input.value;
    try {
      const { found, more } = await find(remembered.trim(), stop);
      rows.update(found);
      count.textContent = found.length === 0 ? "" : W.patients.count(found.length, more);
    } catch (error) {
      if (!wasLeft(error)) count.replaceChildren(refusal(error));
    }
  }

  search.input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  });
  node.append(lacks("patient:write"), search.node, count, rows.node);
  await look();
}

/** Returns the patient's name, or the number of a patient without one. @param {Pick<Patient, "name" | "patientId">} patient */
export const called = (patient) => told(patient.name ?? W.patients.unnamed(String(patient.patientId)));

/**
 * Digits are a number or a phone number, a text with `@` is a mail address, anything else the beginning of a name.
 * @param {string} text
 * @param {AbortSignal} signal
 * @returns {Promise<{ found: Patient[], more: boolean }>}
 */
async function find(text, signal) {
  if (text.includes("@")) return ask({ email: text }, signal);
  if (!/^\d{1,19}$/.test(text)) return ask(text === "" ? {} : { name: text }, signal);
  const phone =
    text.length > 15 || /^0*$/.test(text)
      ? { found: [], more: false }
      : await ask({ phone: text.replace(/^0+/, "") }, signal);
  const patient = await one(text, signal);
  const others = phone.found.filter((other) => other.patientId !== patient?.patientId);
  return { found: patient ? [patient, ...others] : others, more: phone.more };
}

/** @param {Record<string, string>} filter @param {AbortSignal} signal */
async function ask(filter, signal) {
  /** @type {{ data: { items: Patient[], next?: string } }} */
  const { data } = await call("GET", "/patient", { query: { ...filter, limit: SHOWN }, signal });
  return { found: data.items, more: data.next !== undefined };
}

/** @param {string} id @param {AbortSignal} signal @returns {Promise<Patient | undefined>} */
async function one(id, signal) {
  try {
    return /** @type {Patient} */ ((await call("GET", "/patient/" + id, { signal })).data);
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 400)) return undefined;
    throw error;
  }
}
