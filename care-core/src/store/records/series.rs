//! The series of numbers that the service gives.

use std::str::FromStr;

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::{Invalid, each_identifier};

macro_rules! series {
    ($($id:ident $series:ident $name:literal $of:literal)*) => {
        /// A series of numbers that the service gives, one for each type of identifiers. The series are ordered by
        /// their words.
        ///
        /// Patient numbers are of it as far as the service gave them, and no client chose them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub enum Series {
            $(
                #[doc = concat!($of, " numbers.")]
                $series,
            )*
        }

        impl Series {
            /// All series, in their order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$series),*];

            /// Returns the word for the series.
            pub const fn as_str(self) -> &'static str {
                const fn word(identifier: &'static str) -> &'static str {
                    identifier.split_at(identifier.len() - "Id".len()).0
                }
                match self {
                    $(Self::$series => const { word($name) },)*
                }
            }
        }
    };
}

each_identifier!(series);

/// The last number given in a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[record(table = "counter", key(series))]
pub struct Counter {
    /// The series.
    pub series: Series,
    /// The number, 1 to 2^63-1.
    pub last: i64,
}

impl FromStr for Series {
    type Err = Invalid;

    fn from_str(word: &str) -> Result<Self, Invalid> {
        Self::ALL.into_iter().find(|series| series.as_str() == word).ok_or(Invalid("must be a series of numbers"))
    }
}
