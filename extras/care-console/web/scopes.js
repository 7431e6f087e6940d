// What the key may do, as the service says of it.

import { call } from "./api.js";

/** @typedef {import("./contract.js").Key["scopes"][number]} Scope */
/** @typedef {{ name?: string, address?: string, printAllergies?: boolean }} Facility */
/** @typedef {{ name: string, scopes: Set<string>, facility?: Facility | undefined }} Holder */

/** @type {Holder | undefined} */
let holder;

/** The name of the key's holder; `undefined` without a session. */
export const name = () => holder?.name;

/** Where the key is used, as it stands on paper. */
export const facility = () => [holder?.facility?.name, holder?.facility?.address].filter(Boolean);

/** Whether the facility wants allergies on paper. */
export const printsAllergies = () => holder?.facility?.printAllergies === true;

/** Whether the key has all of these scopes. @param {...Scope} scopes */
export const may = (...scopes) => scopes.every((scope) => holder?.scopes.has(scope) === true);

/** Whether the key has one of these scopes. @param {readonly Scope[]} scopes */
export const mayAny = (scopes) => scopes.some((scope) => may(scope));

/** Sets the holder, `undefined` at the end of a session. @param {Holder | undefined} next */
export const become = (next) => void (holder = next);

/**
 * Asks the service about a key.
 * @param {string} key
 * @returns {Promise<Holder>}
 * @throws {import("./api.js").Problem} when the key is refused, or nothing answers
 */
export async function about(key) {
  const { data } = /** @type {{ data: import("./contract.js").Key }} */ (
    await call("GET", "/key", { key, quiet: true })
  );
  return {
    name: data.name,
    scopes: new Set(data.scopes),
    facility: data.facility,
  };
}
