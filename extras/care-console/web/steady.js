// A record that is made once, although the answer to its request may be lost, what was typed corrected meanwhile and the
// page loaded anew.

import { Problem, call, once, write } from "./api.js";
import { name } from "./scopes.js";
import { tab } from "./tab.js";
import { isAnother } from "./typed.js";
import { ask } from "./ui/dialog.js";
import { W } from "./words.js";

/**
 * A request whose outcome is unknown.
 * @typedef {{ path: string, body: Record<string, unknown>, key: string, ifMatch?: string | undefined, at: number }} Open
 */
/**
 * A record, and the request that made it.
 * @template T @typedef {{ data: T, tag: string, path: string, body: Record<string, unknown> }} Made
 */

/** By holder and form. @type {ReturnType<typeof tab<Open>>} */
const open = tab("care.open", 20);

/** For how long a request is sent again, in milliseconds: an hour less than the service remembers its key. */
const REPEATABLE = 23 * 3_600_000;

/** Whether the service may have done what it was asked. @param {unknown} error */
const isUnknown = (error) => error instanceof Problem && [0, 500, 502, 504].includes(error.status);

/** Whether the service judged the request, and has not done it. @param {unknown} error */
const isRefused = (error) => error instanceof Problem && [400, 404, 409, 412, 422].includes(error.status);

/**
 * Begins a form that makes a record.
 * @template T
 * @param {string} form what tells it from all others: another patient's visit is no correction
 * @param {(text: string) => void} say tells the person what can no longer be learned
 */
export function steady(form, say) {
  const place = JSON.stringify([name(), form]);
  let fresh = once();

  /** Drops a request whose key may be forgotten: sent again, it would be done twice. @returns {Problem | undefined} */
  function forgotten() {
    const first = open.get(place);
    if (!first || Date.now() - first.at < REPEATABLE) return undefined;
    open.put(place, undefined);
    fresh = once();
    return new Problem(0, { title: W.problem.forgotten, detail: W.problem.forgottenDetail });
  }

  /** @param {Open} request @returns {Promise<Made<T>>} */
  async function send({ path, body, key, ifMatch }) {
    const answer = await call("POST", path, { body, once: key, ifMatch });
    const { data, tag } = /** @type {{ data: T, tag: string }} */ (answer);
    open.put(place, undefined);
    fresh = once();
    return { data, tag, path, body };
  }

  /**
   * Sends the request again whose answer was lost, under its key, and so learns what became of it.
   * @returns {Promise<Made<T> | undefined>} nothing when there is none, or when the service refuses it
   */
  async function learn() {
    const lost = forgotten();
    if (lost) say(lost.message);
    const first = open.get(place);
    if (!first) return undefined;
    try {
      return await send(first);
    } catch (error) {
      if (!isRefused(error)) throw error;
      open.put(place, undefined);
      return undefined;
    }
  }

  /**
   * Makes the record. After a lost answer the first request is sent again before anything else, and may have been
   * another one than this.
   * @param {string} path @param {Record<string, unknown>} body
   * @param {string} [ifMatch] the tag that the record must still have
   */
  async function make(path, body, ifMatch) {
    const lost = forgotten();
    if (lost) throw lost;
    const learnt = await learn();
    if (learnt) return learnt;
    const request = { path, body, key: fresh, ifMatch, at: Date.now() };
    // It is kept before it is sent, for a reload loses its answer too.
    open.put(place, request);
    try {
      return await send(request);
    } catch (error) {
      if (!isUnknown(error)) open.put(place, undefined);
      throw error;
    }
  }
  return { learn, make };
}

/**
 * Returns what an update has to say so that a record made from one body becomes that of another; `null` for what was
 * taken out.
 * @param {Record<string, unknown>} from @param {Record<string, unknown>} to
 */
export function correction(from, to) {
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  const differs = [...names].filter((name) => write(from[name] ?? null) !== write(to[name] ?? null));
  return Object.fromEntries(differs.map((name) => [name, to[name] ?? null]));
}

/** Whether a record was made from what stands in its form now. @param {Made<unknown>} made @param {Record<string, unknown>} body */
export const isAsTyped = (made, body) => Object.keys(correction(made.body, body)).length === 0;

/**
 * Learns whether the name in a form corrects the one that its record was made under at an attempt whose answer was lost.
 * Another person or medicine is asked about.
 * @param {unknown} before @param {unknown} typed @param {AbortSignal} signal when the screen is left
 * @returns {Promise<boolean | undefined>} nothing when the question is left
 */
export async function isCorrection(before, typed, signal) {
  const [first, other] = [before, typed].map((name) => String(name ?? ""));
  if (!isAnother(first, other)) return true;
  const { another, same, detail } = W.lost;
  const answer = await ask(W.lost.other(first ?? "", other ?? ""), detail, [another, same, W.form.cancel], signal);
  return answer === 2 ? undefined : answer === 1;
}

/**
 * Corrects a record that was made from an earlier body.
 * @param {string} path @param {Record<string, unknown>} body @param {string} ifMatch the tag of the record as it was made
 * @returns {Promise<boolean>} false when it has changed since then, perhaps by a correction whose answer was lost
 */
export async function correct(path, body, ifMatch) {
  try {
    await call("PUT", path, { body, ifMatch });
    return true;
  } catch (error) {
    if (error instanceof Problem && error.status === 412) return false;
    throw error;
  }
}
