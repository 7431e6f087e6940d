//! The identifiers of records, as text.

use super::{ReplyKey, Series};
use crate::model::{ConsultationId, Date, InvoiceId, MedicineKey, MovementId, PatientId, PrescriptionId};

/// The identifier of a record within its kind.
pub(super) trait Identity: Sized {
    /// Returns its text in the journal.
    fn text(&self) -> String;

    /// Reads a text that [`text`](Self::text) has returned.
    fn parse(text: &str) -> Option<Self>;
}

macro_rules! numbers {
    ($($id:ty)*) => {
        $(impl Identity for $id {
            fn text(&self) -> String {
                self.to_string()
            }

            fn parse(text: &str) -> Option<Self> {
                Self::try_from(text.parse::<i64>().ok()?).ok()
            }
        })*
    };
}

numbers! { PatientId ConsultationId PrescriptionId InvoiceId MovementId }

impl Identity for MedicineKey {
    fn text(&self) -> String {
        self.as_str().to_owned()
    }

    fn parse(text: &str) -> Option<Self> {
        Some(Self::from_stored(text))
    }
}

/// In the text the day comes first: it has a fixed length, and the medicine may contain any character.
impl Identity for (Date, MedicineKey) {
    fn text(&self) -> String {
        format!("{} {}", self.0, self.1.as_str())
    }

    fn parse(text: &str) -> Option<Self> {
        let (day, key) = text.split_once(' ')?;
        Some((day.parse().ok()?, MedicineKey::from_stored(key)))
    }
}

/// The text is the same as in the other order.
impl Identity for (MedicineKey, Date) {
    fn text(&self) -> String {
        format!("{} {}", self.1, self.0.as_str())
    }

    fn parse(text: &str) -> Option<Self> {
        <(Date, MedicineKey)>::parse(text).map(|(day, key)| (key, day))
    }
}

impl Identity for Series {
    fn text(&self) -> String {
        self.as_str().to_owned()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// In the text the key comes first: it contains no space, and the actor's name may.
impl Identity for ReplyKey {
    fn text(&self) -> String {
        format!("{} {}", self.key, self.actor)
    }

    fn parse(text: &str) -> Option<Self> {
        let (key, actor) = text.split_once(' ')?;
        Some(Self { actor: actor.into(), key: key.into() })
    }
}
