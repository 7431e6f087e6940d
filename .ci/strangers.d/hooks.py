"""What a tool that reads only the document cannot know, each with its reason.

Schemathesis calls a request valid when each of its parts obeys its schema, and then expects it to be taken. These hooks
put the right value where validity depends on the state of the server, on two parts together, or on a form that the tool
writes wrong. Of requests that are meant to be refused they touch only what is valid in the form in which it goes out.
"""

import itertools

import schemathesis
from schemathesis.generation import GenerationMode
from schemathesis.generation.meta import CoverageScenario

requests = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    meta = case.meta
    if meta is None:
        return
    if meta.generation.mode != GenerationMode.POSITIVE:
        is_of_wrong_type = getattr(meta.phase.data, "scenario", None) == CoverageScenario.INCORRECT_TYPE
        if is_of_wrong_type and isinstance(case.body, dict) and "xml" in (case.media_type or ""):
            case.body = wrong(case.body)
        if case.path.endswith("/stock") and isinstance(case.body, dict):
            case.body = {name: computed(name, member) for name, member in case.body.items()}
        return
    headers = case.headers
    if headers:
        # Which version of a record is the current one is state: a made-up tag is 412.
        headers.pop("If-Match", None)
        # A key names one request: the document's example under a second one is 422.
        if "Idempotency-Key" in headers:
            headers["Idempotency-Key"] = f"request-{next(requests)}"
    query = case.query
    if query:
        # A cursor is given out by the server and opaque: a made-up one is 400.
        if not case.path.endswith("/journal"):
            query.pop("after", None)
        # JSON Schema cannot say that one day is not after another, or not after today: such a period is 400.
        query.pop("from", None)
        # A filter that is allowed beside another one only: JSON Schema knows no parameter beside another.
        if case.path.endswith("/movements"):
            for name in ("lot", "expires", "kind"):
                query.pop(name, None)
        if case.path.endswith("/backtest"):
            together(query)
        # Takings are those of days or those of numbers, and these in order.
        if case.path.endswith("/takings"):
            if "to" in query:
                query.pop("above", None)
            if "above" in query or "to" in query:
                query.pop("upto", None)
        # A text to find has a letter or a digit in each of up to eight words, and four letters in one of them for names
        # that resemble it. It stands beside no filter, and has pages of at most 50.
        if "find" in query:
            query["find"] = "example"
            for name in ("id", "name", "phone", "email"):
                query.pop(name, None)
            if "limit" in query:
                query["limit"] = 50
        else:
            query.pop("similar", None)
        # The tool calls an answer that was asked to wait a slow one.
        if "wait" in query:
            query["wait"] = 0
    if isinstance(case.body, dict):
        case.body = valid(case.body, case.media_type or "")
        if case.path.endswith("/stock"):
            together(case.body)
        elif case.path.endswith("/movements"):
            case.body = movement(case.body)
        # Another reason needs a note.
        elif case.path.endswith("/refund") and case.body.get("note") is None:
            case.body["reason"] = "returned"
        # Which method holds is state, and it is 422: no receipt has this number, so any method is taken.
        elif case.path.endswith("/correction"):
            case.path_parameters["receiptId"] = 1 << 60
        # The body must name the prescription of the path or none: any other is 422.
        elif case.path.endswith("/supply"):
            case.body.pop("prescriptionId", None)
        # A lot is named once in a list.
        for name in ("opening", "lines"):
            if isinstance(case.body.get(name), list):
                case.body[name] = different(case.body[name])
        # The body must name the medicine of the path or none: any other is 422.
        if "medicine" in (case.path_parameters or {}):
            case.body.pop("medicine", None)
        # JSON Schema knows no letters: a text of allergies without a letter or digit is 422.
        allergies = case.body.get("allergies")
        if isinstance(allergies, str) and not any(letter.isalnum() for letter in allergies):
            case.body["allergies"] = "penicillin"
        # Which day is tomorrow is state: a later day of a visit is 422.
        case.body.pop("date", None)
        # An age follows from a day of birth, given or stored, and whether it is still to come is state: either is 422.
        if case.method == "PUT" or case.body.get("birthDate") is not None:
            case.body.pop("age", None)
        if case.body.get("birthDate") is not None:
            if str(case.body["birthDate"])[-4:] > "2025":
                case.body.pop("birthDate")
        # A prescription of a consultation names its patient or none: any other is 422.
        for prescription in case.body.get("prescriptions") or []:
            if isinstance(prescription, dict):
                prescription.pop("patientId", None)


def together(settings):
    """Keeps settings that bound each other only where both are there and in order: a missing one is judged by what is
    stored, or by its default."""
    for lower, upper in (("min", "max"), ("minDays", "maxDays")):
        bounds = settings.get(lower), settings.get(upper)
        if not (all(type(bound) is int for bound in bounds) and bounds[0] < bounds[1]):
            settings.pop(lower, None)
            settings.pop(upper, None)
    if settings.get("policy") == "minMax" and "max" not in settings:
        settings.pop("policy")


# The units that the service counts. A client may send them back: their type is checked, and their number is ignored.
COMPUTED = {"onHand", "expired", "usable", "reserved", "available"}


def computed(name, member):
    # The tool expects a number outside its bounds to be refused, and a lot with a wrong member: both get a wrong type.
    is_outside = name in COMPUTED and type(member) is int and not 0 <= member <= 1_000_000_000
    is_ignored = is_outside or name == "lots" and isinstance(member, list)
    return {"units": "none"} if is_ignored else member


# What each kind of movement uses.
USED = {
    "receipt": {"lot", "cost", "currency", "note"},
    "return": {"lot", "expires", "invoiceId", "note"},
    "removal": {"lot", "expires", "reason", "note"},
}


def movement(body):
    kind = body.get("kind")
    if kind not in USED:
        return body
    # A receipt's date is not in the past, which is state.
    body = {name: member for name, member in body.items() if name in {"kind", "units"} | USED[kind]}
    # A cost has a currency, and the other way round.
    if kind == "receipt" and (body.get("cost") is None) != (body.get("currency") is None):
        body.pop("cost", None)
        body.pop("currency", None)
    if kind == "return" and body.get("invoiceId") is None:
        body["invoiceId"] = 1
    if kind == "removal" and (body.get("reason") in (None, "other")):
        body["reason"] = "lost"
    return body


def different(lots):
    """Returns the lots without those that a lot before them equals."""
    seen = {}
    for lot in lots:
        name = (str(lot.get("lot")), str(lot.get("expires"))) if isinstance(lot, dict) else str(lot)
        seen.setdefault(name, lot)
    return list(seen.values())


def wrong(body):
    # A number in the place of a text or a boolean is wrong in JSON. XML has no types: there 0 is a text and a boolean, and
    # an element is neither.
    return {name: {name: member} if type(member) in (int, float) else member for name, member in body.items()}


def valid(value, media_type):
    if isinstance(value, dict):
        # The tool writes null in XML as the text "null"; the contract's form is xsi:nil.
        members = ((name, valid(member, media_type)) for name, member in value.items())
        return {name: member for name, member in members if not (member is None and "xml" in media_type)}
    if isinstance(value, list):
        return [valid(member, media_type) for member in value]
    # JSON Schema calls 1.0 an integer; the contract wants integers in plain digits.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
