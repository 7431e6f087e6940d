// A patient's profile: registered, or edited while others may edit it too.

import { call } from "../api.js";
import { drafted } from "../drafts.js";
import { written, years } from "../formats.js";
import { folded } from "../names.js";
import { given } from "../router.js";
import { may } from "../scopes.js";
import { correct, correction, isCorrection, steady } from "../steady.js";
import { isAnother } from "../typed.js";
import { combobox } from "../ui/combobox.js";
import { sure } from "../ui/dialog.js";
import { button, h, show } from "../ui/dom.js";
import { edit } from "../ui/edit.js";
import { begin, control, filled, form, grid } from "../ui/form.js";
import { refusal } from "../ui/problem.js";
import { W } from "../words.js";
import { alike, unremember } from "./people.js";
import { called, present, sureOf } from "./who.js";

/** @typedef {import("../contract.js").Patient} Patient */

/** @param {import("../router.js").Place} place */
export async function profile({ node, signal, parameters: [id], title, say, go, settle }) {
  return id === undefined ? register() : change(id);

  async function register() {
    title(W.patients.register);
    const sending = /** @type {ReturnType<typeof steady<Patient>>} */ (steady("patient", say));
    const name = given();
    const typed = name ?? drafted("register", "name");
    let made = await sending.learn();
    /** What the record was made from, or corrected to by a request whose answer was lost. @type {Record<string, unknown> | undefined} */
    let sent;
    /** Hands what was typed on to the form that corrects the record. @param {import("../steady.js").Made<Patient>} made */
    const handOn = ({ data: { patientId }, body }) => {
      const address = `/patients/${patientId}/edit`;
      settle("register", { address: "#" + address, id: "profile", body });
      go(address, W.patients.wasRegistered);
    };
    if (made && !isAnother(made.data.name, String(typed ?? ""))) return handOn(made);
    if (made) say(W.lost.was(made.data.name ?? ""));
    made = undefined;
    const controls = fields(name === undefined ? {} : { name });
    const namesakes = may("patient:read") ? alike(controls, signal) : undefined;
    const { node: editor } = form({
      id: "register",
      about: controls[0],
      children: [grid(controls), namesakes && namesakes.node],
      controls: () => controls,
      go: W.patients.register,
      async submit() {
        if (controls[0]?.value() === undefined && !(await nameless(W.patients.register, signal))) return;
        const body = filled(controls);
        const isNew = made ? true : ((await namesakes?.isNew(body)) ?? true);
        if (typeof isNew !== "boolean") return go("/patients/" + isNew.patientId);
        if (!isNew) return;
        made ??= await sending.make("/patient", body);
        const isSame = await isCorrection(made.body["name"], body["name"], signal);
        if (isSame === undefined) return;
        if (!isSame) {
          sent = undefined;
          made = await sending.make("/patient", body);
        }
        const { patientId } = made.data;
        const later = correction(made.body, body);
        const before = sent ?? made.body;
        sent = body;
        // An age that follows from the day is not taken out.
        if (body["birthDate"] !== undefined) delete later["age"];
        const isDone =
          Object.keys(later).length === 0 || (await correct("/patient", { patientId, ...later }, made.tag));
        if (!isDone) return handOn({ ...made, body: before });
        go("/patients/" + patientId, W.patients.registered);
      },
    });
    node.append(editor);
    // A name that was searched for stands there already.
    begin(controls.find((one) => one.input.value === ""));
  }

  /** @param {string} id */
  async function change(id) {
    const get = () => call("GET", "/patient/" + id, { signal });
    const read = /** @type {{ data: Patient, tag: string }} */ (await get());
    title(
      called(read.data),
      button(
        W.patient.remove,
        async () => {
          const { sureRemove, sureRemoveDetail, remove } = W.patient;
          if (!(await sureOf(read.data, sureRemove, sureRemoveDetail, remove, signal))) return;
          try {
            await call("DELETE", "/patient/" + id, { ifMatch: read.tag });
            unremember(id);
            go("/patients", W.patient.removed);
          } catch (error) {
            show(trouble, refusal(error));
          }
        },
        { class: "danger" },
      ),
    );
    const trouble = h("div", {});
    const controls = fields(read.data);
    node.append(
      present(read.data, signal),
      edit({
        id: "profile",
        parts: [
          {
            controls,
            send: (body, tag) =>
              call("PUT", "/patient", { body: { patientId: read.data.patientId, ...body }, ifMatch: tag }),
          },
        ],
        tag: read.tag,
        get,
        record: { kind: "Patient", id },
        isMeant: async (body) => body["name"] !== null || nameless(W.form.save, signal),
        done: () => go("/patients/" + id, W.patient.saved),
        say,
      }),
      trouble,
    );
  }
}

