//! One case: a setting, and requests with what is expected of their answers.

use super::world::Setting;

/// One case of the suite. [`cases`](super::cases) lists them.
#[derive(Debug, Clone)]
pub struct Case {
    /// The file it stands in, without the extension.
    pub(super) file: &'static str,
    pub(super) name: String,
    pub(super) decision: Option<String>,
    pub(super) setting: Setting,
    pub(super) twins: bool,
    pub(super) traceless: bool,
    pub(super) sockets_only: bool,
    pub(super) steps: Vec<Step>,
}

/// One request and what is expected of its answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) method: String,
    /// Relative to the base path, unless it is raw.
    pub(super) target: String,
    pub(super) is_raw_target: bool,
    pub(super) headers: Vec<(String, String)>,
    pub(super) has_key: bool,
    pub(super) body: Option<Body>,
    pub(super) chunked: bool,
    /// So many clients send it at once.
    pub(super) racers: Option<usize>,
    pub(super) status: u16,
    pub(super) expected: Vec<Expectation>,
}

/// What a request carries.
#[derive(Debug, Clone)]
pub(super) enum Body {
    /// A record as JSON, which the XML twin of the case sends as XML.
    Json(String),
    /// XML as it is.
    Xml(String),
    /// Bytes with escapes, and no `Content-Type` of their own.
    Raw(String),
}

/// One line about an answer.
#[derive(Debug, Clone)]
pub(super) enum Expectation {
    /// The header is there once, and its value matches the pattern.
    Header(String, String),
    /// The header is not there.
    NoHeader(String),
    /// A problem of this kind, with exactly these fields at fault.
    Problem(String, Vec<String>),
    /// The body is this record and nothing more.
    Json(String),
    /// The body has these members, among others.
    With(String),
    /// The body is this text.
    Body(String),
    /// There is no body.
    Empty,
    /// The body holds this text somewhere.
    Contains(String),
    /// The body holds this text nowhere.
    Lacks(String),
    /// The answer equals that of an earlier step, counted from 1, but for the request id.
    SameAs(usize),
}

impl Case {
    /// Its name, unique among all cases.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file it stands in, without the extension.
    pub const fn file(&self) -> &'static str {
        self.file
    }

    /// The decision it pins, in the words of the contract's own page.
    pub fn decision(&self) -> Option<&str> {
        self.decision.as_deref()
    }

    /// Whether it is run twice, with JSON and with XML.
    pub const fn has_twins(&self) -> bool {
        self.twins
    }
}
