// Lists that end before their end. `.ci/console` runs it.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";

test("each screen that reads a list up to a number looks whether it goes on", async () => {
  const screens = new URL("../web/screens/", import.meta.url);
  for (const file of await readdir(screens)) {
    const text = await readFile(new URL(file, screens), "utf8");
    for (const [call, taken] of text.matchAll(/(?:(\{[^}]*\}|\w+) = )?(?:await )?list\("[^]*?\);/g)) {
      if (!/\bmost\b|\bhow\b/.test(call)) continue;
      const isRead = taken !== undefined && (taken.includes("more") || text.includes(`${taken}.more`));
      assert.ok(isRead, `${file}: ${call}`);
    }
  }
});
