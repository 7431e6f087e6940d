// How a language counts, lists, and writes numbers, amounts and days.

/** What a count of things is called, `#` being the count. @typedef {Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }} Forms */

/** Units whose plural is known. The others stand as they were entered. */
const COUNTED = "ampoule|bottle|capsule|dose|inhaler|pack|pen|piece|sachet|strip|tablet|tube|unit|vial";

/**
 * Returns the tools of a language.
 * @param {string} tag
 * @param {"ltr" | "rtl"} [direction]
 */
export function speech(tag, direction = "ltr") {
  const rules = new Intl.PluralRules(tag);
  const numbers = new Intl.NumberFormat(tag);
  const changes = new Intl.NumberFormat(tag, { signDisplay: "exceptZero" });
  const hundredths = new Intl.NumberFormat(tag, { style: "percent", minimumFractionDigits: 2 });
  const either = new Intl.ListFormat(tag, { type: "disjunction" });
  const all = new Intl.ListFormat(tag);
  const collator = new Intl.Collator(tag, { numeric: true });
  const days = new Intl.DateTimeFormat(tag, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
  const names = [tag, "en"].flatMap((tag) =>
    /** @type {const} */ (["long", "short"]).map((month) => new Intl.DateTimeFormat(tag, { month, timeZone: "UTC" })),
  );
  const words = new Intl.DateTimeFormat(tag, { dateStyle: "full", timeZone: "UTC" });
  const instants = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "long" });
  /** @type {Map<string, Intl.NumberFormat>} */
  const amounts = new Map();

  /** @param {string} currency */
  function amount(currency) {
    const how = /** @type {const} */ ({ style: "currency", currency, currencyDisplay: "code" });
    // An amount is in whole units of its currency, whatever parts the currency has.
    const made = amounts.get(currency) ?? new Intl.NumberFormat(tag, { ...how, maximumFractionDigits: 0 });
    amounts.set(currency, made);
    return made;
  }
  const counted = new RegExp("^(" + COUNTED + ")s$", "i");
  const n = (/** @type {number | bigint} */ value) => numbers.format(value);
  return {
    language: tag.split("-", 1)[0] ?? tag,
    direction,
    n,
    /** @param {number} value a change */
    signed: (value) => changes.format(value),
    /** Says a count of things. @param {number} count @param {Forms} forms */
    plural: (count, forms) => (forms[rules.select(count)] ?? forms.other).replace("#", n(count)),
    /** A unit as it is called after a count of it. @param {number} count @param {string} unit as it was entered */
    unit: (count, unit) => (count === 1 ? unit.replace(counted, "$1") : unit),
    /** Compares texts as a person sorts them. */
    compare: collator.compare,
    /** Lists things of which each counts. @param {string[]} items */
    list: (items) => all.format(items),
    /** Lists things of which none is meant. @param {string[]} items */
    or: (items) => either.format(items),
    /** @param {number} part of one */
    percent: (part) => hundredths.format(part),
    /** @param {number | bigint} price @param {string} currency */
    money: (price, currency) => amount(currency).format(price),
    /** A day in short; British English has one month of four letters. @param {Date} at */
    day: (at) => days.format(at).replace("Sept ", "Sep "),
    /** What the month of a day is called, here and in English. @param {Date} at */
    months: (at) => names.map((one) => one.format(at)),
    /** A day in words. @param {Date} at */
    inWords: (at) => words.format(at),
    /** An instant, with the time zone of this computer. @param {Date} at */
    instant: (at) => instants.format(at).replace("Sept ", "Sep "),
  };
}
