// Days as people write them, on 27 November 2026. `.ci/console` runs it.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import "./page.js";

mock.timers.enable({ apis: ["Date"], now: new Date(2026, 10, 27, 12) });
const { written } = await import("../web/formats.js");

/** @type {[kind: import("../web/formats.js").DayKind, text: string, day: string | undefined][]} */
const days = [
  // What was done: the service takes visits of tomorrow, and none of later days.
  ["day", "25/11", "25/11/2026"],
  ["day", "25.11.", "25/11/2026"],
  ["day", "28/11", "28/11/2026"],
  ["day", "29/11", "29/11/2025"],
  ["day", "25/12", "25/12/2025"],
  ["day", "29/2", "29/02/2024"],
  ["day", "30/2", undefined],
  ["day", "25/12/2026", "25/12/2026"],
  ["day", "t", "27/11/2026"],
  // On packages: none that is over is meant.
  ["lastDay", "27/11", "27/11/2026"],
  ["lastDay", "26/11", "26/11/2027"],
  ["lastDay", "29/2", "29/02/2028"],
  ["lastDay", "12/28", "31/12/2028"],
  ["lastDay", "02/2028", "29/02/2028"],
  // Of birth: the year is written.
  ["birthDay", "25/11", undefined],
  ["birthDay", "25/11/26", "25/11/2026"],
  ["birthDay", "25/11/27", "25/11/1927"],
];

for (const [kind, text, day] of days) {
  test(`${kind} ${text}`, () => assert.equal(written(text, kind), day));
}
