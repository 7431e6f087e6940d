//! The bodies and the answers of operations, as the table names them.

use http::{HeaderName, StatusCode, header};

use super::{
    records::{answers, desk, inputs, lists, money, reports, stock},
    values::record::{Documented, Record},
};
use crate::{
    model::{Item, Movement, Patient, PatientConsultation, PatientHistory, Receipt, Supply},
    operation::{Effect, Nature},
    rest::Operation,
    service::RestockReport,
    stock::Backtest,
    wire::{Stock, TakingsReport},
};

/// A successful answer.
#[derive(Debug)]
pub(super) struct SuccessAnswer {
    pub(super) status: StatusCode,
    pub(super) record: Option<Record>,
    pub(super) headers: &'static [HeaderName],
}

macro_rules! made {
    () => {
        None
    };
    ($record:path) => {
        Some($record())
    };
}

/// Defines the records of an operation.
macro_rules! records {
    ($($(#[$doc:meta])+ $operation:ident $id:literal $method:ident $path:literal {
        scope: $scope:ident, tag: $tag:literal, nature: $nature:expr, event: $event:tt,
        takes: $input:ident $([$($name:literal),*])? $($body:path)?, $(gives: $answer:path,)? reads: $reads:tt,
        $(unindexed: [$($unindexed:literal),*],)? $(misses: $missing:ident,)? $(conflicts: [$($conflict:ident),*],)?
    } run $run:tt client $client:tt)*) => {
        /// Returns the body of an operation.
        pub(super) fn body(operation: Operation) -> Option<Record> {
            match operation {
                $(Operation::$operation => made!($($body)?),)*
            }
        }

        /// Returns the record that an operation answers.
        fn answer(operation: Operation) -> Option<Record> {
            match operation {
                $(Operation::$operation => made!($($answer)?),)*
            }
        }
    };
}

crate::operations!(records);

/// Returns the successful answers of an operation, which its nature decides.
pub(super) fn answers(operation: Operation) -> Vec<SuccessAnswer> {
    let with = |status, record, headers| SuccessAnswer { status, record, headers };
    let shown = |status, headers| with(status, answer(operation), headers);
    let placed: &[HeaderName] = &[header::ETAG, header::CONTENT_LOCATION];
    let made: &[HeaderName] = &[header::ETAG, header::LOCATION, header::CONTENT_LOCATION];
    match operation.nature() {
        Nature::Single | Nature::LongSingle => {
            vec![shown(StatusCode::OK, &[header::ETAG]), with(StatusCode::NOT_MODIFIED, None, &[header::ETAG])]
        }
        Nature::Page(_) | Nature::Journal => vec![shown(StatusCode::OK, &[header::LINK])],
        Nature::Plain | Nature::News | Nature::Report | Nature::Day | Nature::Document => {
            vec![shown(StatusCode::OK, &[])]
        }
        Nature::Change(effect) | Nature::VersionedChange(effect) => match effect {
            Effect::Made => vec![shown(StatusCode::CREATED, made)],
            Effect::MadeOrFound => vec![shown(StatusCode::CREATED, made), shown(StatusCode::OK, placed)],
            Effect::Changed => vec![shown(StatusCode::OK, &[header::ETAG])],
            Effect::Placed => vec![shown(StatusCode::OK, placed)],
            Effect::Removed => vec![with(StatusCode::NO_CONTENT, None, &[])],
        },
    }
}
