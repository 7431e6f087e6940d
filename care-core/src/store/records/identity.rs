//! The identifiers of records, as text.

use crate::{
    model::{
        Currency, Date, EveryDays, KeyId, LotId, LotKey, LotText, MedicineKey, Scalar, TakingsKey, each_identifier,
    },
    store::{ReplyId, Series},
};

/// The identifier of a record within its kind.
pub(crate) trait Identity: Sized {
    /// Returns its text in the journal and in cursors.
    fn text(&self) -> String;

    /// Reads a text that [`text`](Self::text) has returned.
    fn parse(text: &str) -> Option<Self>;

    /// Returns the number that it is; `None` where it is a text or has parts.
    fn number(&self) -> Option<i64> {
        None
    }
}

macro_rules! numbers {
    ($($id:ident $series:ident $name:literal $of:literal)*) => {
        $(impl Identity for crate::model::$id {
            fn text(&self) -> String {
                self.to_string()
            }

            fn parse(text: &str) -> Option<Self> {
                Self::try_from(text.parse::<i64>().ok()?).ok()
            }

            fn number(&self) -> Option<i64> {
                Some(self.value())
            }
        })*
    };
}

each_identifier!(numbers);

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

/// In the text the interval comes first, since the medicine may contain any character.
impl Identity for (MedicineKey, EveryDays) {
    fn text(&self) -> String {
        format!("{} {}", self.1.value(), self.0.as_str())
    }

    fn parse(text: &str) -> Option<Self> {
        let (days, key) = text.split_once(' ')?;
        Some((MedicineKey::from_stored(key), EveryDays::try_from(days.parse::<i64>().ok()?).ok()?))
    }
}

/// In the text the date comes first, then the number of characters in the lot's folded text, then that text, which may
/// contain any character, and the medicine. A hyphen stands for a date or a text that is absent.
impl Identity for (MedicineKey, LotId) {
    fn text(&self) -> String {
        let (key, id) = self;
        let expires = id.expires.map_or_else(|| ABSENT.to_owned(), |day| day.to_string());
        match id.lot_key().map(LotKey::as_str) {
            Some(lot) => format!("{expires} {} {lot} {}", lot.chars().count(), key.as_str()),
            None => format!("{expires} {ABSENT} {}", key.as_str()),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (expires, text) = text.split_once(' ')?;
        let (length, text) = text.split_once(' ')?;
        let expires = if expires == ABSENT { None } else { Some(expires.parse().ok()?) };
        let (lot, key) = match length {
            ABSENT => (None, text),
            length => {
                let (end, _) = text.char_indices().nth(length.parse().ok()?)?;
                (Some(LotText::from_stored(text[..end].to_owned()).ok()?), text[end..].strip_prefix(' ')?)
            }
        };
        Some((MedicineKey::from_stored(key), LotId { lot, expires }))
    }
}

/// In the text the day comes first, then the currency, a hyphen where it is absent: the holder may contain any
/// character.
impl Identity for TakingsKey {
    fn text(&self) -> String {
        let currency = self.currency.as_ref().map_or(ABSENT, |currency| currency.as_str());
        format!("{} {currency} {}", self.day, self.holder)
    }

    fn parse(text: &str) -> Option<Self> {
        let (day, text) = text.split_once(' ')?;
        let (currency, holder) = text.split_once(' ')?;
        let currency = if currency == ABSENT { None } else { Some(Currency::from_stored(currency.to_owned()).ok()?) };
        Some(Self { day: day.parse().ok()?, holder: holder.into(), currency })
    }
}

/// The text in the place of an absent part of an identifier.
const ABSENT: &str = "-";

impl Identity for Series {
    fn text(&self) -> String {
        self.as_str().to_owned()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Identity for KeyId {
    fn text(&self) -> String {
        self.as_str().to_owned()
    }

    fn parse(text: &str) -> Option<Self> {
        Self::new(text).ok()
    }
}

impl Identity for ReplyId {
    fn text(&self) -> String {
        self.as_str().to_owned()
    }

    fn parse(text: &str) -> Option<Self> {
        Self::parse(text)
    }
}