/** Asks before a patient is left without a name. @param {string} yes what is done then @param {AbortSignal} signal */
const nameless = (yes, signal) => sure(W.patients.sureUnnamed, W.patients.sureUnnamedDetail, yes, signal);

/** A field for the gender, which is suggested among the words that other systems know too. @param {string} [value] */
function genderField(value) {
  const { fields, genders } = W.patient;
  const field = control({ name: "gender", label: fields.gender, value });
  const suggest = (/** @type {string} */ text, /** @type {number} */ most) =>
    Object.entries(genders)
      .filter((names) => names.some((name) => folded(name).startsWith(folded(text))))
      .slice(0, most)
      .map(([word, name]) => ({ value: word, shown: [name === word ? word : W.form.pair(name, word)] }));
  combobox(field, suggest);
  return field;
}

/** The fields of a profile, the name first. @param {Partial<Patient>} patient */
function fields(patient) {
  const { fields } = W.patient;
  return [
    control({ name: "name", label: fields.name, value: patient.name, wide: true }),
    ...birth(patient),
    genderField(patient.gender),
    control({ name: "weight", label: fields.weight, kind: "number", value: patient.weight }),
    control({ name: "phone", label: fields.phone, kind: "phone", value: patient.phone }),
    control({ name: "email", label: fields.email, value: patient.email }),
    control({ name: "address", label: fields.address, value: patient.address, wide: true }),
    control({ name: "location", label: fields.location, value: patient.location }),
    control({ name: "lastvisit", label: fields.lastvisit, kind: "day", value: patient.lastvisit }),
    control({ name: "insurance", label: fields.insurance, kind: "check", value: patient.insurance }),
    allergiesField(patient.allergies),
  ];
}

/** A field for allergies. What has no letter and no digit says nothing of them. @param {string} [value] */
function allergiesField(value) {
  const label = W.patient.fields.allergies;
  const field = control({ name: "allergies", label, kind: "lines", value, hint: W.patients.allergiesHint, wide: true });
  return { ...field, value: () => (/[\p{L}\p{N}]/u.test(field.input.value) ? field.value() : undefined) };
}

/** The day of birth, and the age for where it is not known: with a day it follows, and is not sent. @param {Partial<Patient>} patient */
function birth(patient) {
  const { fields } = W.patient;
  const { birthDate, age: first } = patient;
  const born = control({
    name: "birthDate",
    label: fields.birthDate,
    kind: "birthDay",
    value: birthDate,
    hint: W.form.birthDay,
  });
  const age = control({ name: "age", label: fields.age, kind: "whole", value: first, hint: W.patients.ageHint });
  const typed = age.value;
  age.value = () => (born.value() === undefined ? typed() : age.first);
  born.input.addEventListener("input", () => {
    const day = written(born.input.value, "birthDay");
    const isBorn = born.value() !== undefined;
    if (day !== undefined) age.put(years(day));
    else if (!isBorn && age.input.readOnly) age.put(age.first);
    age.input.readOnly = isBorn;
  });
  age.input.readOnly = birthDate !== undefined;
  return [born, age];
}
