// Changing a prescription, and how much of it is handed out at a time.

import { call } from "../api.js";
import { may } from "../scopes.js";
import { around, h } from "../ui/dom.js";
import { edit } from "../ui/edit.js";
import { control, grid } from "../ui/form.js";
import { STOCK, W } from "../words.js";
import { priceFields } from "./prices.js";
import { present } from "./who.js";

/** @typedef {import("../contract.js").Prescription} Prescription */
/** @typedef {import("../contract.js").Supply} Supply */

/** @param {import("../router.js").Place} place */
export async function prescription({ node, signal, parameters: [id], title, say, go }) {
  const path = "/prescriptions/" + id;
  /** The prescription with its supply, which are one record. */
  async function get() {
    const { data, tag } = /** @type {{ data: Prescription, tag: string }} */ (await call("GET", path, { signal }));
    const supply = /** @type {{ data: Supply }} */ (await call("GET", path + "/supply", { signal }));
    return { data: { ...supply.data, ...data }, tag };
  }
  const { data, tag } = await get();
  title(around(W.patient.prescriptionOf, data.medicine));
  if (may("patient:read")) {
    const { data: patient } = await call("GET", "/patient/" + data.patientId, { signal, quiet: true });
    node.append(present(/** @type {import("../contract.js").Patient} */ (patient), signal));
  }
  const { columns } = W.prescription;
  const details = [
    control({ name: "dosage", label: columns.dosage, value: data.dosage, wide: true }),
    ...priceFields(data),
    control({ name: "isRegular", label: columns.isRegular, kind: "check", value: data.isRegular }),
  ];
  const supply = [
    control({ name: "quantity", label: STOCK.quantity, kind: "whole", value: data.quantity }),
    control({ name: "everyDays", label: STOCK.fields.everyDays, kind: "whole", value: data.everyDays }),
  ];
  const { patientId, medicine } = data;
  node.append(
    edit({
      id: "prescription",
      children: [grid(details), h("h2", {}, STOCK.supply), grid(supply)],
      parts: [
        {
          controls: supply,
          called: STOCK.supply,
          send: (body, tag) => call("PUT", path + "/supply", { body, ifMatch: tag }),
        },
        {
          controls: details,
          called: W.patient.prescriptionOf(medicine),
          send: (body, tag) => call("PUT", "/prescriptions", { body: { patientId, medicine, ...body }, ifMatch: tag }),
        },
      ],
      tag,
      get,
      record: { kind: "Prescription", id: String(id) },
      done: () => go("/patients/" + patientId, W.form.saved),
      say,
    }),
  );
}
