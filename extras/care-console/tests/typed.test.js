// What becomes of a typed name: each of 82 medicines, by each of its beginnings, in each way. `.ci/console` runs it.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { folded, inOrder, rank } from "../web/names.js";
import { WAYS, becomes, isAnother, taken } from "../web/typed.js";

const [, ...lines] = readFileSync(new URL("medicines.csv", import.meta.url), "utf8")
  .trim()
  .split("\n");
const named = (/** @type {string} */ medicine) => ({ medicine, folded: folded(medicine) });
const items = lines.map((line) => named(line.split(",")[0] ?? ""));
const beginnings = (/** @type {string} */ name) => [...name].map((_, place) => name.slice(0, place + 1));
/** A name in an unusual spelling that is compared the same. @param {string} name */
const shouted = (name) => name.toUpperCase().replace(" ", "   ");

/** Those that begin so, and those with a later word that does. @param {string} text */
function begun(text) {
  const wanted = folded(text);
  const all = items.filter((item) => (rank(item, wanted) ?? 3) < 3);
  return { all, isOne: all.length === 1 && all[0]?.folded.startsWith(wanted) };
}

test("there are 82 medicines, some of them in several strengths and some inside of others", () => {
  assert.equal(items.length, 82);
  assert.ok(items.some((item) => items.some((other) => rank(other, item.folded) === 1)));
  assert.ok(items.some((item) => items.some((other) => rank(other, item.folded) === 3)));
});

for (const way of WAYS)
  test(`each beginning of each medicine is that medicine or a question: ${way}`, () => {
    for (const { medicine } of items)
      for (const start of beginnings(medicine))
        for (const text of [start, shouted(start), ` ${start} `]) {
          const became = becomes({ text, way, names: { items, isAll: true } });
          const whole = items.find((item) => item.folded === folded(text));
          const { all, isOne } = begun(text);
          const wanted = whole ?? (way === "enter" && isOne ? all[0] : undefined);
          assert.equal(became.held, wanted, `${text} by ${way}`);
          // A whole name is another one's only where it was typed in full.
          if (!whole && became.held) assert.equal(became.held.medicine, medicine);
          assert.equal(became.isAsked, wanted === undefined, text);
          assert.equal(became.text, way === "enter" && wanted ? wanted.medicine : text);
          assert.deepEqual(became.begun, wanted ? [] : all);
        }
  });

for (const way of WAYS)
  test(`nothing is completed from the middle of a word, or while not all names are read: ${way}`, () => {
    for (const { medicine, folded: name } of items)
      for (const start of beginnings(medicine)) {
        const part = { items, isAll: false };
        const became = becomes({ text: start, way, names: part });
        assert.equal(became.held?.folded, items.find((item) => item.folded === folded(start))?.folded);
        const inner = medicine.slice(start.length);
        const others = becomes({ text: inner, way, names: { items, isAll: true } });
        if (others.held) assert.ok(others.held.folded.startsWith(folded(inner)), `${inner} in ${name}`);
        // Beside one that the field cannot hold, it may be that one.
        const beside = { items, others: [named(`${start} or another`)], isAll: true };
        const own = becomes({ text: start, way, names: beside });
        assert.ok(own.isAsked || own.held?.folded === folded(start), start);
        // A name of no medicine is a question for every key, also one that sees none of them.
        for (const isAll of [true, false]) {
          const none = becomes({ text: start, way, names: { items: /** @type {typeof items} */ ([]), isAll } });
          assert.deepEqual(none, { held: undefined, text: start, isAsked: true, begun: [] });
        }
      }
  });

test("names one inside the other are not taken for each other", () => {
  for (const [typed, only] of [
    ["adrenaline", "Noradrenaline 1"],
    ["adrenaline 1", "Noradrenaline 1"],
    ["codeine", "Dihydrocodeine 30"],
    ["ephedrine", "Pseudoephedrine 60"],
  ])
    for (const way of WAYS) {
      const names = { items: [named(only ?? "")], isAll: true };
      assert.ok(becomes({ text: typed ?? "", way, names }).isAsked, `${typed} by ${way}`);
    }
});

test("a scan into a half typed name is no name", () => {
  for (const { medicine } of items)
    for (const start of beginnings(medicine)) {
      const text = `${start}01040123456789011728123110LOT9`;
      assert.ok(becomes({ text, way: "enter", names: { items, isAll: true } }).isAsked, text);
    }
});

test("Enter alone takes what is marked", () => {
  for (const way of WAYS)
    for (const marked of items) {
      const { held, text } = becomes({ text: "p", way, marked, names: { items, isAll: true } });
      assert.deepEqual([held, text], way === "enter" ? [marked, marked.medicine] : [undefined, "p"]);
    }
  assert.equal(taken(1, [2, 3], false), 1);
  assert.deepEqual(
    [[2], [2, 3], []].map((found) => [taken(undefined, found, true), taken(undefined, found, false)]),
    [
      [2, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ],
  );
});

test("an empty field asks nothing", () => {
  for (const way of WAYS)
    for (const text of ["", "  ", "\u200b"]) {
      const became = becomes({ text, way, names: { items, isAll: true } });
      assert.deepEqual(became, { held: undefined, text, isAsked: false, begun: [] });
    }
});

test("strengths are sorted as numbers", () => {
  const sorted = (/** @type {string[]} */ names) => inOrder(names.map(named)).map(({ medicine }) => medicine);
  const all = ["A 2.5", "A 5", "A 10", "A 500", "A 1000", "A 2.000", "A extra", "B 1,25", "B 1,5", "B 0.125", "C"];
  const wanted = ["A 2.5", "A 5", "A 10", "A 500", "A 1000", "A 2.000", "A extra", "B 0.125", "B 1,25", "B 1,5", "C"];
  assert.deepEqual(sorted(all.toReversed()), wanted);
  assert.deepEqual(
    inOrder(items.toReversed()).map(({ medicine }) => medicine),
    items.map(({ medicine }) => medicine),
  );
});

for (const [before, typed, wanted] of /** @type {const} */ ([
  ["Alice Example", "Alice Exemple", false],
  ["Alice Example", "Alise Muster", false],
  ["Jon Smith", "Jhon Schmidt", false],
  ["Mary Ann", "Ann Marie", false],
  ["Zoë", "Zoe", false],
  ["John", "Jhon", false],
  ["Alice", "Bob", true],
  ["Alice Example", "Bob Muster", true],
  ["Ann B", "Carl D", true],
  ["", "Bob", true],
  [undefined, "Bob", true],
  ["Alice", "", false],
  ["Zink 10", "Zinc 10", false],
  ["Zinc 10", "Zinc 20", true],
  ["Adrenaline 1", "Noradrenaline 1", true],
]))
  test(`another person or medicine: ${before}, ${typed}`, () => assert.equal(isAnother(before, typed), wanted));

test("every field that names a medicine holds a whole name", () => {
  const folder = new URL("../web/screens/", import.meta.url);
  for (const file of readdirSync(folder)) {
    const text = readFileSync(new URL(file, folder), "utf8");
    const fields = [...text.matchAll(/const (\w+) = control\(\{\s*name: "(?:medicine|scan)"/g)].map(([, name]) => name);
    // A new medicine has a new name.
    for (const field of fields.filter(() => file !== "item.js"))
      assert.ok(text.includes(`naming(${field}, {`), `${field} in ${file}`);
  }
});
