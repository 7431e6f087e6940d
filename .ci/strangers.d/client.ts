// A client as a stranger would write it: the types come from the OpenAPI document alone.
import createClient from "openapi-fetch";
import type { paths } from "./care.js";

declare const process: { argv: string[]; exit(code: number): never };

const [, , baseUrl, key] = process.argv;
const care = createClient<paths>({ baseUrl, headers: { api_key: key } });

const { data: patient, error } = await care.GET("/patient/{patientId}", { params: { path: { patientId: 1 } } });
if (error || !patient) {
    console.error("the patient was not read", error);
    process.exit(1);
}
const name: string | null | undefined = patient.name;
const id: number = patient.patientId;
if (id !== 1 || typeof name !== "string") {
    console.error("the patient is another");
    process.exit(1);
}
const missing = await care.GET("/patient/{patientId}", { params: { path: { patientId: 999999 } } });
if (missing.response.status !== 404 || !missing.error) {
    console.error("a patient that is not there was answered with", missing.response.status);
    process.exit(1);
}
