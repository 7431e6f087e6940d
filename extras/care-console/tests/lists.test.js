// What is said of a list that was cut. `.ci/console` runs it.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";
import "./page.js";

const { nothing } = await import("../web/ui/table.js");
const web = new URL("../web/", import.meta.url);

for (const file of await readdir(new URL("words/", web))) {
  test(`a list that was cut is not said to have nothing: ${file}`, async () => {
    const words = await import(new URL("words/" + file, web).href);
    const { none, cut } = words.DESK.find;
    assert.ok(cut && cut !== none);
    const own = await import("../web/words.js");
    Object.assign(own.DESK, words.DESK);
    assert.equal(nothing(none, true), cut);
    for (const whole of [false, undefined]) assert.equal(nothing(none, whole), none);
  });
}

test("each screen that reads whether a list goes on says so of an empty one", async () => {
  const screens = await readdir(new URL("screens/", web));
  const silent = [];
  for (const file of screens) {
    const text = await readFile(new URL("screens/" + file, web), "utf8");
    const isCut = /\{ items, more \} = await list/.test(text);
    // A list of the inventory names the number that was looked at.
    const isSaid = /isCut: more|isCut = more|noneOf\(MOST\)/.test(text);
    if (isCut && text.includes("rows.update(") && !isSaid) silent.push(file);
  }
  assert.deepEqual(silent, []);
});
