//! What identifies a record among its kind, as text.

use super::{ReplyKey, Series};
use crate::model::{ConsultationId, Date, InvoiceId, MedicineKey, MovementId, PatientId, PrescriptionId};

/// What identifies a record among its kind.
pub(super) trait Identity: Sized {
    /// Returns it as the journal writes it.
    fn text(&self) -> String;

    /// Reads what [`text`](Self::text) returned.
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

/// The day comes first in the text: it has a fixed length, the medicine may hold anything.
impl Identity for (Date, MedicineKey) {
    fn text(&self) -> String {
        format!("{} {}", self.0, self.1.as_str())
    }

    fn parse(text: &str) -> Option<Self> {
        let (day, key) = text.split_once(' ')?;
        Some((day.parse().ok()?, MedicineKey::from_stored(key)))
    }
}

/// Written like the other order.
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
        Self::ALL.into_iter().find(|series| series.as_str() == text)
    }
}

/// The key comes first in the text: it holds no space, the actor's name may.
impl Identity for ReplyKey {
    fn text(&self) -> String {
        format!("{} {}", self.key, self.actor)
    }

    fn parse(text: &str) -> Option<Self> {
        let (key, actor) = text.split_once(' ')?;
        Some(Self { actor: actor.into(), key: key.into() })
    }
}
