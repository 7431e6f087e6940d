// Requests to the service. No other file sends any.

import { remembers } from "./memory.js";
import * as session from "./session.js";
import { W } from "./words.js";

/** The base path, which is the folder above the console's. */
export const BASE = new URL("..", document.baseURI).pathname.replace(/\/$/, "");

/** The time limit of a request in milliseconds. A long poll adds its `wait` to it. */
const PATIENCE = 40_000;
/** The number of exchanges that are kept, and the number of characters kept of each body. */
const REMEMBERED = 30;
const LONGEST = 100_000;

/**
 * @typedef {object} Exchange
 * @property {string} method
 * @property {string} path below the base path, with its query
 * @property {string | undefined} body
 * @property {Record<string, string>} headers those that say something, without the key
 * @property {number} status 0 without an answer
 * @property {number} took in milliseconds
 * @property {string} answer
 */

/** @type {Exchange[]} the latest first */
export const exchanges = [];
/** @type {Set<() => void>} */
const watchers = new Set();
/** @param {() => void} watcher */
export const watch = (watcher) => watchers.add(watcher);
remembers(() => {
  exchanges.length = 0;
  watchers.forEach((watcher) => watcher());
});

/** A refusal, or no answer at all. */
export class Problem extends Error {
  /** @param {number} status @param {Partial<import("./contract.js").Problem>} details */
  constructor(status, details) {
    const type = (details.type ?? "").replace("urn:care:problem:", "");
    const known = /** @type {Record<string, string>} */ (W.problems)[type];
    const remedy = /** @type {Record<string, string>} */ (W.remedies)[type];
    super(remedy ?? known ?? details.detail ?? details.title ?? W.problem.unknown);
    this.status = status;
    this.title = known ?? details.title ?? W.problem.unknown;
    this.type = type;
    this.errors = details.errors ?? [];
    /** The language of its errors: the service's, or that of the page. */
    this.language = details.type === undefined ? undefined : "en";
  }
}

/**
 * @typedef {object} Options
 * @property {Record<string, unknown>} [query]
 * @property {unknown} [body]
 * @property {string} [ifMatch] the tag that the record must still have
 * @property {string} [once] the `Idempotency-Key`
 * @property {AbortSignal} [signal]
 * @property {string} [key] another key than that of the session, to ask about it
 * @property {boolean} [quiet] not among the requests that the drawer shows
 * @property {number} [wait] how long a long poll waits, in milliseconds
 */

/**
 * Sends a request.
 * @template [T=unknown]
 * @param {string} method
 * @param {string} path
 * @param {Options} [options]
 * @returns {Promise<{ data: T, tag: string, location: string, status: number, retryAfter: number }>} `retryAfter` is the
 *   pause that the service asks for, in milliseconds
 * @throws {Problem}
 */
export async function call(method, path, options = {}) {
  const target = path + query(options.query);
  /** @type {Record<string, string>} */
  const headers = {};
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (options.ifMatch) headers["If-Match"] = options.ifMatch;
  if (options.once) headers["Idempotency-Key"] = options.once;
  const body = options.body === undefined ? undefined : write(options.body);
  const patience = AbortSignal.timeout(PATIENCE + (options.wait ?? 0));
  const signal = options.signal ? AbortSignal.any([options.signal, patience]) : patience;
  const began = performance.now();
  const key = options.key ?? session.current();
  /** @param {number} status @param {string} answer */
  const note = (status, answer) => {
    // An answer that comes after the end of its session is nothing to remember.
    if (options.quiet || key !== session.current()) return;
    const took = Math.round(performance.now() - began);
    exchanges.unshift({ method, path: target, body, headers, status, took, answer: answer.slice(0, LONGEST) });
    exchanges.length = Math.min(exchanges.length, REMEMBERED);
    watchers.forEach((watcher) => watcher());
  };
  const response = await send(method, target, { headers, key, body, signal, given: options.signal, note });
  const text = await response.text().catch(() => "");
  note(response.status, text);
  const data = read(text);
  if (response.status === 401 && key === session.current()) session.end("refused");
  if (!response.ok) throw new Problem(response.status, isRecord(data) ? data : {});
  const location = response.headers.get("Content-Location") ?? response.headers.get("Location") ?? "";
  const retryAfter = 1000 * Number(response.headers.get("Retry-After") ?? 0) || 0;
  const tag = response.headers.get("ETag") ?? "";
  return { data: /** @type {T} */ (data), tag, location, status: response.status, retryAfter };
}

