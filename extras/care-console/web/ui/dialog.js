// A modal question.

import { W } from "../words.js";
import { button, h } from "./dom.js";

/**
 * Asks for confirmation. The focus returns to its place afterwards. A question goes with the screen that asks it, and is
 * never answered then.
 * @param {string} question
 * @param {string} detail
 * @param {string} yes what the deed is called
 * @param {AbortSignal} signal when the screen is left
 * @param {string} [no] what leaving it is called
 * @returns {Promise<boolean>}
 */
export function sure(question, detail, yes, signal, no = W.form.cancel) {
  return new Promise((resolve) => {
    if (signal.aborted) return;
    const title = h("h2", { id: "question" }, question);
    /** @type {HTMLDialogElement} */
    const dialog = h(
      "dialog",
      { "aria-labelledby": "question" },
      title,
      h("p", {}, detail),
      h(
        "div",
        { class: "actions" },
        button(yes, () => dialog.close("yes"), { class: "danger" }),
        button(no, () => dialog.close(), { autofocus: true }),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    signal.addEventListener("abort", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  });
}
