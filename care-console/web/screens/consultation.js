// A recorded visit, and the invoices of its prescriptions.

import { call } from "../api.js";
import { day } from "../formats.js";
import { follow } from "../live.js";
import { h, link, told } from "../ui/dom.js";
import { lacks } from "../ui/lacks.js";
import { pill } from "../ui/pill.js";
import { W } from "../words.js";
import { called } from "./patients.js";
import { prescriptions } from "./prescriptions.js";

/** @param {import("../router.js").Place} place */
export async function consultation({ node, signal, parameters: [number = ""], title, say }) {
  /** @type {{ data: import("../contract.js").Consultation }} */
  const { data } = await call("GET", "/consultations/" + number, { signal });
  const id = String(data.patientId);
  /** @type {{ data: import("../contract.js").Patient }} */
  const { data: patient } = await call("GET", "/patient/" + id, { signal });
  title(
    h("span", {}, W.visit.of, W.form.colon, called(patient)),
    link("/patients/" + id, called(patient), { class: "button quiet" }),
  );
  const only = new Set((data.prescriptionIds ?? []).map(String));
  const list = await prescriptions({ id, only, signal, say, refresh: () => list.read() });
  const diseases = data.diseases ?? [];
  node.append(
    lacks("prescriptions:write", "invoice:write"),
    h("p", {}, day(data.date), " ", pill(W.visit.state[data.state], data.state === "open" ? "warn" : "calm")),
    h(
      "section",
      { class: "card" },
      h("h2", {}, W.visit.diseases),
      diseases.length === 0
        ? h("p", { class: "muted" }, W.visit.noDiseases)
        : h(
            "ul",
            {},
            diseases.map((disease) => h("li", {}, told(disease))),
          ),
    ),
    h("section", { class: "card" }, h("h2", {}, W.visit.prescriptions), list.node),
  );
  await list.read();
  follow(() => list.read().catch(() => {}), signal);
}
