//! The bodies and the answers of operations, as the table names them.

use http::{HeaderName, StatusCode, header};

use super::{
    records::{answers, lists, parameters::cursor, reports},
    values::record::{Asked, Documented, Field, Record},
};
use crate::{
    model,
    operation::{Effect, Nature},
    rest::{
        Operation,
        contract::{Contract, bodies},
        operations::queries::FindQuery,
    },
    service, stock, store, wire,
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

macro_rules! asked {
    (Query [$($query:path),*]) => {
        Vec::<Vec<Field>>::from([$(<$query as Asked>::members()),*]).into_iter().flatten().collect()
    };
    ($input:ident $($roots:tt)?) => {
        Vec::new()
    };
}

/// Defines the records of an operation, and the parameters that its row names.
macro_rules! records {
    ($($(#[$doc:meta])+ $operation:ident $id:literal $method:ident $path:literal {
        scope: $scope:ident, tag: $tag:literal, nature: $nature:expr, event: $event:tt,
        takes: $input:ident $([$($taken:tt)*])? $($body:path)?, $(gives: $answer:path,)? reads: $reads:tt,
        $(misses: $missing:ident,)? $(conflicts: [$($conflict:ident),*],)?
    } run $run:tt client $client:tt)*) => {
        /// Returns the body of an operation.
        pub(super) fn body(operation: Operation, contract: &Contract) -> Option<Record> {
            let body = match operation {
                $(Operation::$operation => made!($($body)?).map(Record::input),)*
            };
            body.map(|record| of(contract, record))
        }

        /// Returns the parameters that the row of an operation names.
        pub(super) fn asked(operation: Operation) -> Vec<Field> {
            match operation {
                $(Operation::$operation => asked!($input $([$($taken)*])?),)*
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

/// Returns a record as this contract has it.
fn of(contract: &Contract, record: Record) -> Record {
    if contract.has_extensions() { record } else { record.documented() }
}

/// Returns the successful answers of an operation, which its nature decides.
pub(super) fn answers(operation: Operation, contract: &Contract) -> Vec<SuccessAnswer> {
    let with = |status, record, headers| SuccessAnswer { status, record, headers };
    let shown = |status, headers| with(status, answer(operation).map(|record| of(contract, record)), headers);
    let placed: &[HeaderName] = &[header::ETAG, header::CONTENT_LOCATION];
    let made: &[HeaderName] = &[header::ETAG, header::LOCATION, header::CONTENT_LOCATION];
    match operation.nature() {
        Nature::Single | Nature::LongSingle => {
            vec![shown(StatusCode::OK, &[header::ETAG]), with(StatusCode::NOT_MODIFIED, None, &[header::ETAG])]
        }
        Nature::Page(_) | Nature::Journal => {
            let SuccessAnswer { status, record, headers } = shown(StatusCode::OK, &[header::LINK]);
            let next = |next: Field| next.example(cursor(operation));
            vec![with(status, record.map(|record| record.changing("next", next)), headers)]
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rest::operations::queries::{Part, parameters};

    #[test]
    fn the_document_names_the_parameters_that_are_read() {
        for operation in Operation::all() {
            let parts = Part::of(operation.nature()).iter().map(|part| part.parameter().name);
            let named = asked(operation).into_iter().map(|field| field.name()).chain(parts);
            assert!(named.eq(parameters(operation).map(|parameter| parameter.name)), "{}", operation.id());
        }
    }
}
