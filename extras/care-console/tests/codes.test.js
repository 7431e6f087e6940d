// Codes of packages, each with what is read of it in 2026. `.ci/console` runs it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { scanned } from "../web/gs1.js";

const codes = JSON.parse(readFileSync(new URL("codes.json", import.meta.url), "utf8"));

for (const [name, code, wanted] of codes) {
  test(name, () => assert.deepEqual(scanned(code, 2026) ?? null, wanted));
}
