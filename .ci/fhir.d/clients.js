// Walks the clinic with the JavaScript clients fhir-kit-client and @medplum/core.

const assert = require("node:assert");
// @medplum/core names it when it is loaded, and Node has it only since version 22.
globalThis.WebSocket ??= class {};
const { MedplumClient } = require("@medplum/core");

const [base, key] = process.argv.slice(2);

async function kit() {
  const { Client } = await import("fhir-kit-client");
  const client = new Client({ baseUrl: base, bearerToken: key });
  assert.strictEqual((await client.capabilityStatement()).fhirVersion, "4.0.1");
  const ids = [];
  let bundle = await client.search({ resourceType: "Invoice", searchParams: { _count: 20 } });
  while (bundle !== undefined) {
    ids.push(...bundle.entry.map(({ resource }) => resource.id));
    bundle = await client.nextPage({ bundle });
  }
  assert(ids.length > 40 && new Set(ids).size === ids.length);
  const invoice = await client.read({ resourceType: "Invoice", id: ids[0] });
  const history = await client.history({ resourceType: "Invoice", id: ids[0] });
  assert.deepStrictEqual(history.entry[0].resource, invoice);
  const version = history.entry.at(-1).resource.meta.versionId;
  const first = await client.vread({ resourceType: "Invoice", id: ids[0], version });
  assert.strictEqual(first.meta.versionId, version);
  const about = await client.operation({ name: "everything", resourceType: "Patient", id: 1, method: "GET" });
  assert.strictEqual(about.entry[0].resource.resourceType, "Patient");
  await assert.rejects(client.read({ resourceType: "Invoice", id: "999999" }), ({ response }) => response.status === 404);
  return ids.length;
}

async function medplum() {
  const { origin, pathname } = new URL(base);
  const client = new MedplumClient({ baseUrl: origin, fhirUrlPath: pathname.slice(1), fetch, accessToken: key });
  const ids = [];
  for await (const page of client.searchResourcePages("MedicationRequest", "_count=20")) {
    ids.push(...page.map(({ id }) => id));
  }
  assert(ids.length > 40 && new Set(ids).size === ids.length);
  const request = await client.readResource("MedicationRequest", ids[0]);
  const patient = await client.readReference(request.subject);
  assert.strictEqual(`Patient/${patient.id}`, request.subject.reference);
  assert.strictEqual((await client.readHistory("Patient", patient.id)).type, "history");
  return ids.length;
}

Promise.all([kit(), medplum()]).then(([invoices, requests]) => {
  console.log(`${invoices} invoices by fhir-kit-client, ${requests} prescriptions by @medplum/core`);
});
