// Finding patients by any part of a name, a phone number or a mail address, or by number.

import { call } from "../api.js";
import { h, link, show, told } from "../ui/dom.js";
import { DESK, W } from "../words.js";

/** @typedef {import("../contract.js").Patient} Patient */

/** The number of words that the service looks for at most. */
const WORDS = 8;

/** Returns the patient's name, or the number of a patient without one. @param {Pick<Patient, "name" | "patientId">} patient */
export const nameOf = (patient) => patient.name ?? W.patients.unnamed(String(patient.patientId));

/** The same, as it is shown. @param {Pick<Patient, "name" | "patientId">} patient */
export const called = (patient) => told(nameOf(patient));

/**
 * Finds patients, the best first. Digits are a number as well as a part of a phone number.
 * @param {string} text
 * @param {number} limit
 * @param {AbortSignal} signal
 * @returns {Promise<{ found: Patient[], more: boolean }>}
 */
export async function people(text, limit, signal) {
  const bare = text.trim();
  const words = bare.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (words.length === 0) return { found: [], more: false };
  const wanted = words.slice(0, WORDS).join(" ").slice(0, 256);
  const number = /^\d{1,18}$/.test(bare) ? await ask("#" + bare, 1, signal) : { found: [], more: false };
  const others = await ask(wanted, limit, signal);
  const isOther = (/** @type {Patient} */ one) => number.found.every((first) => first.patientId !== one.patientId);
  return { found: [...number.found, ...others.found.filter(isOther)], more: others.more };
}

/** @param {string} find @param {number} limit @param {AbortSignal} signal */
async function ask(find, limit, signal) {
  /** @type {{ data: { items: Patient[], more?: boolean } }} */
  const { data } = await call("GET", "/patient", { query: { find, limit }, signal, quiet: true });
  return { found: data.items, more: data.more === true };
}

/** What tells namesakes apart. @param {Patient} patient */
export const apart = ({ patientId, age, phone, location }) =>
  [
    DESK.find.number(String(patientId)),
    age !== undefined && DESK.find.age(age),
    phone !== undefined && String(phone),
    location,
  ]
    .filter(Boolean)
    .join(", ");

/** A line for each of them. @param {Patient[]} found */
export const lines = (found) =>
  h(
    "ul",
    {},
    found.map((one) =>
      h(
        "li",
        {},
        link("/patients/" + one.patientId, called(one)),
        " ",
        h("span", { class: "muted" }, told(apart(one))),
      ),
    ),
  );

/** The pause in typing after which namesakes are looked for, in milliseconds, and the number that is shown. */
const PAUSE = 300;
const ALIKE = 5;

/**
 * Says who is on record with the name or the phone number that is typed, so that one person is not registered twice.
 * @param {import("../ui/form.js").Control[]} controls of the form, `name` and `phone` among them
 * @param {AbortSignal} signal
 */
export function alike(controls, signal) {
  const fields = controls.filter((one) => one.name === "name" || one.name === "phone");
  const count = h("p", { role: "status" });
  const found = h("div", {});
  const node = h("section", { class: "alike card", hidden: true }, count, found);
  let running = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  async function look() {
    running.abort();
    running = new AbortController();
    const stop = AbortSignal.any([running.signal, signal]);
    const texts = fields.map((one) => one.input.value.trim()).filter((text) => [...text].length > 2);
    try {
      const all = await Promise.all(texts.map((text) => ask(text, ALIKE + 1, stop)));
      const persons = new Map(all.flatMap((one) => one.found.map((each) => [String(each.patientId), each])));
      const shown = [...persons.values()].slice(0, ALIKE);
      const isMore = persons.size > ALIKE;
      node.hidden = shown.length === 0;
      count.textContent = shown.length === 0 ? "" : DESK.find.alike(shown.length, isMore);
      show(found, lines(shown));
    } catch {
      // A text that cannot be looked for yet is typed on.
      node.hidden = true;
    }
  }
  for (const { input } of fields)
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(look, PAUSE);
    });
  if (fields.some((one) => one.value() !== undefined)) void look();
  return node;
}
