// Changing a prescription, and how much of it is handed out at a time.

import { call } from "../api.js";
import { may } from "../scopes.js";
import { edit } from "../ui/edit.js";
import { control } from "../ui/form.js";
import { STOCK, W } from "../words.js";
import { priceFields } from "./prices.js";
import { present } from "./who.js";

/** @typedef {import("../contract.js").Prescription} Prescription */
/** @typedef {import("../contract.js").Supply} Supply */

/** @param {import("../router.js").Place} place */
export async function prescription({ node, signal, parameters: [id], title, say, go }) {
  const path = "/prescriptions/" + id;
  const get = () => call("GET", path, { signal });
  const { data, tag } = /** @type {{ data: Prescription, tag: string }} */ (await get());
  title(W.patient.prescriptionOf(data.medicine));
  if (may("patient:read")) {
    const { data: patient } = await call("GET", "/patient/" + data.patientId, { signal, quiet: true });
    node.append(present(/** @type {import("../contract.js").Patient} */ (patient), signal));
  }
  const done = () => go("/patients/" + data.patientId, W.form.saved);
  const { columns } = W.prescription;
  node.append(
    edit({
      controls: [
        control({ name: "dosage", label: columns.dosage, value: data.dosage, wide: true }),
        ...priceFields(data),
        control({ name: "isRegular", label: columns.isRegular, kind: "check", value: data.isRegular }),
      ],
      tag,
      get,
      record: { kind: "Prescription", id: String(id) },
      send: (body, tag) =>
        call("PUT", "/prescriptions", {
          body: { patientId: data.patientId, medicine: data.medicine, ...body },
          ifMatch: tag,
        }),
      done,
      say,
    }),
    await supply(),
  );

  /** How much is handed out at a time, and how often. */
  async function supply() {
    const get = () => call("GET", path + "/supply", { signal });
    const { data, tag } = /** @type {{ data: Supply, tag: string }} */ (await get());
    return edit({
      heading: STOCK.supply,
      controls: [
        control({ name: "quantity", label: STOCK.quantity, kind: "whole", value: data.quantity }),
        control({ name: "everyDays", label: STOCK.fields.everyDays, kind: "whole", value: data.everyDays }),
      ],
      tag,
      get,
      send: (body, tag) => call("PUT", path + "/supply", { body, ifMatch: tag }),
      done,
      say,
    });
  }
}
