//! Signatures as Standard Webhooks 1.0 demands them.

use std::fmt;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

/// The secret that a relay and a receiver share. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// The beginning of a secret's text.
    const PREFIX: &str = "whsec_";
    /// The number of its bytes.
    pub(crate) const LENGTH: usize = 32;

    /// Generates a secret of 32 random bytes.
    ///
    /// # Errors
    /// The system provides no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = Zeroizing::new(vec![0; Self::LENGTH]);
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Returns the secret with these bytes, if there are as many as [`random`](Self::random) makes.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        let bytes = Zeroizing::new(bytes);
        (bytes.len() == Self::LENGTH).then_some(Self(bytes))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the text that the receiver is given: `whsec_` and the bytes in base64.
    pub fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("{}{}", Self::PREFIX, *Zeroizing::new(BASE64_STANDARD.encode(&*self.0))))
    }

    /// Returns the signature of a message: `v1,` and the code of its id, its instant in seconds and its body.
    pub(crate) fn sign(&self, id: &str, seconds: i64, body: &[u8]) -> String {
        // HMAC takes a key of any length.
        let Ok(mut code) = Hmac::<Sha256>::new_from_slice(&self.0) else { return String::new() };
        code.update(format!("{id}.{seconds}.").as_bytes());
        code.update(body);
        format!("v1,{}", BASE64_STANDARD.encode(code.finalize().into_bytes()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret(Zeroizing::new(BASE64_STANDARD.decode(text).unwrap()))
    }

    #[test]
    fn a_known_message_has_its_known_signature() {
        // The example that the libraries of Standard Webhooks share.
        let secret = secret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let signed = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_is_written_as_receivers_expect_it() {
        let written = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        assert_eq!(*secret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").to_text(), written);
        let random = Secret::random().unwrap();
        assert_eq!((random.as_bytes().len(), random.to_text().len()), (32, 50));
        assert_ne!(random, Secret::random().unwrap());
        assert_eq!(format!("{random:?}"), "Secret(..)");
    }
}
