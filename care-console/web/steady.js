// A record that is made once, although the answer to its request may be lost, what was typed corrected meanwhile and the
// page loaded anew.

import { Problem, call, once, write } from "./api.js";
import { name } from "./scopes.js";
import { tab } from "./tab.js";

/** A request whose outcome is unknown. @typedef {{ body: Record<string, unknown>, key: string }} Open */
/** A record, and the body that made it. @template T @typedef {{ data: T, tag: string, body: Record<string, unknown> }} Made */

/** By holder, path and form. @type {ReturnType<typeof tab<Open>>} */
const open = tab("care.open", 20);

/** Whether the service may have done what it was asked. @param {unknown} error */
const isUnknown = (error) => error instanceof Problem && [0, 500, 502, 504].includes(error.status);

/** Whether the service judged the request, and has not done it. @param {unknown} error */
const isRefused = (error) => error instanceof Problem && [400, 404, 409, 422].includes(error.status);

/**
 * Begins a form that makes a record.
 * @template T
 * @param {string} path
 * @param {string} [form] what tells it from the other forms of this path: another patient's visit is no correction
 */
export function steady(path, form = "") {
  const place = JSON.stringify([name(), path, form]);
  const fresh = once();

  /** @param {Open} request @returns {Promise<Made<T>>} */
  async function send({ body, key }) {
    const { data, tag } = /** @type {{ data: T, tag: string }} */ (await call("POST", path, { body, once: key }));
    open.put(place, undefined);
    return { data, tag, body };
  }

  /**
   * Sends the request again whose answer was lost, under its key, and so learns what became of it.
   * @returns {Promise<Made<T> | undefined>} nothing when there is none, or when the service refuses it
   */
  async function learn() {
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
   * Makes the record. After a lost answer the first body is sent again before anything else.
   * @param {Record<string, unknown>} body
   */
  async function make(body) {
    const learnt = await learn();
    if (learnt) return learnt;
    const request = { body, key: fresh };
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
