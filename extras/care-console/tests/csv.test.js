// No cell of a CSV file is a formula: the tests of `care-admin` read the same table. `.ci/console` runs it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cell } from "../web/ui/csv.js";

const table = JSON.parse(readFileSync(new URL("../../care-server/tests/admin/formulas.json", import.meta.url), "utf8"));
/** Whether a text gets an apostrophe in front. @param {string} text */
const isGuarded = (text) => cell(text).replace(/^"/, "").startsWith("'");

test("what would be a formula is none", () => {
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const sign = String.fromCodePoint(code);
    const isSign = table.signs.includes(sign) || table.begins.includes(sign);
    if (sign !== "'") assert.equal(isGuarded(sign + "1"), isSign, JSON.stringify(sign));
  }
  for (const text of table.formulas) assert.ok(isGuarded(text), JSON.stringify(text));
  for (const [text, guarded] of Object.entries(table.within)) {
    const due = /** @type {string} */ (guarded);
    assert.equal(cell(text), /[",\r\n]/.test(due) ? `"${due.replaceAll('"', '""')}"` : due);
  }
  for (const text of table.texts) assert.equal(cell(text), text);
});

test("a number is a number, and quotes are doubled", () => {
  assert.equal(cell(-1), "-1");
  assert.equal(cell(undefined), "");
  assert.equal(cell('say "a, b"'), '"say ""a, b"""');
  assert.equal(cell("two\nlines"), '"two\nlines"');
});
