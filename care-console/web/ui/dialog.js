// A modal question.

import { W } from "../words.js";
import { button, h } from "./dom.js";

/**
 * Asks for confirmation. The focus returns to its place afterwards.
 * @param {string} question
 * @param {string} detail
 * @param {string} yes what the deed is called
 * @param {string} [no] what leaving it is called
 * @returns {Promise<boolean>}
 */
export function sure(question, detail, yes, no = W.form.cancel) {
  return new Promise((resolve) => {
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
    document.body.append(dialog);
    dialog.showModal();
  });
}
