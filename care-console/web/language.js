// The language of the page: the one that was chosen by hand, or else the first that the browser asks for.

/** The languages, each by its own name. */
export const LANGUAGES = { en: "English" };

/** @typedef {keyof typeof LANGUAGES} Language */

const STORED = "care.language";

/** @param {string} tag @returns {tag is Language} */
const isOurs = (tag) => Object.hasOwn(LANGUAGES, tag);

/** Returns the language of the page. @returns {Language} */
export function language() {
  const wanted = [localStorage.getItem(STORED) ?? "", ...navigator.languages];
  return wanted.map((tag) => tag.split("-", 1)[0] ?? "").find(isOurs) ?? "en";
}
