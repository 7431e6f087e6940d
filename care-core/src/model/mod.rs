//! Records and the value types of their fields. A value of these types is valid by construction.
//!
//! The value types ([`Phone`], [`Weight`], [`MedicineName`], …) have private fields, and constructors that refuse
//! whatever the contract refuses, so that no later layer checks again. The records ([`Patient`], [`Invoice`], …) are
//! plain structs with public fields of these types.
//!
//! All types serialise with serde under the field names of the interface document. Deserialisation checks the values.

mod api_key;
mod medicines;
mod money;
mod records;
mod scope;
pub(crate) mod values;
mod visible;

pub use api_key::{ApiKey, KeyId, KeyName, KeyRecord, SecretDigest};
pub use medicines::*;
pub use money::*;
pub use records::*;
pub use scope::{Scope, Scopes, UnknownScope};
#[cfg(feature = "rest")]
pub(crate) use values::scalar::{new_value, plain_number};
pub use values::*;
pub(crate) use values::{ids::each_identifier, text::each_text, units::each_count};
pub use visible::{Visible, VisiblePath};
