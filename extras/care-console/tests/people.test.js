// Who may be the same person, and who was opened last. `.ci/console` runs it.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import "./page.js";

mock.timers.enable({ apis: ["Date"], now: new Date(2026, 10, 27, 12) });
const { forget } = await import("../web/memory.js");
const { become } = await import("../web/scopes.js");
const { isSame, remember, seen, unremember } = await import("../web/screens/people.js");

const [born, other] = ["26/11/1990", "28/11/1990"];
for (const [name, recorded, typed, wanted] of /** @type {const} */ ([
  ["the same age", { age: 36 }, { age: 36 }, true],
  ["another age", { age: 36 }, { age: 35 }, false],
  ["a day of birth, and the age that follows", { birthDate: born, age: 36 }, { birthDate: born }, true],
  ["an age on record, and a day that is typed", { age: 36 }, { birthDate: born }, true],
  ["an age on record, and a day before which it is", { age: 36 }, { birthDate: other }, false],
  ["a day on record, and an age that is typed", { birthDate: born }, { age: 36 }, true],
  ["a day on record, and another age", { birthDate: other }, { age: 36 }, false],
  ["the same phone number", { phone: 441632960004 }, { phone: 441632960004 }, true],
  ["nothing but the name", {}, {}, false],
])) {
  test(name, () => {
    const one = { patientId: 1, name: "Ada Example", ...recorded };
    assert.equal(isSame(one, { name: "ADA  exámple", ...typed }), wanted);
    assert.equal(isSame(one, { name: "Bo Example", ...typed }), false);
  });
}

/** @param {string} name */
const holder = (name) => become(/** @type {any} */ ({ name, scopes: new Set() }));
const numbers = () => seen().map(({ patientId }) => patientId);

test("the last eight are kept in the tab, as numbers, for their holder", () => {
  holder("Ada");
  for (const patientId of [1, 2, 3, 4, 5, 6, 7, 8, 9, 3]) remember({ patientId });
  assert.deepEqual(numbers(), [3, 9, 8, 7, 6, 5, 4, 2]);
  assert.equal(sessionStorage.getItem("care.seen"), '[["Ada",[2,4,5,6,7,8,9,3]]]');
  unremember("9");
  assert.deepEqual(numbers(), [3, 8, 7, 6, 5, 4, 2]);
  holder("Bo");
  assert.deepEqual(numbers(), []);
  remember({ patientId: 1 });
  holder("Ada");
  assert.deepEqual(numbers(), []);
});

for (const which of /** @type {const} */ (["shown", "all"])) {
  test(`what is forgotten is not in the tab: ${which}`, () => {
    holder("Ada");
    remember({ patientId: 1 });
    forget(which);
    assert.deepEqual(numbers(), []);
    assert.equal(sessionStorage.getItem("care.seen"), null);
  });
}
