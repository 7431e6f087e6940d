// Changing a prescription.

import { call } from "../api.js";
import { go } from "../router.js";
import { h } from "../ui/dom.js";
import { changes, control, form } from "../ui/form.js";
import { guarded } from "../ui/stale.js";
import { W } from "../words.js";

/** @typedef {import("../contract.js").Prescription} Prescription */

/** @param {import("../router.js").Place} place */
export async function prescription({ node, signal, parameters: [id], title, say }) {
  const get = () => call("GET", "/prescriptions/" + id, { signal });
  const read = /** @type {{ data: Prescription, tag: string }} */ (await get());
  const { data } = read;
  let { tag } = read;
  title(W.patient.prescriptionOf(data.medicine));
  const { columns } = W.prescription;
  const controls = [
    control({ name: "dosage", label: columns.dosage, value: data.dosage, wide: true }),
    control({ name: "price", label: columns.price, kind: "whole", value: data.price }),
    control({ name: "currency", label: columns.currency, value: data.currency }),
    control({ name: "isRegular", label: columns.isRegular, kind: "check", value: data.isRegular }),
  ];
  const choice = h("div", {});
  const back = "/patients/" + data.patientId;
  const { node: editor, complain } = form({
    children: [
      h(
        "div",
        { class: "grid" },
        controls.map((control) => control.node),
      ),
    ],
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
          await call("PUT", "/prescriptions", {
            body: { patientId: data.patientId, medicine: data.medicine, ...body },
            ifMatch: tag,
          });
          go(back, W.form.saved);
        },
        async taken() {
          tag = (await get()).tag;
        },
      });
    },
  });
  node.append(editor, choice);
}