/** Returns the answer of the same read in XML. @param {string} path @returns {Promise<string>} */
export async function inXml(path) {
  const response = await fetch(BASE + path, options("GET", { Accept: "application/xml" }, session.current()));
  return response.text();
}

/**
 * Reads a list to its end, or as far as this many items.
 * @template T
 * @param {string} path
 * @param {Options & { most?: number }} [options]
 * @returns {Promise<{ items: T[], more: boolean }>}
 */
export async function list(path, options = {}) {
  const most = options.most ?? 2000;
  /** @type {T[]} */
  const items = [];
  let after;
  do {
    const limit = Math.min(500, most - items.length);
    /** @type {{ data: { items: T[], next?: string } }} */
    const page = await call("GET", path, { ...options, query: { ...options.query, limit, after } });
    items.push(...page.data.items);
    after = page.data.next;
  } while (after !== undefined && items.length < most);
  return { items, more: after !== undefined };
}

/** Returns a new `Idempotency-Key`. A form makes one when it is opened. */
export function once() {
  const bits = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bits, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {unknown} error */
export const wasLeft = (error) => error instanceof DOMException && error.name === "AbortError";

/**
 * @param {string} method @param {string} target
 * @param {{ headers: Record<string, string>, key: string | undefined, body: string | undefined, signal: AbortSignal,
 *   given: AbortSignal | undefined, note: (status: number, answer: string) => void }} how
 */
async function send(method, target, { headers, key, body, signal, given, note }) {
  try {
    return await fetch(BASE + target, { ...options(method, headers, key), body, signal });
  } catch (error) {
    if (given?.aborted) throw new DOMException("left", "AbortError");
    note(0, "");
    throw new Problem(0, { title: W.problem.noAnswer, detail: W.problem.noAnswerDetail });
  }
}

/** @param {string} method @param {Record<string, string>} headers @param {string | undefined} key @returns {RequestInit} */
function options(method, headers, key = "") {
  const shown = { Accept: "application/json", ...headers, api_key: key };
  return { method, headers: shown, credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" };
}

/** @param {Record<string, unknown>} [parameters] */
function query(parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && "?" + text;
}

/** @param {unknown} data @returns {data is Record<string, any>} */
const isRecord = (data) => typeof data === "object" && data !== null;

/**
 * Reads JSON. A whole number that a double does not hold exactly becomes a `bigint`: identifiers have up to 63 bits.
 * @param {string} text
 */
export function read(text) {
  /** @type {(this: any, key: string, value: unknown, context?: { source: string }) => unknown} */
  const exact = (_, value, context) => {
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
    // An older browser has rounded it by now: another record would be shown, and changed.
    if (context === undefined) throw new Problem(0, { title: W.problem.inexact });
    return /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
  };
  try {
    return JSON.parse(text, exact);
  } catch (error) {
    if (error instanceof Problem) throw error;
    return undefined;
  }
}

/** Writes JSON, every digit of a `bigint` included. @param {unknown} value @param {number} [indent] @returns {string} */
export function write(value, indent) {
  const mark = "\u0001";
  const marked = (/** @type {string} */ _, /** @type {unknown} */ part) =>
    typeof part === "bigint" ? mark + part + mark : part;
  // The service refuses control characters, so no text of a client holds the mark; JSON writes it as an escape.
  return JSON.stringify(value, marked, indent).replaceAll(/"\\u0001(-?\d+)\\u0001"/g, "$1");
}
