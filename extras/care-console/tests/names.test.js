// Names are folded as the service folds them: its own tests read the same table. `.ci/console` runs it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { folded, meant } from "../web/names.js";

const folds = JSON.parse(readFileSync(new URL("../../../care-core/tests/folds.json", import.meta.url), "utf8"));

test("names are folded as the service does", () => {
  for (const [name, wanted] of folds) assert.equal(folded(name), wanted, JSON.stringify(name));
});

test("no language of the browser changes how names are folded", () => {
  const { toLocaleLowerCase, toLocaleUpperCase } = String.prototype;
  String.prototype.toLocaleLowerCase = String.prototype.toLocaleUpperCase = () => assert.fail("by the language");
  assert.equal(folded("IBUPROFEN"), "ibuprofen");
  Object.assign(String.prototype, { toLocaleLowerCase, toLocaleUpperCase });
});

test("what may be meant comes best first", () => {
  const items = ["Bezinc", "Co-Zinc", "Zincovit", "Zinc", "Calcium Zinc"].map((medicine) => ({
    medicine,
    folded: folded(medicine),
  }));
  const found = (/** @type {string} */ text, most = 9) => meant(items, text, most).map(({ medicine }) => medicine);
  assert.deepEqual(found("ZINC"), ["Zinc", "Zincovit", "Co-Zinc", "Calcium Zinc", "Bezinc"]);
  assert.deepEqual(found("zinc", 2), ["Zinc", "Zincovit"]);
  assert.deepEqual(found("iron"), []);
});
