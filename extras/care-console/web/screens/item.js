// One medicine of the inventory: added, edited, removed.

import { call } from "../api.js";
import { drafted } from "../drafts.js";
import { correct, correction, isCorrection, steady } from "../steady.js";
import { isAnother } from "../typed.js";
import { button, h, told } from "../ui/dom.js";
import { sure } from "../ui/dialog.js";
import { given } from "../router.js";
import { edit } from "../ui/edit.js";
import { begin, control, filled, form, grid } from "../ui/form.js";
import { refusal } from "../ui/problem.js";
import { W } from "../words.js";
import { priceFields } from "./prices.js";

/** @typedef {import("../contract.js").Item} Item */

/** @param {import("../router.js").Place} place */
export async function item({ node, parameters: [medicine], title, say, signal, go, settle }) {
  return medicine === undefined ? add({ node, signal, title, say, go, settle }) : change(medicine);

  /** @param {string} medicine */
  async function change(medicine) {
    const path = "/inventory/" + encodeURIComponent(medicine);
    const get = () => call("GET", path, { signal });
    const read = /** @type {{ data: Item, tag: string }} */ (await get());
    const remove = button(
      W.inventory.remove,
      async () => {
        const { sure: question, sureDetail, remove } = W.inventory;
        if (!(await sure(question(read.data.medicine), sureDetail, remove, signal))) return;
        try {
          await call("DELETE", path, { ifMatch: read.tag });
          go("/inventory", W.inventory.removed);
        } catch (error) {
          trouble.replaceChildren(refusal(error));
        }
      },
      { class: "danger" },
    );
    title(told(read.data.medicine), remove);
    const controls = fields(read.data);
    const trouble = h("div", {});
    node.append(
      edit({
        id: "item",
        parts: [{ controls, send: (body, tag) => call("PUT", path, { body, ifMatch: tag }) }],
        tag: read.tag,
        get,
        record: { kind: "Inventory", id: read.data.medicine },
        done: () => go("/inventory", W.form.saved),
        say,
      }),
      trouble,
    );
  }
}

/** @param {Omit<import("../router.js").Place, "parameters" | "kept">} place */
async function add({ node, signal, title, say, go, settle }) {
  title(W.inventory.add);
  const sending = /** @type {ReturnType<typeof steady<Item>>} */ (steady("item", say));
  const wanted = given();
  const typed = wanted ?? drafted("medicine", "medicine");
  let made = await sending.learn();
  /** What the item was made from, or corrected to by a request whose answer was lost. @type {Record<string, unknown> | undefined} */
  let sent;
  /** Hands what was typed on to the form that corrects the item. @param {import("../steady.js").Made<Item>} made */
  const handOn = ({ data: { medicine }, body }) => {
    const address = "/inventory/of/" + encodeURIComponent(medicine);
    settle("medicine", { address: "#" + address, id: "item", body });
    go(address, W.inventory.wasAdded);
  };
  if (made && !isAnother(made.data.medicine, String(typed ?? ""))) return handOn(made);
  if (made) say(W.lost.was(made.data.medicine));
  made = undefined;
  const name = control({
    name: "medicine",
    label: W.inventory.fields.medicine,
    value: wanted,
    required: true,
    wide: true,
  });
  const controls = [name, ...fields({ isAvailable: true })];
  const { node: editor } = form({
    id: "medicine",
    about: name,
    children: [grid(controls)],
    controls: () => controls,
    go: W.form.add,
    async submit() {
      const { medicine = "", ...others } = filled(controls);
      const body = { ...others, isAvailable: others.isAvailable === true };
      const path = "/inventory/" + encodeURIComponent(String(medicine));
      made ??= await sending.make(path, body);
      const isSame = await isCorrection(made.data.medicine, medicine, signal);
      if (isSame === undefined) return;
      if (!isSame) {
        sent = undefined;
        made = await sending.make(path, body);
      }
      const later = correction(made.body, body);
      const before = sent ?? made.body;
      sent = body;
      const isDone = made.path === path && (Object.keys(later).length === 0 || (await correct(path, later, made.tag)));
      if (!isDone) return handOn({ ...made, body: before });
      go("/inventory", W.inventory.added);
    },
  });
  node.append(editor);
  begin(name);
}

/** @param {Partial<Item>} item */
function fields(item) {
  const { fields } = W.inventory;
  return [
    control({ name: "dosage", label: fields.dosage, value: item.dosage }),
    ...priceFields(item),
    control({ name: "isAvailable", label: fields.isAvailable, kind: "check", value: item.isAvailable }),
    control({ name: "isRegular", label: fields.isRegular, kind: "check", value: item.isRegular }),
  ];
}
