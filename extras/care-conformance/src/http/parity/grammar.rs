//! Plausible requests over a small world.

use std::sync::LazyLock;

use care_core::{
    MemoryStore,
    operation::{Effect, Input, Nature, Operation, Segment},
    rest::Api,
    service::CareService,
};

use super::{
    draft::{MEDICINES, Shape},
    mutate::{mutate, tame},
};
use crate::{
    dice::Dice,
    http::{judge::answer::Answer, text::request::Request},
};

/// An operation that requests are made for.
struct Choice {
    weight: u64,
    method: &'static str,
    /// The path: `#` is an identifier, `@` a medicine, and the path of a list ends with `?`, or with `&` behind a
    /// parameter that it needs.
    template: String,
    /// The body of a request.
    body: Shape,
}

static CHOICES: LazyLock<Vec<Choice>> = LazyLock::new(|| {
    let document = Api::new(CareService::new(MemoryStore::new())).openapi();
    let document = serde_json::from_str(&document).expect("the document is JSON");
    let choice = |operation: Operation| Choice {
        weight: weight(operation.nature()),
        method: operation.method().as_str(),
        template: template(operation),
        body: Shape::of(operation, &document),
    };
    Operation::all().map(choice).collect()
});

/// Returns the weight of operations of a nature: records are read and changed about as often, and seldom removed.
fn weight(nature: Nature) -> u64 {
    match nature {
        // Their answers never change.
        Nature::Plain | Nature::Document => 0,
        Nature::Single
        | Nature::LongSingle
        | Nature::Page(_)
        | Nature::Journal
        | Nature::News
        | Nature::Report
        | Nature::Day => 4,
        Nature::Change(effect) | Nature::VersionedChange(effect) => match effect {
            Effect::Removed => 1,
            Effect::Made | Effect::MadeOrFound | Effect::Changed | Effect::Placed => 5,
        },
    }
}

fn template(operation: Operation) -> String {
    let mut template = String::new();
    for segment in operation.segments() {
        template.push('/');
        template.push_str(match segment {
            Segment::Literal(text) => text,
            Segment::Parameter("medicine") => "@",
            Segment::Parameter(_) => "#",
        });
    }
    template.push_str(match (operation, operation.input()) {
        (Operation::BacktestRestock, _) => "?medicine=metformin&",
        // The part `orders` may be two seconds old, and so differ.
        (Operation::GetToday, _) => "?part=withoutInvoice",
        // A random `wait` would be waited for.
        (Operation::GetNews, _) | (_, Input::Nothing | Input::Record(_) | Input::Optional(_)) => "",
        (_, Input::Query) => "?",
    });
    template
}

const QUERIES: [&str; 20] = [
    "limit=2",
    "limit=1",
    "limit=500",
    "limit=0",
    "name=ada",
    "name=B",
    "find=ada",
    "find=1632+b",
    "phone=441632960001",
    "email=ada%40example.org",
    "patientId=1",
    "patientId=2",
    "state=active",
    "state=unpaid",
    "state=paid",
    "medicine=ibuprofen+400",
    "from=01/01/2026",
    "to=15%2F03%2F2026",
    "after=3",
    "wait=0",
];

/// Parameters of the lists of stock. Most of them need the first one.
const STOCK_QUERIES: [&str; 12] = [
    "medicine=metformin",
    "medicine=metformin",
    "medicine=Ibuprofen+400",
    "limit=2",
    "lot=",
    "lot=A",
    "kind=receipt",
    "invoiceId=4",
    "expires=31%2F12%2F2026",
    "expiresTo=31/12/2026",
    "from=01/03/2026",
    "min=5&max=20&leadDays=0",
];

/// The medicines that are tracked when the world begins, among those of the world.
const TRACKED: [&str; 4] = ["Ibuprofen 400", "Metformin", "metformin", "Metformin"];

const ACCEPTS: [&str; 12] = [
    "application/json",
    "application/xml",
    "application/xml",
    "text/xml",
    "*/*",
    "application/*;q=0.5",
    "application/xml;q=0.9, application/json;q=0.8",
    "application/json;q=0, */*",
    "text/html",
    "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8",
    "application/problem+json",
    "garbage",
];

/// The highest number of remembered values of each kind.
const MEMORY: usize = 40;

/// The generator, with the values that it has learned from earlier answers.
pub(super) struct Scene {
    dice: Dice,
    base: String,
    /// Targets, each with the entity tag of its answer.
    tags: Vec<(String, String)>,
    cursors: Vec<String>,
    /// The paths of created or changed records.
    places: Vec<String>,
}

impl Scene {
    pub(super) fn new(seed: u64, base: &str) -> Self {
        Self { dice: Dice::new(seed), base: base.to_owned(), tags: Vec::new(), cursors: Vec::new(), places: Vec::new() }
    }

    /// Returns the next request.
    pub(super) fn request(&mut self, number: usize) -> Request {
        let Choice { method, template, body: shape, .. } = operation(&mut self.dice);
        let path = self.path(template);
        let mut request = Request {
            method: (*method).to_owned(),
            target: format!("{}{path}", self.base),
            headers: Vec::new(),
            body: None,
            chunked: false,
        };
        if template.ends_with(['?', '&']) {
            self.query(&mut request);
        }
        self.headers(&mut request, number);
        if matches!(*method, "PUT" | "POST") || self.dice.roll(20) == 0 {
            body(&mut self.dice, &mut request, shape);
        }
        for _ in 0..[0, 0, 0, 0, 1, 1, 2, 3][self.dice.roll(8) as usize] {
            mutate(&mut self.dice, &mut request, &self.base);
        }
        tame(&mut request);
        request
    }

