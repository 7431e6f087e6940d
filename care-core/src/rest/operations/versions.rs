//! Earlier versions of single records: `?version=SEQ`, read from the journal.

use super::{query::Parameters, request::Request};
use crate::{
    model::{Invalid, Scope},
    rest::{contract::problem::Problem, http::path},
    store::Seq,
};

/// The name of the parameter.
pub(crate) const VERSION: &str = "version";

/// Returns the version that the request names. Other parameters are ignored.
pub(crate) fn asked(request: &Request<'_>) -> Result<Option<Seq>, Problem> {
    let query = request.head.uri.query().unwrap_or_default();
    if !query.contains(VERSION) || !request.operation.nature().has_versions() || !request.contract.has_extensions() {
        return Ok(None);
    }
    let mut query = Parameters::of_a_record(request.operation, query, VERSION);
    let version = query.parse(VERSION, |text| {
        let number = path::identifier(&text).ok_or(Invalid("must be the number of a journal entry"))?;
        Ok(Seq::new(number.cast_unsigned()))
    });
    query.verdict()?;
    // Only readers of the journal may see values that were corrected or removed.
    match version {
        Some(_) if !request.principal.scopes.contains(Scope::Admin) => Err(Problem::Forbidden),
        version => Ok(version),
    }
}
