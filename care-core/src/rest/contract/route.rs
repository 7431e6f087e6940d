//! From a raw path to the operations on it.

use std::sync::LazyLock;

use http::Method;

use super::{
    Contract,
    operation::{Operation, Segment},
    problem::Problem,
};
use crate::rest::http::path;

/// The longest path of the table has three segments; one more tells a longer one apart.
const MAX_SEGMENTS: usize = 4;

/// What a path means.
#[derive(Debug)]
pub(crate) struct Route<'a> {
    operations: Operations,
    parameter: &'a str,
    undecodable: bool,
}

/// Finds the operations on a raw path: it is split first, and each segment is decoded once.
///
/// Outside the base path there is nothing, and nobody asks for a key there.
pub(crate) fn find<'a>(contract: &Contract, raw: &'a str) -> Result<Route<'a>, Problem> {
    let below = raw.strip_prefix(contract.base()).ok_or(Problem::NoSuchPath)?;
    if !(below.is_empty() || below.starts_with('/')) {
        return Err(Problem::NoSuchPath);
    }
    let mut segments = [""; MAX_SEGMENTS];
    let mut count = 0;
    // Byte by byte, since segments are short.
    for segment in below.as_bytes().split(|byte| *byte == b'/').skip(1) {
        let segment = str::from_utf8(segment).unwrap_or_default();
        if let Some(slot) = segments.get_mut(count) {
            *slot = segment;
        }
        count += 1;
    }
    let segments = segments.get(..count).unwrap_or_default();
    let mut route = Route { operations: Operations(0), parameter: "", undecodable: false };
    for (path, operations) in PATHS.iter() {
        if let Some(parameter) = matches(path, segments) {
            route.operations = Operations(operations.0 & contract.operations().0);
            route.parameter = parameter;
            break;
        }
    }
    if !route.is_known() {
        route.undecodable = below.split('/').any(|segment| path::decode(segment).is_err());
    }
    Ok(route)
}

/// Every path of the table once, with the operations on it. No two of them match the same path.
static PATHS: LazyLock<Vec<(&[Segment], Operations)>> = LazyLock::new(|| {
    let mut paths: Vec<(&[Segment], Operations)> = Vec::new();
    for operation in Operation::all() {
        let alone = Operations::of([operation]);
        match paths.iter_mut().find(|(path, _)| *path == operation.path()) {
            Some((_, operations)) => operations.0 |= alone.0,
            None => paths.push((operation.path(), alone)),
        }
    }
    paths
});

/// A set of operations, a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operations(u64);

impl Operations {
    /// The set of these.
    pub(crate) fn of(operations: impl IntoIterator<Item = Operation>) -> Self {
        Self(operations.into_iter().fold(0, |set, operation| set | 1 << operation as u32))
    }

    /// In the order of the table.
    pub(crate) fn iter(self) -> impl Iterator<Item = Operation> {
        std::iter::successors(Some(self.0), |rest| Some(rest & rest.wrapping_sub(1)))
            .take_while(|rest| *rest != 0)
            .filter_map(|rest| Operation::nth(rest.trailing_zeros() as usize))
    }
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
    pub(crate) fn is_known(&self) -> bool {
        self.operations != Operations(0)
    }

    /// Whether nothing about it may be said to somebody without a key.
    pub(crate) fn needs_key(&self) -> bool {
        !self.is_known() || self.operations.iter().any(Operation::needs_key)
    }

    /// Why no operation has it.
    pub(crate) fn unknown(&self) -> Problem {
        if self.undecodable { Problem::UndecodablePath } else { Problem::NoSuchPath }
    }

    /// The raw segment that the path's parameter stands in.
    pub(crate) fn parameter(&self) -> &'a str {
        self.parameter
    }

    /// The operation with this method; `HEAD` is `GET`.
    pub(crate) fn operation(&self, method: &Method) -> Option<Operation> {
        let method = if method == Method::HEAD { &Method::GET } else { method };
        self.operations.iter().find(|operation| operation.method() == method)
    }

    /// The path's methods, as `Allow` lists them.
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
