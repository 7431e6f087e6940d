//! Identifiers of medicines: R4's have at most 64 characters out of few, and a folded name may have any.

use std::collections::HashMap;

use care_core::{
    CareService,
    error::{Error, StoreErrorKind},
    model::{Item, MedicineKey},
    store::List,
};
use sha2::{Digest, Sha256};

/// The bytes of a name that 64 characters of base32 hold.
const LONGEST: usize = 40;
/// The digits of a digest that stand for a longer name. With the mark before them they are 59, which no base32 has.
const DIGITS: usize = 58;
/// The most names that are walked for the digests of one request, and those of one piece.
const MOST: usize = 10_000;
const PIECE: usize = 100;

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Returns the identifier of a medicine.
pub(crate) fn of(medicine: &MedicineKey) -> String {
    match medicine.as_str() {
        name if name.len() <= LONGEST => base32(name.as_bytes()),
        name => digest(name),
    }
}

/// Returns the medicine of each of these identifiers; `None` where there is none. The names are walked once for all
/// digests, in pieces between which others go first.
///
/// # Errors
/// [`StoreErrorKind::Excessive`] for a digest that is not among the first 10,000 names where there are more, and the
/// store's failures.
pub(crate) async fn find(care: &CareService, ids: &[String]) -> Result<Vec<Option<MedicineKey>>, Error> {
    let mut found: Vec<_> = ids.iter().map(|id| named(id)).collect();
    let mut wanted: HashMap<&str, usize> =
        ids.iter().map(String::as_str).zip(0..).filter(|(id, _)| is_digest(id)).collect();
    let (mut after, mut walked) = (None, 0);
    while !wanted.is_empty() {
        if walked >= MOST {
            return Err(Error::Store(StoreErrorKind::Excessive.into()));
        }
        let piece = care.page(List::<Item>::all(after), PIECE).await?;
        walked += piece.items.len();
        after = piece.cursor();
        for item in piece.items {
            let key = item.medicine.key();
            if key.as_str().len() > LONGEST
                && let Some(place) = wanted.remove(digest(key.as_str()).as_str())
            {
                found[place] = Some(key.clone());
            }
        }
        if after.is_none() {
            break;
        }
    }
    Ok(found)
}

/// Returns the medicine whose name is in an identifier.
fn named(id: &str) -> Option<MedicineKey> {
    let name = unbase32(id).filter(|name| (1..=LONGEST).contains(&name.len()))?;
    String::from_utf8(name).ok().map(MedicineKey::from_stored)
}

/// Returns whether only a walk finds the medicine of an identifier.
fn is_digest(id: &str) -> bool {
    let digits = id.strip_prefix('x').filter(|digits| digits.len() == DIGITS);
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)))
}

fn digest(name: &str) -> String {
    let digits: String = Sha256::digest(name).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("x{}", &digits[..DIGITS])
}

fn base32(bytes: &[u8]) -> String {
    let (mut out, mut held, mut bits) = (String::new(), 0_u32, 0);
    for byte in bytes {
        (held, bits) = (held << 8 | u32::from(*byte), bits + 8);
        while bits >= 5 {
            bits -= 5;
            out.push(char::from(ALPHABET[(held >> bits & 31) as usize]));
        }
    }
    if bits > 0 {
        out.push(char::from(ALPHABET[(held << (5 - bits) & 31) as usize]));
    }
    out
}

/// Returns the bytes of a text that [`base32`] has returned.
fn unbase32(text: &str) -> Option<Vec<u8>> {
    let (mut out, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for byte in text.bytes() {
        let value = ALPHABET.iter().position(|letter| *letter == byte)?;
        (held, bits) = (held << 5 | u32::try_from(value).ok()?, bits + 5);
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from(held >> bits & 255).ok()?);
        }
    }
    // Only one spelling is an identifier.
    (base32(&out) == text).then_some(out)
}

#[cfg(test)]
mod tests {
    use care_core::{
        MemoryStore,
        model::{ItemDetails, MedicineName},
        operation::Operation,
        store::{Act, Change, Journal as _},
    };
    use futures_executor::block_on;

    use super::*;

    #[test]
    fn a_short_name_is_its_base32() {
        for (name, id) in [("f", "my"), ("fo", "mzxq"), ("foobar", "mzxw6ytboi"), ("é", "youq")] {
            assert_eq!((base32(name.as_bytes()).as_str(), unbase32(id).as_deref()), (id, Some(name.as_bytes())));
        }
        for other in ["mz", "m", "MY", "my=", "m1", "mzxr"] {
            assert_eq!(unbase32(other).filter(|bytes| bytes == b"fo" || bytes == b"f"), None, "{other}");
        }
    }

    #[test]
    fn a_long_name_is_found_by_its_digest() {
        let care = CareService::new(MemoryStore::new());
        let names = ["Ibuprofen".to_owned(), "A".repeat(41), "b".repeat(128), "\u{1f48a}".repeat(10)];
        for name in &names {
            let name = MedicineName::new(name.as_str()).unwrap();
            block_on(care.add_item(name.clone(), ItemDetails::default())).unwrap();
            let id = of(name.key());
            assert!(id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
            assert_eq!(block_on(find(&care, &[id])).unwrap(), [Some(name.key().clone())]);
        }
        let names = names.map(|name| MedicineName::new(name).unwrap().key().clone());
        let unknown = [digest("nothing of this name"), String::new()];
        let ids: Vec<_> = names.iter().map(of).chain(unknown).collect();
        let expected: Vec<_> = names.into_iter().map(Some).chain([None, None]).collect();
        assert_eq!(block_on(find(&care, &ids)).unwrap(), expected);
    }

    #[test]
    fn a_digest_is_not_looked_for_among_all_names_without_end() {
        let store = MemoryStore::new();
        let items = |numbers: std::ops::Range<usize>| -> Vec<Change> {
            let item = |number| Item::new(MedicineName::new(format!("{number:05}")).unwrap());
            numbers.map(|number| Change::put(item(number))).collect()
        };
        let put = |changes: Vec<Change>| {
            let act = Act::new("tests", Operation::AddMedicine, "2026-03-15T12:00:00Z".parse().unwrap());
            block_on(store.transact(act, Box::new(move |_| Ok(changes.clone().into())))).unwrap();
        };
        put(items(0..MOST));
        let ids = [digest("nothing of this name")];
        let find = || block_on(find(&CareService::new(store.clone()), &ids));
        assert_eq!(find(), Ok(vec![None]), "all were looked at");
        put(items(MOST..MOST + 1));
        assert_eq!(find(), Err(Error::Store(StoreErrorKind::Excessive.into())), "it is never said that there is none");
    }
}
