//! Finding the operations of a raw path.

use std::sync::LazyLock;

use http::Method;

use super::{
    operation::{Operation, Segment},
    problem::Problem,
};
use crate::rest::http::path;

/// The number of segments to look at: the longest path of the table has three, and one more shows that a path is
/// longer.
const MAX_SEGMENTS: usize = 4;

/// The operations of a path.
#[derive(Debug)]
pub(crate) struct Route<'a> {
    operations: Operations,
    parameter: &'a str,
    undecodable: bool,
    /// Whether this is the path of the document, which this build leaves out.
    lacks_document: bool,
}

/// Finds which of the served operations below this base path a raw path has; this build cannot serve those left out.
/// The path is split first, and then each segment is decoded once.
///
/// Paths outside the base path are unknown and need no key.
pub(crate) fn find<'a>(
    base: &str,
    served: Operations,
    left_out: Operations,
    raw: &'a str,
) -> Result<Route<'a>, Problem> {
    let below = raw.strip_prefix(base).ok_or(Problem::NoSuchPath)?;
    if !(below.is_empty() || below.starts_with('/')) {
        return Err(Problem::NoSuchPath);
    }
    let mut segments = [""; MAX_SEGMENTS];
    let mut count = 0;
    // Splitting bytes is fast, since segments are short.
    for segment in below.as_bytes().split(|byte| *byte == b'/').skip(1) {
        let segment = str::from_utf8(segment).unwrap_or_default();
        if let Some(slot) = segments.get_mut(count) {
            *slot = segment;
        }
        count += 1;
    }
    let segments = segments.get(..count).unwrap_or_default();
    let mut route = Route { operations: Operations(0), parameter: "", undecodable: false, lacks_document: false };
    for (path, operations) in PATHS.iter() {
        if let Some(parameter) = matches(path, segments) {
            route.operations = Operations(operations.0 & served.0);
            route.parameter = parameter;
            route.lacks_document = *operations == left_out;
            break;
        }
    }
    if !route.is_known() {
        route.undecodable = below.split('/').any(|segment| path::decode(segment).is_err());
    }
    Ok(route)
}

/// Every path of the table once, with its operations. No two of them match the same path.
static PATHS: LazyLock<Vec<(Vec<Segment>, Operations)>> = LazyLock::new(|| {
    let mut paths: Vec<(Vec<Segment>, Operations)> = Vec::new();
    for operation in Operation::all() {
        let alone = Operations::of([operation]);
        let segments: Vec<_> = operation.segments().collect();
        match paths.iter_mut().find(|(path, _)| *path == segments) {
            Some((_, operations)) => operations.0 |= alone.0,
            None => paths.push((segments, alone)),
        }
    }
    paths
});

const _: () = assert!(Operation::COUNT <= u64::BITS as usize, "a set has a bit for each operation");

/// A set of operations, one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operations(u64);

impl Operations {
    /// Returns the set of these operations.
    pub(crate) fn of(operations: impl IntoIterator<Item = Operation>) -> Self {
        Self(operations.into_iter().fold(0, |set, operation| set | 1 << operation as u32))
    }

    /// Returns whether there are operations that the interface document does not show.
    pub(crate) const fn has_extensions(self) -> bool {
        self.0 >> Operation::DOCUMENTED != 0
    }

    /// Returns the operations in the order of the table.
    pub(crate) fn iter(self) -> impl Iterator<Item = Operation> {
        std::iter::successors(Some(self.0), |rest| Some(rest & rest.wrapping_sub(1)))
            .take_while(|rest| *rest != 0)
            .filter_map(|rest| Operation::nth(rest.trailing_zeros() as usize))
    }
}

/// Returns the raw segment of the parameter (empty without one) if the segments match the path.
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
    /// Returns whether an operation has this path.
    pub(crate) fn is_known(&self) -> bool {
        self.operations != Operations(0)
    }

    /// Returns whether a client without a valid key must learn nothing about the path.
    pub(crate) fn needs_key(&self) -> bool {
        !(self.is_known() || self.lacks_document) || self.operations.iter().any(Operation::needs_key)
    }

    /// Returns the problem for a path without operations.
    pub(crate) fn unknown(&self) -> Problem {
        match self {
            Self { lacks_document: true, .. } => Problem::NoDocument,
            Self { undecodable: true, .. } => Problem::UndecodablePath,
            Self { .. } => Problem::NoSuchPath,
        }
    }

    /// Returns the raw segment of the path's parameter.
    pub(crate) fn parameter(&self) -> &'a str {
        self.parameter
    }

    /// Returns the operation with this method; `HEAD` counts as `GET`.
    pub(crate) fn operation(&self, method: &Method) -> Option<Operation> {
        let method = if method == Method::HEAD { &Method::GET } else { method };
        self.operations.iter().find(|operation| operation.method() == method)
    }

    /// Returns the value of `Allow` for the path.
    pub(crate) fn allow(&self) -> String {
        let mut methods = Vec::new();
        for operation in self.operations.iter() {
            methods.push(operation.method().as_str());
            if operation.method() == Method::GET {
                methods.push("HEAD");
            }
        }
        methods.push("OPTIONS");
        methods.join(", ")
    }
}
