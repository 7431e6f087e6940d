// Finding patients by any part of a name, a phone number or a mail address, or by number.

import { Problem, call } from "../api.js";
import { years } from "../formats.js";
import { words } from "../names.js";
import { name } from "../scopes.js";
import { tab } from "../tab.js";
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
  const parts = bare.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (parts.length === 0) return { found: [], more: false };
  const wanted = parts.slice(0, WORDS).join(" ").slice(0, 256);
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

/** A text that the service does not look for finds nothing. @param {unknown} error @returns {{ items: any[], found: any[], more: boolean }} */
export function unasked(error) {
  if (error instanceof Problem && error.status === 400) return { items: [], found: [], more: false };
  throw error;
}

/**
 * The patients whose names are nearly written so, and whether others may be.
 * @param {string} text @param {number} limit @param {AbortSignal} signal
 * @returns {Promise<{ found: Patient[], more: boolean }>}
 */
export const similar = (text, limit, signal) => ask({ find: text, limit, similar: true }, signal).catch(unasked);

/** The number of patients that are remembered, the latest ones. */
const REMEMBERED = 8;
/** Their numbers, the latest last, under the holder who opened them. @type {ReturnType<typeof tab<Patient["patientId"][]>>} */
const opened = tab("care.seen", 1, { isOwn: false });

/** The numbers that are remembered, without this one. @param {unknown} id */
const others = (id) => (opened.get(name() ?? "") ?? []).filter((one) => String(one) !== String(id));

/** The patients whose pages were opened, the latest first. */
export const seen = () =>
  others(undefined)
    .reverse()
    .map((patientId) => ({ patientId }));

/** Remembers a patient whose page is opened. @param {Pick<Patient, "patientId">} one */
export const remember = ({ patientId }) =>
  opened.put(name() ?? "", [...others(patientId), patientId].slice(-REMEMBERED));

/** Forgets one who was removed. @param {string} id */
export const unremember = (id) => opened.put(name() ?? "", others(id));

/** The pause in typing after which namesakes are looked for, in milliseconds, and the number that is shown. */
const PAUSE = 300;
const ALIKE = 4;

/** A name as namesakes have it. @param {string | undefined} name */
const bare = (name = "") => words(name).join(" ");

/** An age, which follows from the day of birth where that is known. @param {Partial<Patient>} person */
const ageOf = ({ birthDate, age }) => (birthDate === undefined ? age : years(birthDate));

/** Whether one on record has the name, and the phone number or the age, of another. @param {Patient} one @param {Partial<Patient>} other */
export function isSame(one, other) {
  const isPhone = one.phone !== undefined && String(one.phone) === String(other.phone);
  const isAge = ageOf(one) !== undefined && ageOf(one) === ageOf(other);
  return bare(one.name) === bare(other.name) && (isPhone || isAge);
}

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
   * @param {Partial<Patient>} body
   * @returns {Promise<Patient | boolean>} the one on record to be opened, or whether another one is meant
   */
  async function isNew(body) {
    if (bare(body.name) === "") return true;
    const same = (await namesakes(50, signal)).find((one) => isSame(one, body));
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