    /// Remembers the values of an answer that later requests can use.
    pub(super) fn learn(&mut self, request: &Request, answer: &Answer) {
        let at = self.dice.roll(MEMORY as u64) as usize;
        for (name, value) in &answer.headers {
            match name.as_str() {
                "etag" => {
                    let known = (request.target.clone(), value.clone());
                    keep(&mut self.tags, at, known);
                }
                "location" | "content-location" => keep(&mut self.places, at, value.clone()),
                "link" if request.method == "GET" => {
                    let next = value.split(['?', '&', '>']).find(|part| part.starts_with("after="));
                    if let Some(next) = next {
                        keep(&mut self.cursors, at, next.to_owned());
                    }
                }
                _ => {}
            }
        }
    }

    fn path(&mut self, template: &str) -> String {
        let mut path = String::new();
        for c in template.chars() {
            match c {
                '#' => path.push_str(&self.identifier(&path)),
                '@' if is_of_stock(template) && self.dice.roll(6) > 0 => {
                    path.push_str(&escaped(TRACKED[self.dice.roll(4) as usize]));
                }
                '@' => path.push_str(&escaped(MEDICINES[self.dice.roll(8) as usize])),
                c => path.push(c),
            }
        }
        path
    }

    /// Returns an identifier below this path: of a created record, or one of the first.
    fn identifier(&mut self, below: &str) -> String {
        const RARE: [&str; 6] = ["0", "01", "999", "9223372036854775807", "9223372036854775808", "abc"];
        let below = format!("{}{below}", self.base);
        let known = self.places.iter().filter_map(|place| place.strip_prefix(&below));
        match (self.dice.roll(20), self.dice.pick(known)) {
            (0, _) => RARE[self.dice.roll(6) as usize].to_owned(),
            (1..15, Some(known)) => known.to_owned(),
            _ => (self.dice.roll(9) + 1).to_string(),
        }
    }

    fn query(&mut self, request: &mut Request) {
        let dice = &mut self.dice;
        let mut pairs: Vec<&str> = Vec::new();
        for _ in 0..[0, 1, 1, 2, 3][dice.roll(5) as usize] {
            pairs.push(match is_of_stock(&request.target) {
                true => STOCK_QUERIES[dice.roll(12) as usize],
                false => QUERIES[dice.roll(18) as usize],
            });
        }
        let cursor = dice.pick(&self.cursors).filter(|_| dice.roll(4) == 0);
        pairs.extend(cursor.map(String::as_str));
        request.target.push_str(&pairs.join("&"));
    }

    fn headers(&mut self, request: &mut Request, number: usize) {
        let dice = &mut self.dice;
        let headers = &mut request.headers;
        let mut push = |name: &str, value: &str| {
            headers.push((name.to_owned(), value.as_bytes().to_vec()));
        };
        let key = match dice.roll(40) {
            0 => "",
            1 => "unknown",
            2 => "none",
            3 => "admin",
            4 => "patient:read",
            5 => "all but invoice:write",
            _ => "full",
        };
        push("api_key", key);
        push("X-Request-Id", &format!("p{number}"));
        if dice.one_in(2) {
            push("Accept", ACCEPTS[dice.roll(12) as usize]);
        }
        if dice.roll(6) == 0 {
            let name = match dice.one_in(2) {
                true => "If-Match",
                false => "If-None-Match",
            };
            let own = self.tags.iter().filter(|(target, _)| *target == request.target);
            let tag = match dice.roll(4) {
                0 => dice.pick(&self.tags),
                _ => dice.pick(own),
            };
            push(name, tag.map_or("*", |(_, tag)| tag));
        }
        if dice.roll(10) == 0 {
            push("Idempotency-Key", ["\"a\"", "b", "\"c", ""][dice.roll(4) as usize]);
        }
        if dice.roll(6) == 0 {
            let (name, value) = [
                ("User-Agent", "parity"),
                ("Cookie", "a=b; api_key=full"),
                ("X-Real-IP", "10.0.0.1"),
                ("X-Forwarded-For", "10.0.0.1, 10.0.0.2"),
                ("Authorization", "Bearer x"),
                ("Accept-Encoding", "gzip, br"),
                ("Origin", "http://localhost"),
                ("Range", "bytes=0-1"),
                ("X-HTTP-Method-Override", "DELETE"),
                ("If-Modified-Since", "Sun, 15 Mar 2026 12:00:00 GMT"),
            ][dice.roll(10) as usize];
            push(name, value);
        }
    }
}

fn is_of_stock(target: &str) -> bool {
    ["/stock", "/movements", "/count", "/backtest"].iter().any(|part| target.contains(part))
}

/// Adds a value to a list; once the list is full, replaces the value at this index.
fn keep<T>(memory: &mut Vec<T>, at: usize, found: T) {
    match memory.len() {
        MEMORY => memory[at] = found,
        _ => memory.push(found),
    }
}

fn operation(dice: &mut Dice) -> &'static Choice {
    let all: u64 = CHOICES.iter().map(|choice| choice.weight).sum();
    let mut left = dice.roll(all);
    for choice in CHOICES.iter() {
        match left.checked_sub(choice.weight) {
            None => return choice,
            Some(rest) => left = rest,
        }
    }
    unreachable!("the weights add up to what is rolled")
}

fn escaped(text: &str) -> String {
    let bytes = text.bytes().map(|byte| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    bytes.collect()
}

fn body(dice: &mut Dice, request: &mut Request, shape: &Shape) {
    let (root, draft) = shape.draft(dice);
    let (kind, body) = match dice.one_in(2) {
        true => ("application/json", draft.json()),
        false => ("application/xml", draft.xml(root)),
    };
    request.headers.push(("Content-Type".to_owned(), kind.as_bytes().to_vec()));
    request.body = Some(body.into_bytes());
    request.chunked = dice.roll(5) == 0;
}
