// Values formatted for people, and days formatted for the service.

import { SPEECH, W } from "./words.js";

/** Returns the text with the digits of Arabic and Persian keyboards as `0` to `9`, and their decimal sign as a point. @param {string} text */
export const latin = (text) => text.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15)).replace("٫", ".");

/** The century in which a year of two digits is. */
const CENTURY = 2000;

/** @typedef {"day" | "lastDay" | "birthDay"} DayKind Which days are meant: of what was done, those on packages, those of birth. */

const DAY = 86_400_000;
/**
 * The days that may be meant without a year, from the first to the last, as days from today. The service takes visits of
 * tomorrow; nothing is reported of later days.
 * @type {Record<DayKind, [first: number, last: number]>}
 */
const MEANT = { day: [-Infinity, 1], lastDay: [0, Infinity], birthDay: [-Infinity, 0] };
/** The years within which every day of the calendar comes around. */
const AROUND = Array.from({ length: 17 }, (_, year) => year - 8);

/** The number of a month that is written as a word, in the page's language or in English. @param {string} word */
function monthOf(word) {
  const wanted = word.toLowerCase().replace(".", "");
  const isIt = (/** @type {string} */ name) => wanted.length > 2 && name.toLowerCase().startsWith(wanted);
  const found = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2000, month, 1))).findIndex((at) =>
    SPEECH.months(at).some(isIt),
  );
  return found < 0 ? word : String(found + 1);
}

/**
 * Returns the numbers of a day, the year first, and `undefined` for what is not written as one. A year that is not
 * written is `undefined`.
 * @param {string} text @param {DayKind} kind
 * @returns {[year: number | undefined, month: number, date?: number] | undefined}
 */
function parts(text, kind) {
  const parts = latin(text.trim())
    .replace(/\.$/, "")
    .split(/[/. -]+/)
    .map((part) => (/^\p{L}/u.test(part) ? monthOf(part) : part));
  if (parts[0]?.length === 4) parts.reverse();
  const year = parts.at(-1) ?? "";
  if (!parts.every((part, place) => (place === parts.length - 1 ? /^\d{1,4}$/ : /^\d{1,2}$/).test(part)))
    return undefined;
  const [one = 0, two = 0] = parts.map(Number);
  const whole = year.length === 4 ? Number(year) : year.length === 2 ? inCentury(Number(year), kind) : undefined;
  if (parts.length === 3) return whole === undefined ? undefined : [whole, two, one];
  if (parts.length !== 2) return undefined;
  // On a package two numbers are a month and its year, unless there is no such month.
  if (kind === "lastDay" && whole !== undefined && (one <= 12 || year.length === 4)) return [whole, one];
  // The nearest such day is no day of birth.
  return kind === "birthDay" || year.length > 2 ? undefined : [undefined, two, one];
}

/** Returns the year of two digits, which is not to come where a person was born. @param {number} year @param {DayKind} kind */
const inCentury = (year, kind) =>
  CENTURY + year - (kind === "birthDay" && CENTURY + year > at(today()).getUTCFullYear() ? 100 : 0);

/** Whether a text is written as a day, whether or not there is such a day. @param {string} text @param {DayKind} kind */
export const isDay = (text, kind) => parts(text, kind) !== undefined;

/**
 * Returns the day that a person wrote as the service wants it, `DD/MM/YYYY`, and `undefined` for what is no whole day or
 * one that the calendar does not have. A day is written as `31/12/2028` or `2028-12-31`, with slashes, dots, hyphens or
 * spaces, in whichever language the browser is: a field of type `date` would read `03/04/2028` differently in each.
 * Without a year it is the nearest one that may be meant, and `t` is today.
 * @param {string} text
 * @param {DayKind} kind of a last day, a month alone, such as `12/2028`, is its last day
 */
