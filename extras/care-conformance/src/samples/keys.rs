//! Stored keys of clients.

use care_core::model::{ApiKey, KeyId, KeyName, Scope, Scopes, SecretDigest};

use super::{every_plane, instant};

/// Returns keys from the smallest to the most extreme, in the order of their ids.
pub fn api_key_forms() -> Vec<ApiKey> {
    let id = |id| KeyId::new(id).expect("an id");
    let name = |name: &str| KeyName::new(name).expect("a name");
    let bare = ApiKey {
        id: id("000000000000"),
        name: name("a"),
        scopes: Scopes::NONE,
        digest: SecretDigest::new([0; 32]),
        created: instant(1_773_576_000_000),
        expires: None,
        revoked: None,
        replaces: None,
    };
    let ended = ApiKey {
        id: id("0123456789ab"),
        name: name("Front desk"),
        scopes: [Scope::PatientRead, Scope::Admin].into_iter().collect(),
        digest: SecretDigest::new([7; 32]),
        expires: Some(instant(1_773_576_000_001)),
        revoked: Some(instant(1_773_576_000_002)),
        replaces: Some(id("000000000000")),
        ..bare.clone()
    };
    let extreme = ApiKey {
        id: id("zzzzzzzzzzzz"),
        name: name(&every_plane(64)),
        scopes: Scopes::ALL,
        digest: SecretDigest::new([0xff; 32]),
        created: instant(-2_208_988_800_000),
        expires: Some(instant(253_402_300_799_999)),
        revoked: None,
        replaces: Some(id("0123456789ab")),
    };
    vec![bare, ended, extreme]
}
