//! The form of issued keys: `care_<id>_<secret>_<check>`.

use zeroize::Zeroizing;

use super::auth::digest;
use crate::model::{KeyId, SecretDigest};

/// A key as its holder presents it. [`KeyManager`](super::KeyManager) makes it, and it is shown once.
///
/// It is wiped from memory when it is dropped, and has no `Debug`.
#[must_use = "the key cannot be shown again"]
#[expect(missing_debug_implementations, reason = "it is a secret")]
pub struct IssuedKey {
    pub(crate) id: KeyId,
    text: Zeroizing<String>,
}

/// The number of hexadecimal digits of a secret, which has 256 bits.
pub(crate) const SECRET: usize = 64;
const CHECK: usize = 8;

/// A presented key of the right form.
pub(crate) struct PresentedKey<'a> {
    pub(crate) id: &'a str,
    /// The bits of its secret. Their hash costs half of that of their digits.
    pub(crate) secret: Zeroizing<[u8; SECRET / 2]>,
}

impl IssuedKey {
    /// Returns the text that the holder sends as `api_key`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the id, the public part of the key.
    pub const fn id(&self) -> &KeyId {
        &self.id
    }

    /// Returns a new key from the system's random numbers, and the digest to store.
    pub(crate) fn random() -> Result<(Self, SecretDigest), getrandom::Error> {
        let mut bits = Zeroizing::new([0_u8; SECRET / 2]);
        getrandom::fill(&mut *bits)?;
        let secret = Zeroizing::new(const_hex::encode(bits.as_slice()));
        let id = random_id()?;
        // The text gets its whole capacity at once, so that it never moves and leaves a copy behind.
        let mut text = Zeroizing::new(String::with_capacity(5 + KeyId::LENGTH + 1 + SECRET + 1 + CHECK));
        for part in ["care_", id.as_str(), "_", secret.as_str()] {
            text.push_str(part);
        }
        // The CRC-32 of ISO 3309 detects typing errors. It does not have to keep secrets.
        let check = format!("_{:08x}", crc32fast::hash(text.as_bytes()));
        text.push_str(&check);
        let kept = SecretDigest::new(digest(&*bits));
        Ok((Self { id, text }, kept))
    }
}

impl<'a> PresentedKey<'a> {
    /// Takes a presented key apart. Returns `None` when it has another form, or a wrong check because of a typing
    /// error.
    pub(crate) fn parse(key: &'a [u8]) -> Option<Self> {
        let text = str::from_utf8(key).ok()?;
        let (body, check) = text.rsplit_once('_')?;
        let (id, secret) = body.strip_prefix("care_")?.split_once('_')?;
        let is_hex = |text: &str| text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let is_checked = check.len() == CHECK
            && is_hex(check)
            && u32::from_str_radix(check, 16).is_ok_and(|check| check == crc32fast::hash(body.as_bytes()));
        // A key has one form: its digits are lower case.
        let has_upper = secret.bytes().fold(false, |has, byte| has | byte.is_ascii_uppercase());
        if !is_checked || has_upper {
            return None;
        }
        Some(Self { id, secret: const_hex::decode_to_array(secret).ok().map(Zeroizing::new)? })
    }
}

/// Returns 60 random bits as twelve characters that are hard to confuse.
fn random_id() -> Result<KeyId, getrandom::Error> {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let bits = getrandom::u64()?;
    let digits = (0..KeyId::LENGTH).map(|place| char::from(DIGITS[(bits >> (5 * place)) as usize % 32]));
    KeyId::new(&digits.collect::<String>()).map_err(|_| getrandom::Error::UNEXPECTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_is_the_known_one() {
        assert_eq!(crc32fast::hash(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn a_new_key_has_the_documented_form_and_is_taken_apart_again() {
        let (one, kept) = IssuedKey::random().unwrap();
        let (other, _) = IssuedKey::random().unwrap();
        assert_ne!(one.as_str(), other.as_str());
        let parts: Vec<_> = one.as_str().split('_').collect();
        assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [4, 12, 64, 8]);
        let presented = PresentedKey::parse(one.as_str().as_bytes()).unwrap();
        assert_eq!(presented.id, one.id().as_str());
        assert_eq!(&digest(&*presented.secret), kept.as_bytes());
    }

    #[test]
    fn a_slip_is_seen_without_a_look_at_any_key() {
        let (key, _) = IssuedKey::random().unwrap();
        let key = key.as_str();
        for place in 0..key.len() {
            let mut wrong = key.as_bytes().to_vec();
            wrong[place] = if wrong[place] == b'0' { b'1' } else { b'0' };
            assert!(PresentedKey::parse(&wrong).is_none(), "at {place}");
            wrong.remove(place);
            assert!(PresentedKey::parse(&wrong).is_none(), "without {place}");
        }
        for wrong in [String::new(), key.to_uppercase(), format!("{key}0"), format!(" {key}"), format!("{key}\u{e4}")] {
            assert!(PresentedKey::parse(wrong.as_bytes()).is_none(), "{wrong}");
        }
        assert!(PresentedKey::parse(b"care_a_b_\xff").is_none());
    }
}
