// What becomes of a draft when its form is opened again: whose it is, and what it was typed over. Nothing here needs a
// browser.

import { folded } from "./names.js";

/** What is in a field: its text, or whether it is ticked. @typedef {string | boolean} Content */
/**
 * A field of a form, with what is in it.
 * @typedef {object} Entry
 * @property {string} name what tells it from the other fields of its form, but for those of other rows
 * @property {Content} value
 * @property {Content} first what was there before anything was typed
 * @property {string} [over] the shelf as it was when the field was typed, for a count
 */
/**
 * Whose a draft is: the record that its form was opened over.
 * @typedef {object} Whose
 * @property {string | undefined} epoch of the database, while it is known
 * @property {string} [heading] of the page
 * @property {string} [names] those in the heading, which are the same in every language
 * @property {string | undefined} [tag] the record's, where there was one
 * @property {string | undefined} [about] the name in the form, where it makes a record
 */
/** What was typed into a form and not sent. @typedef {Whose & { entries: Entry[] }} Draft */

/**
 * Whether a draft is put back without a question, or why it is only offered: it is from before another database took the
 * place of its own, where the same number may be another record's, or it may be about another person or medicine.
 * @param {Whose} draft @param {Whose} now
 * @returns {"own" | "past" | "other"}
 */
export function fate(draft, now) {
  if (draft.epoch === undefined || now.epoch === undefined) return "other";
  if (draft.epoch !== now.epoch) return "past";
  if (draft.tag !== undefined && draft.tag === now.tag) return "own";
  const isRenamed = draft.names !== undefined && draft.names !== now.names;
  // A form that begins without a name goes on with that of its draft.
  const isNamed = (now.about ?? "") !== "" && folded(draft.about ?? "") !== folded(now.about ?? "");
  return isRenamed || isNamed ? "other" : "own";
}

/** Whether something was typed into a field. @param {Entry} entry */
export const isEdited = ({ value, first }) => value !== first;

/**
 * Pairs the entries of a draft with the fields of its form: each with the next field of its name.
 * @template {Entry} T
 * @param {Entry[]} entries @param {T[]} fields
 * @returns {{ entry: Entry, field: T | undefined }[]}
 */
export function paired(entries, fields) {
  const left = [...fields];
  return entries.map((entry) => {
    const place = left.findIndex((field) => field.name === entry.name);
    return { entry, field: place < 0 ? undefined : left.splice(place, 1)[0] };
  });
}

/**
 * Whether what was typed is late: others have stored something in the same field since, or, for a count, units of its
 * shelf were moved. What others have stored in other fields is no reason, nor is the same value.
 * @param {{ entry: Entry, field: Entry | undefined }} pair the field as its form was opened now
 */
export function isLate({ entry, field }) {
  if (!isEdited(entry)) return false;
  if (entry.over !== undefined) return entry.over !== field?.over;
  return field !== undefined && field.first !== entry.first && field.first !== entry.value;
}
