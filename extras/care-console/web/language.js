// The language of the page: the one that was chosen by hand, or else the first that the browser asks for.

/** The languages, each by its own name. */
export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", es: "Español", ar: "العربية" };

/** A language that is made of English, in longer words, for checks alone. It is chosen by name. */
const PSEUDO = "pseudo";
const STORED = "care.language";

/** Returns the language of the page. */
export function language() {
  const wanted = [localStorage.getItem(STORED) ?? "", ...navigator.languages];
  const found = wanted.map((tag) => tag.split("-", 1)[0] ?? "").find((tag) => tag === PSEUDO || tag in LANGUAGES);
  return found ?? "en";
}

/** Keeps a language for this browser. @param {string} wanted */
export const choose = (wanted) => localStorage.setItem(STORED, wanted);
