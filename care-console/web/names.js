// Names of medicines, as they are compared and searched.

/** A medicine's name as names are compared, whatever its case and spaces. @param {string} name */
export const folded = (name) => name.normalize("NFC").trim().replace(/\s+/g, " ").toLocaleLowerCase();

/**
 * The medicines that are probably meant, the best first: the one of this name, those that begin like the text, those with
 * a word that does, then those that contain it.
 * @template {{ folded: string }} T
 * @param {T[]} items @param {string} text @param {number} most
 */
export function meant(items, text, most) {
  const wanted = folded(text);
  /** @param {T} item */
  const rank = (item) => {
    const at = item.folded.indexOf(wanted);
    if (at < 0) return undefined;
    return item.folded === wanted ? 0 : at === 0 ? 1 : item.folded[at - 1] === " " ? 2 : 3;
  };
  const found = items.map((item) => ({ item, rank: rank(item) })).filter((one) => one.rank !== undefined);
  return found
    .sort((one, other) => Number(one.rank) - Number(other.rank))
    .slice(0, most)
    .map(({ item }) => item);
}
