//! Records about a person, as an erasure leaves them.

use super::record::each_kind;
use crate::{
    model::{Receipt, ReceiptKind},
    store::{Record, Reply},
};

/// A kind of record of which an erasure may take something.
pub(crate) trait Erasable: Sized {
    /// Returns what the erasure of a person leaves of a record about that person; `None` when it never changes such a
    /// record.
    fn erased(&self) -> Option<Self> {
        None
    }
}

impl Erasable for Reply {
    fn erased(&self) -> Option<Self> {
        Some(self.emptied())
    }
}

impl Record {
    /// Returns what the erasure of a person leaves of a record about that person; `None` when it never changes the
    /// record.
    pub(crate) fn emptied(&self) -> Option<Self> {
        macro_rules! by_kind {
            ($($kind:ident)*) => {
                match self {
                    // A payment has no note.
                    Self::Receipt(Receipt { kind: ReceiptKind::Payment, .. }) => None,
                    $(Self::$kind(record) => record.erased().map(Self::$kind),)*
                }
            };
        }
        each_kind!(by_kind)
    }
}
