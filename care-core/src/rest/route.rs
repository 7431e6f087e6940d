//! From a raw path to the operations on it.

use http::Method;

use super::{
    operation::{Operation, Segment},
    path,
    problem::Problem,
    settings::Api,
};

/// The longest path of the table has three segments; one more tells a longer one apart.
const MAX_SEGMENTS: usize = 4;

/// What a path means.
#[derive(Debug)]
pub(super) struct Route<'a> {
    operations: Vec<Operation>,
    parameter: &'a str,
    undecodable: bool,
}

/// Finds the operations on a raw path: it is split first, and each segment is decoded once.
///
/// Outside the base path there is nothing, and nobody asks for a key there.
pub(super) fn find<'a>(api: &Api, raw: &'a str) -> Result<Route<'a>, Problem> {
    let below = raw.strip_prefix(api.base_path()).ok_or(Problem::NoSuchPath)?;
    if !(below.is_empty() || below.starts_with('/')) {
        return Err(Problem::NoSuchPath);
    }
    let mut segments = [""; MAX_SEGMENTS];
    let mut count = 0;
    for segment in below.split('/').skip(1) {
        if let Some(slot) = segments.get_mut(count) {
            *slot = segment;
        }
        count += 1;
    }
    let segments = segments.get(..count).unwrap_or_default();
    let mut route = Route { operations: Vec::new(), parameter: "", undecodable: false };
    for operation in api.operations() {
        if let Some(parameter) = matches(operation.path(), segments) {
            route.operations.push(operation);
            route.parameter = parameter;
        }
    }
    if route.operations.is_empty() {
        route.undecodable = below.split('/').any(|segment| path::decode(segment).is_err());
    }
    Ok(route)
}

/// The parameter's raw segment (empty without one), if the segments are those of the path.
fn matches<'a>(path: &[Segment], segments: &[&'a str]) -> Option<&'a str> {
    if path.len() != segments.len() {
        return None;
    }
    let mut parameter = "";
    for (segment, raw) in path.iter().zip(segments) {
        match segment {
            Segment::Literal(text) if *raw == *text => {}
            Segment::Literal(text) if raw.contains('%') && path::decode(raw).is_ok_and(|raw| raw == *text) => {}
            Segment::Literal(_) => return None,
            Segment::Parameter(_) if raw.is_empty() => return None,
            Segment::Parameter(_) => parameter = raw,
        }
    }
    Some(parameter)
}

impl<'a> Route<'a> {
    /// Whether any operation has this path.
    pub(super) fn is_known(&self) -> bool {
        !self.operations.is_empty()
    }

    /// Whether nothing about it may be said to somebody without a key.
    pub(super) fn needs_key(&self) -> bool {
        !self.is_known() || self.operations.iter().any(|operation| operation.scope().is_some())
    }

    /// Why no operation has it.
    pub(super) fn unknown(&self) -> Problem {
        if self.undecodable { Problem::UndecodablePath } else { Problem::NoSuchPath }
    }

    /// The raw segment that the path's parameter stands in.
    pub(super) fn parameter(&self) -> &'a str {
        self.parameter
    }

    /// The operation with this method; `HEAD` is `GET`.
    pub(super) fn operation(&self, method: &Method) -> Option<Operation> {
        let method = if method == Method::HEAD { &Method::GET } else { method };
        self.operations.iter().copied().find(|operation| operation.method() == method)
    }

    /// The path's methods, as `Allow` lists them.
    pub(super) fn allow(&self) -> String {
        let mut methods = Vec::new();
        for operation in &self.operations {
            methods.push(operation.method().as_str());
            if operation.method() == Method::GET {
                methods.push("HEAD");
            }
        }
        methods.push("OPTIONS");
        methods.join(", ")
    }
}
