// A recorded visit, its prescriptions and its bills.

import { Problem, call, once } from "../api.js";
import { day } from "../formats.js";
import { follow } from "../live.js";
import { may } from "../scopes.js";
import { button, h, link, show, told } from "../ui/dom.js";
import { lacks } from "../ui/lacks.js";
import { pill } from "../ui/pill.js";
import { refusal } from "../ui/problem.js";
import { DESK, SPEECH, W } from "../words.js";
import { invoiceOf, onShelf, prescriptions } from "./prescriptions.js";
import { billsOf } from "./visit_of.js";
import { called, present } from "./who.js";

/** @typedef {import("../contract.js").Consultation} Consultation */

/** The states of invoices, each with its own where they differ. @param {import("../contract.js").ListedInvoice[]} all */
function states(all) {
  const { states } = W.bill;
  return /** @type {const} */ (["unpaid", "paid", "refunded"]).flatMap((state) => {
    const ids = all.filter((one) => one.state === state).map((one) => String(one.invoiceId));
    if (ids.length === 0) return [];
    const text = ids.length === all.length ? states[state] : W.form.pair(states[state], SPEECH.list(ids));
    return [" ", pill(text, state === "paid" ? "calm" : "warn")];
  });
}

/** @param {import("../router.js").Place} place */
export async function consultation({ node, signal, parameters: [number = ""], title, say, go }) {
  const { data } = /** @type {{ data: Consultation }} */ (await call("GET", "/consultations/" + number, { signal }));
  const id = String(data.patientId);
  /** @type {{ data: import("../contract.js").Patient }} */
  const { data: patient } = await call("GET", "/patient/" + id, { signal });
  const only = new Set((data.prescriptionIds ?? []).map(String));
  const trouble = h("div", {});
  const bills = h("div", {});
  const all = button(DESK.bill.all, () => invoiceAll().catch((error) => show(trouble, refusal(error))), {
    class: "primary",
  });
  title(
    h("span", {}, W.visit.of, W.form.colon, called(patient)),
    may("invoice:write") && all,
    link("/patients/" + id, called(patient), { class: "button quiet" }),
  );
  const list = await prescriptions({ id, only, signal, say, go, refresh: () => read() });
  const own = () => list.shown().filter((one) => only.has(String(one.prescriptionId)));
  const active = () => own().filter((one) => one.state === "active");

  /** What makes issuing an invoice twice the same as once. @type {Map<string, string>} */
  const keys = new Map();
  let isBusy = false;
  /** Issues the invoices of all active prescriptions, and goes to the bill. */
  async function invoiceAll() {
    if (isBusy) return;
    isBusy = true;
    show(trouble);
    const issued = [];
    const refused = [];
    try {
      for (const { prescriptionId, medicine } of active()) {
        const number = String(prescriptionId);
        const key = keys.get(number) ?? once();
        keys.set(number, key);
        try {
          issued.push(await invoiceOf(number, key));
        } catch (error) {
          if (!(error instanceof Problem) || error.status === 0 || error.status === 401) throw error;
          const left = error.type === "insufficient-stock" ? onShelf(medicine) : "";
          refused.push([`${medicine}: ${error.message}`, left && W.visit.tooFew(left)].filter(Boolean).join(". "));
        }
      }
    } finally {
      isBusy = false;
    }
    const left = refused.length > 0 ? DESK.bill.notInvoiced(refused) : "";
    if (issued.length > 0)
      go(`/visits/${number}/bill/${issued.join("-")}`, [DESK.bill.issued(issued), left].join(" ").trim());
    else show(trouble, h("p", { class: "refusal", role: "alert" }, left));
  }

  async function read() {
    await list.read();
    all.hidden = active().length === 0;
    if (!may("invoice:read")) return show(bills, h("p", { class: "muted" }, W.patient.hidden));
    const found = await billsOf(data, signal);
    show(
      bills,
      found.length === 0
        ? h("p", { class: "muted" }, DESK.bill.noBills)
        : h(
            "ul",
            {},
            found.map(({ day: issued, invoices }) => {
              const ids = invoices.map((one) => String(one.invoiceId));
              const label = DESK.bill.of(day(issued || undefined), ids);
              return h("li", {}, link(`/visits/${number}/bill/${ids.join("-")}`, label), states(invoices));
            }),
          ),
    );
  }
  const diseases = data.diseases ?? [];
  node.append(
    present(patient, signal),
    lacks("prescriptions:write", "invoice:write"),
    trouble,
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
    h("section", { class: "card" }, h("h2", {}, DESK.bill.bills), bills),
  );
  await read();
  follow(() => read().catch(() => {}), signal, [
    "Prescription",
    "Invoice",
    "Consultation",
    "Inventory",
    "Stock",
    "Movement",
  ]);
}
