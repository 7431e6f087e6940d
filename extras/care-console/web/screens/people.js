// Finding patients by any part of a name, a phone number or a mail address, or by number.

import { Problem, call } from "../api.js";
import { remembers } from "../memory.js";
import { ask as choose } from "../ui/dialog.js";
import { h, show } from "../ui/dom.js";
import { DESK, W } from "../words.js";
import { among, apart, who } from "./who.js";

/** @typedef {import("../contract.js").Patient} Patient */

/** The number of words that the service looks for at most. */
const WORDS = 8;

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
  const number = /^\d{1,18}$/.test(bare)
    ? await ask({ find: "#" + bare, limit: 1 }, signal)
    : { found: [], more: false };
  const others = await ask({ find: wanted, limit }, signal);
  const isOther = (/** @type {Patient} */ one) => number.found.every((first) => first.patientId !== one.patientId);
  return { found: [...number.found, ...others.found.filter(isOther)], more: others.more };
}

/** @param {{ find: string, limit: number, similar?: boolean }} query @param {AbortSignal} signal */
async function ask(query, signal) {
  /** @type {{ data: { items: Patient[], more?: boolean } }} */
  const { data } = await call("GET", "/patient", { query, signal, quiet: true });
  return { found: data.items, more: data.more === true };
}

/** A text that the service does not look for finds nothing. @param {unknown} error @returns {{ items: any[], found: any[] }} */
export function unasked(error) {
  if (error instanceof Problem && error.status === 400) return { items: [], found: [] };
  throw error;
}

/** The patients whose names are nearly written so. @param {string} text @param {number} limit @param {AbortSignal} signal */
export async function similar(text, limit, signal) {
  const { found } = await ask({ find: text, limit, similar: true }, signal).catch(unasked);
  return /** @type {Patient[]} */ (found);
}

/** The number of patients that are remembered, the latest ones. */
const REMEMBERED = 8;
/** Their numbers, the latest last. @type {Map<string, Pick<Patient, "patientId">>} */
const opened = new Map();
remembers(() => opened.clear());

/** The patients whose pages were opened, the latest first. */
export const seen = () => [...opened.values()].reverse();

/** Remembers a patient whose page is opened. @param {Patient} one */
export function remember({ patientId }) {
  opened.delete(String(patientId));
  opened.set(String(patientId), { patientId });
  for (const oldest of [...opened.keys()].slice(0, Math.max(0, opened.size - REMEMBERED))) opened.delete(oldest);
}

/** Forgets one who was removed. @param {string} id */
export const unremember = (id) => opened.delete(id);

/** The pause in typing after which namesakes are looked for, in milliseconds, and the number that is shown. */
const PAUSE = 300;
const ALIKE = 4;

/** A name as namesakes have it. @param {string | undefined} name */
const bare = (name = "") =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .join(" ")
    .trim();

/**
 * Says who is on record with the name or the phone number that is typed, so that one person is not registered twice.
 * @param {import("../ui/form.js").Control[]} controls of the form, `name` and `phone` among them
 * @param {AbortSignal} signal
 */
export function alike(controls, signal) {
  const fields = controls.filter((one) => one.name === "name" || one.name === "phone");
  const count = h("p", { role: "status" });
  const found = h("div", {});
  // Its room is kept free, so that nothing moves under a click when it fills.
  const node = h("section", { class: "alike" }, count, found);
  let running = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @param {number} limit @param {AbortSignal} stop */
  async function namesakes(limit, stop) {
    const texts = fields.map((one) => one.input.value.trim()).filter((text) => [...text].length > 2);
    const all = await Promise.all(texts.map((find) => ask({ find, limit }, stop).catch(unasked)));
    return [...new Map(all.flatMap((one) => one.found.map((each) => [String(each.patientId), each]))).values()];
  }

  async function look() {
    running.abort();
    running = new AbortController();
    const stop = AbortSignal.any([running.signal, signal]);
    const persons = await namesakes(ALIKE + 1, stop).catch(() => []);
    if (stop.aborted) return;
    const shown = persons.slice(0, ALIKE);
    count.textContent = shown.length === 0 ? "" : DESK.find.alike(shown.length, persons.length > ALIKE);
    show(
      found,
      shown.length > 0 &&
        h(
          "ul",
          {},
          shown.map((one) => h("li", {}, among(one, { detail: apart(one), isLink: true }))),
        ),
    );
  }

  /**
   * Asks when a person of this name, and with this phone number, day of birth or age, is on record.
   * @param {Record<string, unknown>} body
   * @returns {Promise<Patient | boolean>} the one on record to be opened, or whether another one is meant
   */
  async function isNew(body) {
    const name = bare(/** @type {string | undefined} */ (body["name"]));
    if (name === "") return true;
    const isSame = (/** @type {Patient} */ one) =>
      bare(one.name) === name &&
      ((one.phone !== undefined && String(one.phone) === String(body["phone"])) ||
        (one.birthDate !== undefined && one.birthDate === body["birthDate"]) ||
        (one.age !== undefined && one.age === body["age"]));
    const same = (await namesakes(50, signal)).find(isSame);
    if (!same) return true;
    const { same: question, open, another } = DESK.find;
    const answer = await choose(question, who(same), [open, another, W.form.cancel], signal);
    return answer === 0 ? same : answer === 1;
  }
  for (const { input } of fields)
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(look, PAUSE);
    });
  if (fields.some((one) => one.value() !== undefined)) void look();
  return { node, isNew };
}
