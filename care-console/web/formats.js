// Values formatted for people, and days formatted for the service.

import { W } from "./words.js";

/** `DD/MM/YYYY` as `YYYY-MM-DD`, as a field for a day wants it. @param {string | undefined} day */
export const toField = (day) => (day ?? "").split("/").reverse().join("-");

/** `YYYY-MM-DD` as `DD/MM/YYYY`, as the service wants it. @param {string} day */
export const fromField = (day) => day.split("-").reverse().join("/");

/** Formats a day of the service for people, such as `3 Feb 2026`. @param {string | undefined} day */
export function day(day) {
  if (!day) return W.form.none;
  const [date, month, year] = day.split("/").map(Number);
  const at = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, date));
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
}

/** Formats an instant in the time zone of this computer. @param {string} text */
export function instant(text) {
  return new Date(text).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

/** Formats an amount. @param {number | bigint | undefined} price @param {string | undefined} currency */
export function money(price, currency) {
  return price === undefined ? W.form.none : currency ? `${price} ${currency}` : String(price);
}

/** Returns today's day in this computer's time zone, `YYYY-MM-DD`. @param {number} [plus] a number of days later */
export function today(plus = 0) {
  const at = new Date();
  at.setDate(at.getDate() + plus);
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
