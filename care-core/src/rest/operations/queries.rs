//! The parameters that each operation takes in its query.

use care_derive::Filter;

use crate::{
    model::FindText,
    rest::contract::operation::{Nature, Operation},
    service::{BacktestQuery, DayQuery, RestockQuery, TakingsQuery, TriedSettings},
    store::{
        ConsultationFilter, Filter, InvoiceFilter, ItemFilter, MovementFilter, Parameter, PatientFilter,
        PrescriptionFilter, ReceiptFilter, StockFilter,
    },
};

macro_rules! declared {
    (Query [$($query:ident),*]) => {
        const { &[$(<$query as Filter>::PARAMETERS),*] }
    };
    ($input:ident $($roots:tt)?) => {
        &[]
    };
}

/// Defines the parameters that the rows name.
macro_rules! queries {
    ($($(#[$doc:meta])+ $operation:ident $id:literal $method:ident $path:literal {
        scope: $scope:ident, tag: $tag:literal, nature: $nature:expr, event: $event:tt,
        takes: $input:ident $([$($taken:tt),*])? $($body:path)?, $(gives: $answer:path,)? reads: $reads:tt,
        $(misses: $missing:ident,)? $(conflicts: [$($conflict:ident),*],)?
    } run $run:tt client $client:tt)*) => {
        const fn declared(operation: Operation) -> &'static [&'static [Parameter]] {
            match operation {
                $(Operation::$operation => declared!($input $([$($taken),*])?),)*
            }
        }
    };
}

crate::operations!(queries);

/// Returns the parameters of an operation: those that its row names, and those of its nature, which choose a part of
/// the answer.
pub(crate) fn parameters(operation: Operation) -> impl Iterator<Item = &'static Parameter> {
    const LIMIT: Parameter = Parameter::new("limit");
    const AFTER: Parameter = Parameter::new("after");
    const WAIT: Parameter = Parameter::new("wait");
    let of_nature: &[_] = match operation.nature() {
        Nature::Page(_) => &[LIMIT, AFTER],
        Nature::Journal => &[LIMIT, AFTER, WAIT],
        Nature::News => &[AFTER, WAIT],
        Nature::Plain
        | Nature::Single
        | Nature::LongSingle
        | Nature::Report
        | Nature::Day
        | Nature::Document
        | Nature::Change(_)
        | Nature::VersionedChange(_) => &[],
    };
    declared(operation).iter().copied().flatten().chain(of_nature)
}

/// A search for patients.
#[derive(Debug, Default, Filter)]
pub(crate) struct FindQuery {
    /// Only patients that match all of these words, the best first. A word is the beginning of a word of the name,
    /// without regard to case and marks; of the mail address; as at least four digits, of the phone number, with or
    /// without its first one to three digits, or its end; or `#` and the number of the patient. 1 to 8 words. Not
    /// beside another filter or `after`, with a `limit` of at most 50.
    pub(crate) find: Option<FindText>,
}
