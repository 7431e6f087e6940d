"""Walks the clinic with the Python clients fhirpy and fhirclient."""

import sys

import fhirclient.client
import fhirpy
from fhirclient.models.encounter import Encounter
from fhirclient.models.patient import Patient

BASE, KEY = sys.argv[1:]

# fhirpy, which follows the links of pages.
client = fhirpy.SyncFHIRClient(BASE, authorization=f"Bearer {KEY}")
patients = client.resources("Patient").limit(10).fetch_all()
assert len(patients) > 40 and len({patient.id for patient in patients}) == len(patients)
assert client.resources("Patient").search(_id=patients[3].id).limit(2).first().id == patients[3].id
visits = client.resources("Encounter").search(patient=patients[0].to_reference()).fetch_all()
assert visits and all(visit["subject"]["reference"] == f"Patient/{patients[0].id}" for visit in visits)
assert visits[0]["subject"].to_resource().serialize() == patients[0].serialize()
about = client.execute(f"Patient/{patients[0].id}/$everything", method="get")
assert about["resourceType"] == "Bundle" and about["entry"][0]["resource"]["id"] == patients[0].id
try:
    client.reference("Patient", "999999").to_resource()
    raise AssertionError("an unknown patient is found")
except fhirpy.base.exceptions.ResourceNotFound:
    pass

# fhirclient, which parses what it gets strictly.
smart = fhirclient.client.FHIRClient(settings={"app_id": "strangers", "api_base": BASE})
smart.server.session.headers["Authorization"] = f"Bearer {KEY}"
assert {resource.type for resource in smart.server.capabilityStatement.rest[0].resource} >= {"Patient", "Invoice"}
assert Patient.read(patients[0].id, smart.server).name[0].text == patients[0]["name"][0]["text"]
finished = list(Encounter.where({"status": "finished", "_count": "20"}).perform_resources_iter(smart.server))
assert len(finished) > 20 and all(visit.status == "finished" for visit in finished)
print(f"{len(patients)} patients by fhirpy, {len(finished)} visits by fhirclient")
