// Editing one record while others may edit it too.

import { h } from "./dom.js";
import { changes, form, grid } from "./form.js";
import { guarded } from "./stale.js";
import { W } from "../words.js";

/**
 * A form over a record that was read with its tag. It sends only what was edited, under that tag.
 * @param {object} options
 * @param {import("./form.js").Control[]} options.controls
 * @param {string} options.tag the record's, as it was read
 * @param {() => Promise<{ data: any, tag: string }>} options.get reads the record again
 * @param {(body: Record<string, unknown>) => Promise<boolean>} [options.isMeant] asks about what was edited, if need be
 * @param {(body: Record<string, unknown>, tag: string) => Promise<unknown>} options.send writes what was edited
 * @param {() => unknown} options.done goes on afterwards
 * @param {(text: string) => void} options.say
 * @param {string} [options.heading]
 * @param {import("./stale.js").Kept} [options.record] as the journal names it
 * @param {boolean} [options.isMoving] whether fields that were not edited change by themselves
 */
export function edit({ controls, tag, get, isMeant, send, done, say, heading, isMoving, record }) {
  const choice = h("div");
  const { node, complain } = form({
    children: [heading && h("h2", {}, heading), grid(controls)],
    controls: () => controls,
    go: W.form.save,
    submit: () =>
      guarded({ tag, controls, complain, node: choice, get, put, taken: (now) => (tag = now), isMoving, record }),
  });

  /** @param {string} tag */
  async function put(tag) {
    const body = changes(controls);
    if (Object.keys(body).length === 0) return say(W.form.nothingChanged);
    if (isMeant && !(await isMeant(body))) return;
    await send(body, tag);
    done();
  }
  node.append(choice);
  return node;
}
