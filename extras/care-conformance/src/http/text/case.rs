//! One case: a setting of the world, and requests with the expectations about their answers.

use crate::http::world::Setting;

/// One case of the suite. [`cases`](crate::http::cases) lists them.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name of its file, without the extension.
    pub(crate) file: &'static str,
    pub(crate) name: String,
    pub(super) decision: Option<String>,
    pub(crate) setting: Setting,
    pub(crate) twins: bool,
    pub(crate) traceless: bool,
    pub(crate) sockets_only: bool,
    pub(crate) steps: Vec<Step>,
}

/// One request, and the expectations about its answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Step {
    pub(crate) line: usize,
    pub(crate) method: String,
    /// The request target, relative to the base path unless it is raw.
    pub(crate) target: String,
    pub(super) is_raw_target: bool,
    pub(crate) headers: Vec<(String, String)>,
    pub(super) has_key: bool,
    pub(crate) body: Option<Body>,
    pub(crate) chunked: bool,
    /// The number of clients that send the request at once; `None` for a single one.
    pub(crate) racers: Option<usize>,
    pub(crate) status: u16,
    pub(crate) expected: Vec<Expectation>,
}

/// The body of a request.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// A record in JSON. The XML twin of the case sends it as XML.
    Json(String),
    /// XML, sent unchanged.
    Xml(String),
    /// Bytes with escapes, sent without a `Content-Type`.
    Raw(String),
}

/// One expectation about an answer.
#[derive(Debug, Clone)]
pub(crate) enum Expectation {
    /// The header is there exactly once, and its value matches the pattern.
    Header(String, String),
    /// The header is absent.
    NoHeader(String),
    /// The body is a problem document of this kind with exactly these fields at fault.
    Problem(String, Vec<String>),
    /// The body is this record and nothing more.
    Json(String),
    /// The body has these members, among others.
    With(String),
    /// The body is this text.
    Body(String),
    /// The body is empty.
    Empty,
    /// The body holds this text somewhere.
    Contains(String),
    /// The body holds this text nowhere.
    Lacks(String),
    /// The answer equals that of the step with this number, counted from 1, except for the request id.
    SameAs(usize),
}

impl Case {
    /// Returns the name of the case, unique among all cases.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of its file, without the extension.
    pub const fn file(&self) -> &'static str {
        self.file
    }

    /// Returns the decision that the case pins, in the words of the contract's page.
    pub fn decision(&self) -> Option<&str> {
        self.decision.as_deref()
    }

    /// Returns whether the case is run twice, in JSON and in XML.
    pub const fn has_twins(&self) -> bool {
        self.twins
    }
}
