// What the lists of today begin with, also where the service's own list of a part ends before it. `.ci/console` runs it.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.js";

const { newest } = await import("../web/screens/today.js");

/** The number of records of each kind, the newest with the highest number. */
const ALL = 1200;
const PAGE = 500;
const numbered = (/** @type {number} */ from, /** @type {number} */ to) =>
  Array.from({ length: Math.max(0, Math.min(ALL, to) - from) }, (_, place) => ({ id: from + place + 1 }));

/** Answers as the service does. @param {string} address */
function answer(address) {
  const { pathname, searchParams: query } = new URL(address, "http://desk.example");
  if (pathname.endsWith("/today"))
    return { [query.get("part") ?? ""]: { count: 1000, more: true, items: numbered(0, PAGE) } };
  const [limit, after] = ["limit", "after"].map((name) => Number(query.get(name) ?? 0));
  if (query.get("newest") === "true") return { items: numbered(ALL - limit, ALL).reverse(), next: "1" };
  return { items: numbered(after, after + limit), ...(after + limit < ALL ? { next: String(after + limit) } : {}) };
}
/** @type {string[]} */
const asked = [];
globalThis.fetch = async (address) => {
  asked.push(String(address));
  return new Response(JSON.stringify(answer(String(address))));
};

/** @param {any} part @param {number} count @param {number} most */
async function ids(part, count, most) {
  asked.length = 0;
  const today = /** @type {any} */ ({ [part]: { count, items: numbered(0, Math.min(count, 5)) } });
  return (await newest(part, today, most, new AbortController().signal)).map(({ id }) => id);
}

test("a part that has come whole is turned around", async () => {
  assert.deepEqual(await ids("unpaid", 3, 5), [3, 2, 1]);
  assert.deepEqual(asked, []);
});

test("of many the newest come first", async () => {
  assert.deepEqual(await ids("unpaid", 1000, 5), [1200, 1199, 1198, 1197, 1196]);
  assert.equal(asked.length, 1);
  assert.deepEqual(await ids("openVisits", 1000, 5), [1200, 1199, 1198, 1197, 1196]);
  assert.deepEqual((await ids("unpaid", 1000, PAGE)).slice(-1), [701]);
});

test("prescriptions without an invoice have no other list", async () => {
  assert.deepEqual(await ids("withoutInvoice", 1000, 5), [500, 499, 498, 497, 496]);
});

test("what is about no person stays in its order", async () => {
  assert.deepEqual(await ids("orders", 1000, 3), [1, 2, 3]);
  assert.deepEqual(asked, []);
});
