// The paper that a sheet is printed on.

import { LANGUAGES } from "../language.js";
import { tab } from "../tab.js";
import { MONEY, SPEECH, saying } from "../words.js";
import { h, show } from "./dom.js";
import { choice } from "./form.js";

/** @typedef {"sheet" | "label"} Kind */

/** The size that was chosen last for each kind of print. @type {ReturnType<typeof tab<string>>} */
const chosen = tab("care.paper", 2);
/** The papers of each kind, its usual one first. @type {Record<Kind, (keyof typeof MONEY.papers)[]>} */
const SIZES = { sheet: ["a4", "a5", "roll80", "roll58"], label: ["label", "a4"] };

/** A roll has no end: its page is as long as what is printed on it. */
const ends = new CSSStyleSheet();
document.adoptedStyleSheets.push(ends);
addEventListener("beforeprint", () => {
  const { documentElement: root } = document;
  const paper = document.querySelector(".paper");
  const width = { roll80: 80, roll58: 58 }[root.dataset["paper"] ?? ""];
  if (!paper || width === undefined) return;
  root.classList.add("rolled");
  const high = Math.ceil((paper.getBoundingClientRect().height * 25.4) / 96) + 10;
  root.classList.remove("rolled");
  ends.replaceSync(`@page roll${width} { size: ${width}mm ${high}mm; }`);
});

/**
 * A choice of paper. It holds until the signal, for what is printed elsewhere has the printer's own paper.
 * @param {AbortSignal} signal
 */
export function papers(signal) {
  const { node, select } = choice("paper", MONEY.paper, []);
  const { dataset } = document.documentElement;
  /** @type {Kind} */
  let kind = "sheet";
  select.addEventListener("change", () => {
    dataset["paper"] = select.value;
    chosen.put(kind, select.value);
  });
  signal.addEventListener("abort", () => delete dataset["paper"]);
  /** Offers the papers of a kind of print. @param {Kind} next */
  function use(next) {
    kind = next;
    show(
      select,
      SIZES[kind].map((size) => h("option", { value: size }, MONEY.papers[size])),
    );
    select.value = dataset["paper"] = chosen.get(kind) ?? SIZES[kind][0] ?? "";
  }
  use(kind);
  return { node, use };
}

/**
 * A choice of the language that a paper is written in, for that of the patient may not be the page's.
 * @param {HTMLElement} paper @param {() => void} draw calls what writes it
 */
export function tongue(paper, draw) {
  const { node, select } = choice("tongue", MONEY.language, Object.entries(LANGUAGES));
  for (const option of select.options) option.lang = option.value;
  select.value = SPEECH.language;
  /** @type {import("../words.js").Saying} */
  let say = (make) => make();
  let spoken = select.value;
  select.addEventListener("change", async () => {
    const wanted = select.value;
    const next = await saying(wanted).catch(() => undefined);
    if (select.value !== wanted) return;
    if (!next) return void (select.value = spoken);
    [say, spoken] = [next, wanted];
    draw();
  });
  return {
    node,
    /** Writes the paper. @param {() => import("./dom.js").Child[]} make */
    write: (make) =>
      say(() => {
        paper.lang = SPEECH.language;
        paper.dir = SPEECH.direction;
        show(paper, ...make());
      }),
  };
}

/** Prints a sheet. What cannot be printed whole is not printed: the reason is read out once more. @param {HTMLElement} paper */
export function printWhole(paper) {
  const reason = paper.querySelector(":scope > .refusal");
  reason ? reason.replaceWith(reason.cloneNode(true)) : globalThis.print();
}
