//! For every operation, an ordinary request and the most expensive one that the limits allow: the text in
//! `dearest.txt`, the words in it, and what follows from the document.

use care_core::{
    CareService, MemoryStore,
    operation::{Effect, Nature, Operation, Segment},
    rest::Api,
};
use serde_json::Value;

use super::heavy::{AT_ONCE, FREE, ORDINARY, PRESCRIBED, VISITED, ordinary_patient, ordinary_visit, trim};
use crate::{Failure, Port, Request, Result, abuse::Sizes, ask, bodies, post};

/// The operations that have requests of their own, and the steps that have names.
const TEXT: &str = include_str!("dearest.txt");

/// A request to measure, and the ordinary request to compare it with, each as a line.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) operation: Operation,
    /// The reason for its cost.
    pub(crate) what: String,
    /// The numbers of ordinary and of expensive requests that are measured at a time.
    pub(crate) most: (u64, u64),
    pub(crate) ordinary: String,
    /// An ordinary request with about as many bytes as the expensive one, or one that is answered with as many.
    pub(crate) alike: String,
    pub(crate) dearest: String,
    /// The number of active prescriptions that are a part of the work, if the ordinary request does one part.
    part: Option<u64>,
}

impl Pair {
    /// Returns all pairs.
    pub(crate) fn all() -> Result<Vec<Self>> {
        let is_of_a_pair = |line: &&str| !line.is_empty() && !line.starts_with('#') && !line.contains(" = ");
        let lines: Vec<_> = TEXT.lines().filter(is_of_a_pair).collect();
        let read = |lines: &[&str]| Self::read(lines).ok_or_else(|| Failure::new(format!("no pair: {lines:?}")));
        let mut pairs: Vec<_> = lines.chunks(4).map(read).collect::<Result<_, _>>()?;
        let document = Api::new(CareService::new(MemoryStore::new())).openapi();
        let document: Value = serde_json::from_str(&document)?;
        for operation in Operation::all() {
            if pairs.iter().all(|pair| pair.operation != operation) {
                pairs.push(Self::usual(operation, &document));
            }
        }
        Ok(pairs)
    }

    /// Returns the pair of an operation whose cost has no reason of its own: the example of the document, which is
    /// about the ordinary patient. Its record is made before, unless the clinic has it.
    fn usual(operation: Operation, document: &Value) -> Self {
        let nature = operation.nature();
        let example = |one: Operation| {
            let body = &document["paths"][one.path()][one.method().as_str().to_lowercase()]["requestBody"];
            let body = &body["content"]["application/json"]["example"];
            let body = if body.is_null() { String::new() } else { format!(" {body}") };
            body.replace("\"patientId\":7", &format!("\"patientId\":{ORDINARY}"))
        };
        let collection = operation.path().rsplit_once('/').map_or("", |(collection, _)| collection);
        let makes = |one: &Operation| one.path() == collection && one.nature() == Nature::Change(Effect::Made);
        let is_read_by_number = matches!(operation.segments().last(), Some(Segment::Parameter(_)));
        let maker = Operation::all().find(makes).filter(|_| is_read_by_number);
        let made = maker.map(|one| format!("POST {collection}{}; ", example(one))).unwrap_or_default();
        let id = if maker.is_some() { "{made}" } else { "1" };
        let segments = operation.segments().map(|segment| match segment {
            Segment::Literal(text) => format!("/{text}"),
            Segment::Parameter(_) => format!("/{id}"),
        });
        let path: String = segments.collect();
        let (what, most, query) = match nature {
            Nature::Page(_) => ("the most at once, in XML", (200, 4), "?limit=500"),
            _ if nature.has_versions() && maker.is_none() => {
                ("as it was long ago, in XML", (500, 50), "?version={last}")
            }
            _ => ("nothing but its example", (100, 20), ""),
        };
        let (ordinary, dearest) = match nature.effect() {
            Some(_) => {
                let request = format!("{made}{} {path}{}", operation.method(), example(operation));
                (request.clone(), request)
            }
            None => (format!("{made}GET {path}"), format!("{made}XML {path}{query}")),
        };
        let alike = if query == "?limit=500" { format!("GET {path}{query}") } else { ordinary.clone() };
        Self { operation, what: what.to_owned(), most, ordinary, alike, dearest, part: None }
    }

    fn read(lines: &[&str]) -> Option<Self> {
        let &[head, ordinary, alike, dearest] = lines else {
            return None;
        };
        let (head, what) = head.split_once(": ")?;
        let (operation, numbers) = head.split_once(' ')?;
        let operation = Operation::all().into_iter().find(|one| one.id() == operation)?;
        let numbers: Vec<u64> = numbers.split('/').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let [ordinary, alike, dearest] = [ordinary, alike, dearest].map(|line| line.trim().to_owned());
        let most = (*numbers.first()?, *numbers.get(1)?);
        let what = what.to_owned();
        Some(Self { operation, what, most, ordinary, alike, dearest, part: numbers.get(2).copied() })
    }

