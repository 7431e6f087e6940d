// A patient's profile: registered, or edited while others may edit it too.

import { call, once } from "../api.js";
import { go } from "../router.js";
import { h } from "../ui/dom.js";
import { changes, control, filled, form } from "../ui/form.js";
import { guarded } from "../ui/stale.js";
import { W } from "../words.js";
import { called } from "./patients.js";

/** @typedef {import("../contract.js").Patient} Patient */

/** @param {import("../router.js").Place} place */
export async function profile({ node, signal, parameters: [id], title, say }) {
  return id === undefined ? register() : edit(id);

  function register() {
    title(W.patients.register);
    const controls = fields({});
    const key = once();
    const { node: editor } = form({
      children: [grid(controls)],
      controls: () => controls,
      go: W.patients.register,
      async submit() {
        const { data } = /** @type {{ data: Patient }} */ (
          await call("POST", "/patient", { body: filled(controls), once: key })
        );
        go("/patients/" + data.patientId, W.patients.registered);
      },
    });
    node.append(editor);
  }

  /** @param {string} id */
  async function edit(id) {
    const get = () => call("GET", "/patient/" + id, { signal });
    const read = /** @type {{ data: Patient, tag: string }} */ (await get());
    let { tag } = read;
    title(called(read.data));
    const controls = fields(read.data);
    const choice = h("div", {});
    const { node: editor, complain } = form({
      children: [grid(controls)],
      controls: () => controls,
      go: W.form.save,
      async submit() {
        await guarded({
          tag,
          controls,
          complain,
          node: choice,
          get: /** @type {any} */ (get),
          async put(tag) {
            const body = changes(controls);
            if (Object.keys(body).length === 0) return say(W.form.nothingChanged);
            await call("PUT", "/patient", { body: { patientId: read.data.patientId, ...body }, ifMatch: tag });
            go("/patients/" + id, W.patient.saved);
          },
          async taken() {
            tag = (await get()).tag;
          },
        });
      },
    });
    node.append(editor, choice);
  }
}

/** @param {Partial<Patient>} patient */
function fields(patient) {
  const { fields } = W.patient;
  return [
    control({ name: "name", label: fields.name, value: patient.name, wide: true }),
    control({ name: "age", label: fields.age, kind: "whole", value: patient.age }),
    control({ name: "gender", label: fields.gender, value: patient.gender }),
    control({ name: "weight", label: fields.weight, kind: "number", value: patient.weight }),
    control({ name: "phone", label: fields.phone, kind: "whole", value: patient.phone }),
    control({ name: "email", label: fields.email, value: patient.email }),
    control({ name: "address", label: fields.address, value: patient.address, wide: true }),
    control({ name: "location", label: fields.location, value: patient.location }),
    control({ name: "lastvisit", label: fields.lastvisit, kind: "day", value: patient.lastvisit }),
    control({ name: "insurance", label: fields.insurance, kind: "check", value: patient.insurance }),
  ];
}

/** @param {import("../ui/form.js").Control[]} controls */
const grid = (controls) =>
  h(
    "div",
    { class: "grid" },
    controls.map((control) => control.node),
  );
