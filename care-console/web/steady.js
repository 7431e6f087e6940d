// A record that is made once, although the answer to its request may be lost and what was typed corrected meanwhile.

import { Problem, call, write } from "./api.js";
import { remembers } from "./memory.js";
import { name } from "./scopes.js";

/** A request whose answer was lost. @typedef {{ body: Record<string, unknown>, key: string }} Lost */

/** By holder and path. @type {Map<string, Lost>} */
const lost = new Map();
remembers(() => lost.clear(), { isOwn: true });

/** @param {string} path */
const under = (path) => JSON.stringify([name(), path]);

/** Whether the service may have done what it was asked. @param {unknown} error */
const isUnknown = (error) => error instanceof Problem && (error.status === 0 || error.status === 500);

/** Whether the service judged the request, and has not done it. @param {unknown} error */
const isRefused = (error) => error instanceof Problem && [400, 404, 409, 422].includes(error.status);

/**
 * Sends the request again whose answer was lost, under its key, and so learns what became of it.
 * @template T
 * @param {string} path
 * @returns {Promise<{ data: T, tag: string, body: Record<string, unknown> } | undefined>} nothing when there is none,
 *   or when the service refuses it
 */
export async function learn(path) {
  const first = lost.get(under(path));
  if (!first) return undefined;
  try {
    const { data, tag } = /** @type {{ data: T, tag: string }} */ (
      await call("POST", path, { body: first.body, once: first.key })
    );
    lost.delete(under(path));
    return { data, tag, body: first.body };
  } catch (error) {
    if (!isRefused(error)) throw error;
    lost.delete(under(path));
    return undefined;
  }
}

/**
 * Makes a record. After a lost answer the first body is sent again before anything else.
 * @template T
 * @param {string} path
 * @param {Record<string, unknown>} body
 * @param {string} key the `Idempotency-Key`
 * @returns {Promise<{ data: T, tag: string, body: Record<string, unknown> }>} the record, and the body that made it
 */
export async function make(path, body, key) {
  const learnt = /** @type {{ data: T, tag: string, body: Record<string, unknown> } | undefined} */ (await learn(path));
  if (learnt) return learnt;
  try {
    const { data, tag } = /** @type {{ data: T, tag: string }} */ (await call("POST", path, { body, once: key }));
    return { data, tag, body };
  } catch (error) {
    if (isUnknown(error)) lost.set(under(path), { body, key });
    throw error;
  }
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
