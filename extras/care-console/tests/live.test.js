// How often the page asks for news. `.ci/console` runs it.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.js";

const { listen } = await import("../web/live.js");

/**
 * Listens to these answers, and returns how long the page waited before each request, in milliseconds.
 * @param {{ seq: number, retryAfter?: number }[]} answers
 */
async function pauses(answers) {
  const leaving = new AbortController();
  /** @type {number[]} */
  const asked = [];
  globalThis.fetch = async () => {
    asked.push(performance.now());
    const { seq, retryAfter } = answers[asked.length - 1] ?? { seq: 0 };
    if (asked.length >= answers.length) leaving.abort();
    const headers = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
    return new Response(JSON.stringify({ epoch: "00000001", seq, kinds: [] }), { headers });
  };
  await listen(
    leaving.signal,
    () => {},
    () => {},
  );
  return asked.slice(1).map((time, place) => time - (asked[place] ?? 0));
}

test("after an early answer without news, the page pauses for a second", async () => {
  // The first request only asks for the last entry, and does not wait.
  const [first, early] = await pauses([{ seq: 7 }, { seq: 7 }, { seq: 7 }]);
  assert.ok((first ?? 0) < 500 && (early ?? 0) >= 990, `${first}, ${early}`);
});

test("the page waits as long as the service asks", async () => {
  const [, asked, news] = await pauses([{ seq: 7 }, { seq: 7, retryAfter: 2 }, { seq: 8, retryAfter: 1 }, { seq: 8 }]);
  assert.ok((asked ?? 0) >= 1990 && (news ?? 0) >= 990, `${asked}, ${news}`);
});
