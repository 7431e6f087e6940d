// Modal questions.

import { W } from "../words.js";
import { button, h } from "./dom.js";

/**
 * Asks a question with several answers, the last of which is the usual one. The focus returns to its place afterwards. A
 * question goes with the screen that asks it, and is never answered then.
 * @param {string} question
 * @param {import("./dom.js").Child} detail
 * @param {string[]} answers
 * @param {AbortSignal} signal when the screen is left
 * @param {string} [tone] the class of all answers but the last
 * @returns {Promise<number>} the place of the answer
 */
export function ask(question, detail, answers, signal, tone) {
  return new Promise((resolve) => {
    if (signal.aborted) return;
    const last = answers.length - 1;
    /** @type {HTMLDialogElement} */
    const dialog = h(
      "dialog",
      { "aria-labelledby": "question" },
      h("h2", { id: "question" }, question),
      detail instanceof Node ? detail : h("p", {}, detail),
      h(
        "div",
        { class: "actions" },
        answers.map((text, place) =>
          button(text, () => dialog.close(String(place)), place === last ? { autofocus: true } : { class: tone }),
        ),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(Number(dialog.returnValue || last));
    });
    signal.addEventListener("abort", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * Asks for confirmation.
 * @param {string} question @param {import("./dom.js").Child} detail
 * @param {string} yes what the deed is called
 * @param {AbortSignal} signal when the screen is left
 * @param {string} [no] what leaving it is called
 */
export const sure = async (question, detail, yes, signal, no = W.form.cancel) =>
  (await ask(question, detail, [yes, no], signal, "danger")) === 0;
