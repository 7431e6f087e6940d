//! The service's answers.

use std::ops::Deref;

use care_core::model::{InvoiceId, PrescriptionId};
use http::{HeaderMap, HeaderValue, header};
use percent_encoding::percent_decode_str;

use crate::{ClientError, Invoice, Prescription};

/// A record, with the response headers that describe it. It can be read like the record itself: `patient.name` for
/// `patient.record.name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<T> {
    /// The record.
    pub record: T,
    /// Its entity tag, if the service sent one.
    pub tag: Option<Tag>,
    /// The path of the record that was created or changed, if the service sent one.
    pub location: Option<String>,
    /// The time of the service's clock, as the header `Date` has it.
    pub date: Option<String>,
}

/// An entity tag, which tells one version of an answer from another. It is opaque and reveals nothing about the record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tag(pub(crate) HeaderValue);

impl<T> Answer<T> {
    pub(crate) fn new(record: T, headers: &HeaderMap) -> Self {
        let location = headers.get(header::LOCATION).or_else(|| headers.get(header::CONTENT_LOCATION));
        Self {
            record,
            tag: headers.get(header::ETAG).cloned().map(Tag),
            location: location.and_then(|place| place.to_str().ok()).map(str::to_owned),
            date: headers.get(header::DATE).and_then(|date| date.to_str().ok()).map(str::to_owned),
        }
    }

    /// Returns the number in the last segment of the location: the number of the prescription, invoice, consultation or
    /// movement that the answer is about. Some of these records have no field for their number.
    pub fn number<N: TryFrom<i64>>(&self) -> Option<N> {
        let segment = self.location.as_deref()?.rsplit('/').next()?;
        let number: i64 = percent_decode_str(segment).decode_utf8().ok()?.parse().ok()?;
        N::try_from(number).ok()
    }
}

impl<T> Deref for Answer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.record
    }
}

/// Gives the number of a record that has no field for it.
macro_rules! numbered {
    ($($record:ty: $id:ty, $what:literal;)*) => {$(
        impl Answer<$record> {
            /// Returns the number of the record.
            ///
            /// # Errors
            /// [`ClientError::Unreadable`] when the answer does not say it.
            pub fn id(&self) -> Result<$id, ClientError> {
                self.number().ok_or_else(|| ClientError::Unreadable(concat!("it does not name the ", $what).into()))
            }
        }
    )*};
}

numbered! {
    Prescription: PrescriptionId, "prescription";
    Invoice: InvoiceId, "invoice";
}

impl Tag {
    /// Returns the tag in the form that headers use.
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }
}
