//! The reads that the journal records, where the operator has enabled that.

use std::sync::Arc;

use super::request::Request;
use crate::{
    rest::contract::{operation::Operation, problem::Problem},
    store::RecordKey,
};

/// The function that returns the key of the record that a request has read.
type KeyOf = fn(&Request<'_>) -> Result<RecordKey, Problem>;

/// Returns whether the operation reads a single record of a patient. Other reads are not recorded: a list names no
/// single patient, and an item of the inventory belongs to none.
pub(crate) fn are_audited(operation: Operation) -> bool {
    key_of(operation).is_some()
}

/// Records the read of a request in the journal, under this actor.
pub(crate) async fn note(request: &Request<'_>, actor: &Arc<str>) -> Result<(), Problem> {
    let Some(key_of) = key_of(request.operation) else {
        return Ok(());
    };
    let key = key_of(request)?;
    Ok(request.care.acting_as(Arc::clone(actor)).note_read(request.operation, key).await?)
}

macro_rules! key {
    (_) => {
        None
    };
    ($kind:ident) => {
        Some(|request| request.in_path().map(RecordKey::$kind))
    };
}

/// Defines whose record an operation reads. Each row of the table has to say so.
macro_rules! keys {
    ($($(#[$doc:meta])+ $operation:ident $id:literal $method:ident $path:literal {
        scope: $scope:ident, tag: $tag:literal, nature: $nature:expr, event: $event:tt,
        takes: $input:ident $([$($taken:tt)*])? $($body:path)?, $(gives: $answer:path,)? reads: $reads:tt,
        $(misses: $missing:ident,)? $(conflicts: [$($conflict:ident),*],)?
    } run $run:tt client $client:tt)*) => {
        fn key_of(operation: Operation) -> Option<KeyOf> {
            match operation {
                $(Operation::$operation => key!($reads),)*
            }
        }
    };
}

crate::operations!(keys);
