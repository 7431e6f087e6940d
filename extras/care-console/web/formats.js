// Values formatted for people, and days formatted for the service.

import { SPEECH, W } from "./words.js";

/** Returns the text with the digits of Arabic and Persian keyboards as `0` to `9`, and their decimal sign as a point. @param {string} text */
export const latin = (text) => text.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15)).replace("٫", ".");

/**
 * Returns the numbers of a day, the year first, and `undefined` for what is not written as one.
 * @param {string} text @param {boolean} isLast
 */
function parts(text, isLast) {
  const parts = latin(text.trim()).split(/[/. -]/);
  if (parts[0]?.length === 4) parts.reverse();
  const isWhole = parts.every((part, place) => (place === parts.length - 1 ? /^\d{4}$/ : /^\d{1,2}$/).test(part));
  return isWhole && (parts.length === 3 || (isLast && parts.length === 2)) ? parts.map(Number).reverse() : undefined;
}

/** Whether a text is written as a day, whether or not there is such a day. @param {string} text @param {boolean} isLast */
export const isDay = (text, isLast) => parts(text, isLast) !== undefined;

/**
 * Returns the day that a person wrote as the service wants it, `DD/MM/YYYY`, and `undefined` for what is no whole day or
 * one that the calendar does not have. A day is written as `31/12/2028` or `2028-12-31`, with slashes, dots, hyphens or
 * spaces, in whichever language the browser is: a field of type `date` would read `03/04/2028` differently in each.
 * @param {string} text
 * @param {boolean} [isLast] whether a month alone, such as `12/2028`, is its last day
 */
export function written(text, isLast = false) {
  const found = parts(text, isLast);
  if (!found) return undefined;
  const [year = 0, month = 0, date] = found;
  // The day before the first of the next month is the last of this one.
  const at = new Date(date === undefined ? Date.UTC(year, month, 0) : Date.UTC(year, month - 1, date));
  const exists = at.getUTCFullYear() === year && at.getUTCMonth() === month - 1;
  return exists && (date === undefined || at.getUTCDate() === date) ? asDay(year, month, at.getUTCDate()) : undefined;
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
/** The number of digits from which a phone number has its country in it. */
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
  ahead = Math.round((at(day).getTime() - Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())) / 86_400_000);
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
