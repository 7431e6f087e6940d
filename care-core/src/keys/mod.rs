//! The keys of clients and their scopes. This module contains no HTTP.
//!
//! An [`Authenticator`] finds the principal of a key: a fixed [`KeyRing`], the [`StoredKeys`] of a store, or a host's
//! own. The [`KeyManager`] issues and revokes stored keys.

mod auth;
mod issued_key;
mod key_manager;
mod stored_keys;

pub use auth::{Authenticator, KeyRing, Principal};
pub use issued_key::IssuedKey;
pub use key_manager::{KeyError, KeyManager, NewKey};
pub use stored_keys::StoredKeys;

pub use crate::model::{Scope, Scopes, UnknownScope};
