//! Reading and writing documents: strict readers of JSON and XML, which yield the same [`Members`](value::Members), the
//! [`form`] that reads a record from these and collects its [`faults`], and the writers of both forms.

pub(crate) mod encode;
pub(crate) mod faults;
pub(crate) mod form;
pub(crate) mod json;
pub(crate) mod value;
pub(crate) mod xml;