    /// Returns the number of ordinary requests that do the work of the expensive one.
    pub(crate) fn parts(&self, sizes: &Sizes) -> u64 {
        self.part.map_or(1, |part| sizes.active().div_ceil(part))
    }
}

/// The clinic for which requests are made.
pub(crate) struct Maker<'a> {
    pub(crate) port: &'a mut dyn Port,
    pub(crate) sizes: &'a Sizes,
    /// The last journal entry before the measurement began.
    pub(crate) last: u64,
    /// An entry from soon after a medicine's tracking began.
    pub(crate) tracked: u64,
    /// Whether the next request is the first of its batch.
    pub(crate) is_first: bool,
}

impl Maker<'_> {
    /// Does what comes first on a line, and makes its request. Each request gets a different number.
    pub(crate) fn request(&mut self, line: &str, number: u64) -> Result<Request> {
        let (before, last) = line.rsplit_once("; ").unwrap_or(("", line));
        let made = self.steps(before, number)?;
        self.written(last, number, made)
    }

    /// Does these steps, and returns the number of what was made last.
    fn steps(&mut self, steps: &str, number: u64) -> Result<u64> {
        let mut made = 0;
        for step in steps.split("; ").filter(|step| !step.is_empty()) {
            match step.split_once(' ').filter(|(method, _)| method.to_uppercase() == *method) {
                Some(_) => {
                    let request = self.written(step, number, made)?;
                    let answer = ask(self.port, request)?;
                    // A payment makes nothing, and names the history.
                    if !step.contains("/payment") {
                        made = answer.number().unwrap_or_default().unsigned_abs();
                    }
                }
                None => made = self.done(step, number)?,
            }
        }
        Ok(made)
    }

    /// Returns the request of a step.
    fn written(&self, step: &str, number: u64, made: u64) -> Result<Request> {
        let told = |text: &str| self.told(text, number, made);
        let (method, rest) = step.split_once(' ').unwrap_or((step, ""));
        let (path, body) = rest.split_once(" {").map_or((rest, None), |(path, body)| (path, Some(format!("{{{body}"))));
        let request = match method {
            "GET" => Request::get(told(path)?),
            "XML" => Request::get(told(path)?).header("Accept", "application/xml"),
            "LONG" => Request::get(told(path)?).header("Accept", accept()),
            method => {
                let method = ["POST", "PUT", "DELETE"].into_iter().find(|known| *known == method);
                Request::new(method.ok_or_else(|| Failure::new(format!("no request: {step}")))?, told(path)?)
            }
        };
        let Some(body) = body else {
            return Ok(request);
        };
        let (body, length) = match body.split_once(" ~ ") {
            Some((body, length)) => (body, told(length).map(|text| text.parse().unwrap_or(text.len()))?),
            None => (body.as_str(), 0),
        };
        let body = told(body)?;
        let missing = length.saturating_sub(body.len());
        Ok(request.body(body + &" ".repeat(missing)))
    }

    /// Fills in the words of a text.
    fn told(&self, text: &str, number: u64, made: u64) -> Result<String> {
        let mut told = String::new();
        let mut rest = text;
        while let Some(at) = rest
            .match_indices('{')
            .map(|(at, _)| at)
            .find(|at| rest[at + 1..].starts_with(|first: char| first.is_ascii_lowercase()))
        {
            let (word, after) = rest[at + 1..].split_once('}').ok_or_else(|| Failure::new(text))?;
            told += &rest[..at];
            told += &self.word(word, number, made)?;
            rest = after;
        }
        Ok(told + rest)
    }

    /// Returns the text for a word, which may be followed by a number.
    fn word(&self, word: &str, n: u64, made: u64) -> Result<String> {
        let (word, given) = word.split_once(' ').unwrap_or((word, ""));
        let given = given.parse().ok();
        Ok(match word {
            "n" => n.to_string(),
            "made" => made.to_string(),
            "last" => self.last.to_string(),
            "half" => (self.last / 2 + n % 100).to_string(),
            "early" => (self.tracked + n % 50).to_string(),
            "packs" => (n % 99 + 1).to_string(),
            "price" => (n % FREE).to_string(),
            "text" => bodies::wide(256, 2),
            "medicine" => bodies::medicine(given.unwrap_or(n)),
            "item" => bodies::item(given.unwrap_or(n)),
            "ordinary" => ordinary_patient(n),
            "patient" => bodies::patient(n),
            "escaped" => escaped(&bodies::patient(n)),
            // The patient with many visits, with another phone.
            "update" => {
                escaped(&bodies::patient(VISITED)).replace(&(100_000_000_000_000 + VISITED).to_string(), &n.to_string())
            }
            "visit" => ordinary_visit(n, 1),
            "consultation" => bodies::consultation(given.unwrap_or(n), n * 100, AT_ONCE, 25),
            "opening" => format!(r#"{{"unit":"tablets","opening":[{}]}}"#, lots(given.unwrap_or(1), r#""units":1"#)),
            // More units than it was opened with.
            "counted" => format!(r#"{{"lines":[{}]}}"#, lots(given.unwrap_or(1), r#""counted":2"#)),
            "noted" => {
                let (lot, note) = (bodies::wide(20, given.unwrap_or(1)), bodies::wide(256, given.unwrap_or(1)));
                format!(r#"{{"kind":"receipt","units":1,"lot":"{lot}","note":"{note}"}}"#)
            }
            "settings" => format!(
                "{{\"unit\":\"tablets\",\"packUnits\":{},\"supplyUnits\":1,\"keepDays\":1,\"ordered\":1,\"policy\":\
                 \"cover\",\"minDays\":7,\"maxDays\":30,\"leadDays\":3,\"reviewDays\":7,\"serviceLevel\":95}}",
                n % 99 + 1
            ),
            _ => return Err(Failure::new(format!("there is no word {word}"))),
        })
    }

    /// Does what a step says, and returns the number of what it made.
    fn done(&mut self, step: &str, n: u64) -> Result<u64> {
        let (word, given) = step.rsplit_once(' ').unwrap_or((step, ""));
        match (word, given.parse().ok()) {
            ("receipt", None) => {
                let invoice = self.steps("paid", n)?;
                let page = ask(self.port, Request::get(format!("/receipts?invoiceId={invoice}")))?.document()?;
                Ok(page["items"][0]["receiptId"].as_u64().unwrap_or_default())
            }
            // The invoice of one of a patient's very many visits.
            ("visited", None) => {
                self.make("/consultations", &bodies::consultation(VISITED, n, 1, 1))?;
                let list = format!("/prescriptions?patientId={VISITED}&state=active&limit=500");
                let page = ask(self.port, Request::get(list))?.document()?;
                let last = page["items"].as_array().and_then(|items| items.last()?["prescriptionId"].as_u64());
                self.make(&format!("/prescriptions/{}/invoice", last.unwrap_or_default()), "{}")
            }
            // With as many active prescriptions as there may be, unless it says how many.
            ("voidable", active) => {
                self.make("/patient", &bodies::patient(n))?;
                let active = active.unwrap_or_else(|| self.sizes.active());
                for from in (0..active).step_by(30) {
                    self.make("/consultations", &bodies::consultation(n, from, 30.min(active - from), 1))?;
                }
                Ok(n)
            }
            // Before a batch, so that there is room for more.
            ("trim", None) if self.is_first => {
                trim(self.port, PRESCRIBED, self.sizes.active().saturating_sub(AT_ONCE)).map(|()| 0)
            }
            ("trim", None) => Ok(0),
            _ => {
                let meaning = TEXT.lines().find_map(|line| line.strip_prefix(step)?.strip_prefix(" = "));
                self.steps(meaning.ok_or_else(|| Failure::new(format!("nothing says how to do {step}")))?, n)
            }
        }
    }

    fn make(&mut self, path: &str, body: &str) -> Result<u64> {
        let made = post(self.port, path, body)?.number();
        Ok(made.unwrap_or_default().unsigned_abs())
    }
}

/// Returns the longest header line that the server reads, of members that are slow to parse.
fn accept() -> String {
    "text/html;level=1;q=0.001, ".repeat(150) + "application/json;q=0.002"
}

/// Returns a body as a client sends it that escapes every character.
fn escaped(body: &str) -> String {
    let escape = |c: char| match c.is_ascii() {
        true => c.to_string(),
        false => c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
    };
    body.chars().map(escape).collect()
}

/// Returns this many lots, each with this member.
fn lots(count: u64, member: &str) -> String {
    bodies::list(0..count, |lot| format!(r#"{{"lot":"{}",{member}}}"#, bodies::wide(20, lot)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_measured() {
        let pairs = Pair::all().unwrap();
        let of = |operation: Operation| pairs.iter().find(|pair| pair.operation == operation).unwrap();
        for operation in Operation::all() {
            assert!(!of(operation).dearest.is_empty(), "{}", operation.id());
        }
        let receipt = of(Operation::GetReceipt);
        assert_eq!((&*receipt.ordinary, &*receipt.dearest), ("GET /receipts/1", "XML /receipts/1?version={last}"));
        let stock = of(Operation::ListStock);
        assert_eq!((&*stock.ordinary, &*stock.dearest), ("GET /stock", "XML /stock?limit=500"));
    }

    #[test]
    fn what_has_no_line_is_the_example_of_the_document() {
        let document = Api::new(CareService::new(MemoryStore::new())).openapi();
        let document: Value = serde_json::from_str(&document).unwrap();
        let usual = |operation| Pair::usual(operation, &document).dearest;
        let made = usual(Operation::AddConsultation);
        assert!(made.starts_with("POST /consultations {") && made.contains("\"patientId\":1,"), "{made}");
        assert_eq!(usual(Operation::GetConsultation), format!("{made}; XML /consultations/{{made}}"));
        let deleted = usual(Operation::DeletePrescription);
        assert!(deleted.starts_with("POST /prescriptions {") && deleted.ends_with("}; DELETE /prescriptions/{made}"));
    }
}