export function written(text, kind) {
  if (text.trim().toLowerCase() === "t") return today();
  const found = parts(text, kind);
  if (!found) return undefined;
  const [year, month, date] = found;
  if (year !== undefined) return existing(year, month, date);
  const now = at(today());
  const [first, last] = MEANT[kind];
  const away = (/** @type {string} */ day) => (at(day).getTime() - now.getTime()) / DAY;
  return AROUND.flatMap((more) => existing(now.getUTCFullYear() + more, month, date) ?? [])
    .filter((day) => away(day) >= first && away(day) <= last)
    .sort((one, other) => Math.abs(away(one)) - Math.abs(away(other)))[0];
}

/** Returns a day if the calendar has it. @param {number} year @param {number} month @param {number} [date] the last of the month unless given */
function existing(year, month, date) {
  // The day before the first of the next month is the last of this one.
  const at = new Date(date === undefined ? Date.UTC(year, month, 0) : Date.UTC(year, month - 1, date));
  const exists = at.getUTCFullYear() === year && at.getUTCMonth() === month - 1;
  return exists && (date === undefined || at.getUTCDate() === date) ? asDay(year, month, at.getUTCDate()) : undefined;
}

/** Returns the whole years since a day: who was born on 29 February is a year older on 1 March of other years. @param {string} day */
export function years(day) {
  const [born, now] = [at(day), at(today())];
  const isBefore = now.getUTCMonth() - born.getUTCMonth() || now.getUTCDate() - born.getUTCDate();
  return now.getUTCFullYear() - born.getUTCFullYear() - Number(isBefore < 0);
}

/** Returns the day that is this many days or months after another. @param {string} day @param {number} days @param {number} months */
export function later(day, days, months) {
  const from = at(day);
  const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, from.getUTCDate() + days));
  return asDay(to.getUTCFullYear(), to.getUTCMonth() + 1, to.getUTCDate());
}

/** Formats a day of the service for people, such as `3 Feb 2026`. @param {string | undefined} day */
export const day = (day) => (day ? SPEECH.day(at(day)) : W.form.none);

/** Formats a day of the service in words, such as `Tuesday 3 February 2026`. @param {string} day */
export const inWords = (day) => SPEECH.inWords(at(day));

/** @param {string} day */
function at(day) {
  const [date, month, year] = day.split("/").map(Number);
  return new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, date));
}

/** Formats an instant, with the time zone of this computer. @param {string | Date} at */
export const instant = (at) => SPEECH.instant(new Date(at));

/** Formats a number of things. @param {number | bigint} value */
export const number = (value) => SPEECH.n(value);

/** Formats an amount. @param {number | bigint | undefined} price @param {string | undefined} currency */
export function money(price, currency) {
  return price === undefined ? W.form.none : currency ? SPEECH.money(price, currency) : SPEECH.n(price);
}

/** The digits of countries that have one or two; all others have three. */
const COUNTRY = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;
/**
 * The number of digits from which a phone number has its country in it. The service stores digits alone: one with fewer may
 * be a number of the facility's own country, whose first digits must not be shown as another one's code.
 */
const FULL = 11;

/** Returns a phone number as it is read out, such as `+44 163 296 0004`. @param {number | bigint} number */
export function phone(number) {
  const digits = String(number);
  const country = digits.length < FULL ? "" : (COUNTRY.exec(digits)?.[0] ?? "");
  const groups = digits.slice(country.length).match(/\d{3}(?=\d{3})|\d+/g) ?? [];
  return (country && "+" + country + " ") + groups.join(" ");
}

/** The days by which the facility's day is ahead of that of this computer. */
let ahead = 0;

/** Goes by the facility's day from now on. @param {string} day the one that the service says is today */
export function goBy(day) {
  const now = new Date();
  ahead = Math.round((at(day).getTime() - Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())) / DAY);
}

/** Returns the facility's today, `DD/MM/YYYY`. @param {number} [plus] a number of days later */
export function today(plus = 0) {
  const at = new Date();
  at.setDate(at.getDate() + ahead + plus);
  return asDay(at.getFullYear(), at.getMonth() + 1, at.getDate());
}

/** @param {number} year @param {number} month from 1 @param {number} date */
function asDay(year, month, date) {
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${two(date)}/${two(month)}/${String(year).padStart(4, "0")}`;
}
