// What becomes of a draft when its form is opened again. `.ci/console` runs it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile, readdir } from "node:fs/promises";
import "./page.js";

const { fate, isEdited, isLate, paired } = await import("../web/draft.js");
const { FORMS } = await import("../web/drafts.js");

/** Every combination of one choice of each list. @param {Record<string, readonly string[]>} lists @returns {Record<string, string>[]} */
const combinations = (lists) =>
  Object.entries(lists).reduce(
    (all, [name, choices]) => all.flatMap((one) => choices.map((choice) => ({ ...one, [name]: choice }))),
    /** @type {Record<string, string>[]} */ ([{}]),
  );

const epochs = { same: "e1", other: "e2", unknown: undefined };
const tags = { same: '"1"', moved: '"2"', none: undefined };
const names = { same: "Ada Example", other: "Eve Other" };
const about = { none: "", same: "ADA  example", other: "Bob" };

for (const one of combinations({
  epoch: Object.keys(epochs),
  tag: Object.keys(tags),
  names: Object.keys(names),
  about: Object.keys(about),
})) {
  const wanted =
    one.epoch === "other"
      ? "past"
      : one.epoch === "same" && (one.tag === "same" || (one.names === "same" && one.about !== "other"))
        ? "own"
        : "other";
  test(`whose a draft is: ${JSON.stringify(one)}`, () => {
    const draft = { epoch: "e1", tag: '"1"', names: "Ada Example", about: "Ada Example" };
    const now = {
      epoch: epochs[/** @type {keyof typeof epochs} */ (one.epoch)],
      tag: tags[/** @type {keyof typeof tags} */ (one.tag)],
      names: names[/** @type {keyof typeof names} */ (one.names)],
      about: about[/** @type {keyof typeof about} */ (one.about)],
    };
    assert.equal(fate(draft, now), wanted);
  });
}

test("a draft without a name goes into no form with one, and one from an unknown database is only offered", () => {
  const now = { epoch: "e1", names: "", about: "Bob" };
  assert.equal(fate({ epoch: "e1", names: "", about: "" }, now), "other");
  assert.equal(fate({ epoch: "e1", names: "", about: "" }, { ...now, about: "" }), "own");
  assert.equal(fate({ epoch: undefined, names: "" }, { ...now, epoch: undefined }), "other");
  // It was handed on by the form that made the record.
  assert.equal(fate({ epoch: "e1" }, { epoch: "e1", names: "Ada Example", tag: '"1"' }), "own");
});

const typed = { none: "50", something: "70", theirs: "60" };
const stored = { same: "50", changed: "60" };
const shelves = { none: [undefined, undefined], same: ["s1", "s1"], moved: ["s1", "s2"] };

for (const one of combinations({
  typed: Object.keys(typed),
  stored: Object.keys(stored),
  shelf: Object.keys(shelves),
  field: ["there", "gone"],
})) {
  const isTyped = one.typed !== "none";
  // A count is late by what happened to its shelf alone, and so is that of a lot which is no longer there.
  const isMoved = one.shelf === "moved" || (one.shelf === "same" && one.field === "gone");
  const isChanged = one.shelf === "none" && one.field === "there" && one.stored === "changed" && one.typed !== "theirs";
  test(`what was typed since others have stored: ${JSON.stringify(one)}`, () => {
    const [before, now] = shelves[/** @type {keyof typeof shelves} */ (one.shelf)];
    const over = (/** @type {string | undefined} */ shelf) => (shelf === undefined ? {} : { over: shelf });
    const value = typed[/** @type {keyof typeof typed} */ (one.typed)];
    const first = stored[/** @type {keyof typeof stored} */ (one.stored)];
    const entry = { name: "weight", value, first: "50", ...over(before) };
    const other = { name: "age", value: "1", first: "1" };
    const field = { name: "weight", value: first, first, ...over(now) };
    const fields = one.field === "there" ? [other, field] : [other];
    assert.equal(isEdited(entry), isTyped);
    assert.deepEqual(paired([entry], fields).map(isLate), [isTyped && (isMoved || isChanged)]);
    // What others have stored in another field is no reason.
    assert.deepEqual(paired([other], [{ ...other, value: "2", first: "2" }]).map(isLate), [false]);
  });
}

test("a box that was ticked is judged as a text is", () => {
  const entry = { name: "insurance", value: true, first: false };
  assert.ok(isEdited(entry));
  assert.ok(!isLate({ entry, field: { ...entry, first: false } }));
  assert.ok(!isLate({ entry, field: { ...entry, first: true } }));
  assert.ok(isLate({ entry: { ...entry, value: false, first: true }, field: { ...entry, first: "x" } }));
});

test("each row takes its own entry", () => {
  const row = (/** @type {string} */ value) => ({ name: "quantity", value, first: "" });
  const pairs = paired([row("1"), row("2"), row("3")], [row("a"), row("b")]);
  assert.deepEqual(
    pairs.map(({ entry, field }) => [entry.value, field?.value]),
    [
      ["1", "a"],
      ["2", "b"],
      ["3", undefined],
    ],
  );
});

// A form that forgets to say what tells its draft from the others would lose what is typed into it.
test("every form says which draft it keeps, and each draft has one form", async () => {
  const folder = new URL("../web/", import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter((one) => one.endsWith(".js"));
  const ids = [];
  for (const file of files.filter((one) => !one.startsWith("ui"))) {
    const text = await readFile(new URL(file, folder), "utf8");
    for (const [call, member, id] of text.matchAll(
      /(?<!function )\b(?:form|edit|move)\(\{\s*(\w+)(?:: ("?\w+"?))?,/g,
    )) {
      assert.equal(member, "id", `${file}: ${call}`);
      if (id?.startsWith('"')) ids.push(id.slice(1, -1));
    }
  }
  assert.deepEqual(ids.sort(), [...FORMS].sort());
});
