//! Places in lists, as cursors hold them.

use std::fmt;

use care_core::model::MedicineKey;

use crate::outcome::Fault;

/// The place in a list behind one of its resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Behind the number of a record; or, where a record has several resources, behind some of those of this record.
    Number(i64, i64),
    /// Behind the name of a medicine.
    Name(MedicineKey),
}

impl Place {
    fn parse(text: &str) -> Option<Self> {
        match text.split_once('-') {
            Some((number, some)) => {
                let place = (number.parse().ok()?, some.parse().ok()?);
                Some(Self::Number(place.0, place.1))
            }
            None => {
                let byte = |place| u8::from_str_radix(text.get(place..place + 2)?, 16).ok();
                let bytes: Vec<_> = (0..text.len()).step_by(2).map(byte).collect::<Option<_>>()?;
                let name = String::from_utf8(bytes).ok().filter(|name| !name.is_empty())?;
                Some(Self::Name(MedicineKey::from_stored(name)))
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number, some) => write!(f, "{number}-{some}"),
            Self::Name(name) => name.as_str().bytes().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}

/// Returns the cursor of a place in one of some lists, which stand one behind the other.
pub(crate) fn cursor(at: usize, place: Option<&Place>) -> String {
    place.map_or_else(|| at.to_string(), |place| format!("{at}.{place}"))
}

/// Returns the place of a cursor.
pub(crate) fn parse(cursor: &str, lists: usize) -> Result<(usize, Option<Place>), Fault> {
    let (at, place) = cursor.split_once('.').map_or((cursor, None), |(at, place)| (at, Some(place)));
    let at = at.parse().ok().filter(|at| *at < lists);
    let place = place.map(|place| Place::parse(place).ok_or(())).transpose();
    at.zip(place.ok()).ok_or(Fault::Invalid("_cursor"))
}

/// Returns the record behind which a list goes on.
pub(crate) fn number<T: TryFrom<i64>>(after: Option<&Place>) -> Option<T> {
    let (number, _) = numbers(after);
    T::try_from(number).ok()
}

/// Returns the two numbers of a place; 0 at the beginning of a list.
pub(crate) const fn numbers(after: Option<&Place>) -> (i64, i64) {
    match after {
        Some(Place::Number(number, some)) => (*number, *some),
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use care_core::model::MedicineName;

    use super::*;

    #[test]
    fn a_cursor_reads_back() {
        let name = MedicineName::new("\u{c9}ther-1").unwrap().key().clone();
        for place in [None, Some(Place::Number(i64::MAX, 3)), Some(Place::Name(name))] {
            assert_eq!(parse(&cursor(2, place.as_ref()), 3), Ok((2, place)));
        }
        for other in ["", "3", "-1", "1.", "1.x", "1.1-", "1.abc", "1.ff", "1.1-2-3", "1.\u{e9}\u{e9}"] {
            assert_eq!(parse(other, 3), Err(Fault::Invalid("_cursor")), "{other}");
        }
    }
}
