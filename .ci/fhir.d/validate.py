"""Validates what was collected by the models of fhir.resources, and says which planted faults they see."""

import copy
import json
import sys

from fhir.resources.R4B import get_fhir_model_class

COLLECTED, FAULTS, SEEN = sys.argv[1:]


def is_valid(resource):
    try:
        get_fhir_model_class(resource["resourceType"]).parse_obj(resource)
    except (ValueError, TypeError) as refusal:
        return str(refusal)
    return None


def planted(resource, fault):
    *path, last = [int(step) if step.isdigit() else step for step in fault["path"].split(".")]
    changed = copy.deepcopy(resource)
    part = changed
    for step in path:
        part = part[step]
    if "value" in fault:
        part[last] = fault["value"]
    else:
        del part[last]
    return changed


def has(resource, path):
    for step in path.split(".")[:-1]:
        step = int(step) if step.isdigit() else step
        if isinstance(step, int) and len(resource) <= step or isinstance(step, str) and step not in resource:
            return False
        resource = resource[step]
    return True


with open(COLLECTED, encoding="utf-8") as file:
    collected = json.load(file)
for resource in collected["resources"] + collected["others"]:
    fault = is_valid(resource)
    assert fault is None, f"{fault}: {json.dumps(resource)[:2000]}"
with open(FAULTS, encoding="utf-8") as file:
    faults = json.load(file)
seen = []
for place, fault in enumerate(faults):
    of = lambda resource: resource["resourceType"] == fault["type"] and has(resource, fault["path"])
    sound = next(filter(of, collected["resources"]), None)
    assert sound is not None, f"no resource has {fault}"
    if is_valid(planted(sound, fault)):
        seen.append(place)
with open(SEEN, "w", encoding="utf-8") as file:
    json.dump({"fhir.resources": seen}, file)
