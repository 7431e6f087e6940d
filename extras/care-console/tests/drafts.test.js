// Which drafts are put back by themselves. `.ci/console` runs it.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.js";

const { isOf } = await import("../web/drafts.js");

test("a draft is put back under the heading that it was typed under", () => {
  const now = { heading: "Ada Example", language: "en" };
  assert.ok(isOf({ entries: [], ...now }, now));
  assert.ok(!isOf({ entries: [], ...now, heading: "Bo Example" }, now));
  // It came from the form that registered her, or from the page in another language.
  assert.ok(isOf({ entries: [] }, now));
  assert.ok(isOf({ entries: [], heading: "Record a visit", language: "de" }, now));
});
