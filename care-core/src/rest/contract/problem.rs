//! The problems: why a request is refused, and the table of what a client is told (RFC 9457), in JSON and in XML.

use std::{borrow::Cow, sync::Arc};

use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

use super::{answer::Answer, facade::Refusal};
use crate::{
    error::{Conflict, Error, FieldError, StoreError, StoreErrorKind},
    rest::{
        body::{encode, faults::BodyRefusal, value::Syntax},
        http::media::Format,
    },
};

/// The reason why a request is refused.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The key is missing, unknown, or not the only one.
    Unauthorized,
    /// The host names no principal for the request.
    NoPrincipal {
        /// The HTTP authentication scheme of the host.
        scheme: Arc<str>,
    },
    /// The address has sent too many requests without a valid key.
    TooManyFailures {
        /// The seconds until the address may try again.
        seconds: u64,
    },
    /// A page of another site asks for a change, with a principal of the host.
    CrossSite,
    /// The key's scopes do not include the operation's.
    Forbidden,
    /// No operation has this path.
    NoSuchPath,
    /// The path is that of the document, which this build leaves out.
    NoDocument,
    /// The path cannot be decoded.
    UndecodablePath,
    /// The path is known, but the method is not allowed on it.
    MethodNotAllowed { allow: String },
    /// The body has a content coding.
    EncodedBody,
    /// The type of the body is not one of ours.
    UnsupportedType,
    /// The client accepts none of our types.
    NotAcceptable { in_xml: bool },
    /// Too many requests are under way.
    Overloaded,
    /// The path and query are over the limit.
    TargetTooLong,
    /// The headers are over the limit.
    HeadTooLarge,
    /// The request took too long. The outcome of a write is then unknown.
    Late { has_no_effect: bool },
    /// The body is over the limit.
    TooLarge,
    /// The body did not arrive in time.
    TimedOut,
    /// The body is incomplete.
    BrokenBody,
    /// The body is not a valid document of its type.
    Syntax(Syntax),
    /// Parameters or members cannot be decoded.
    Malformed(Vec<FieldError>),
    /// The domain refuses the request.
    Domain(Error),
    /// A part of the service is broken.
    Internal,
}

/// The problem document.
#[derive(Debug, Serialize)]
struct Details<'a> {
    #[serde(rename = "@xmlns", skip_serializing_if = "Option::is_none")]
    xmlns: Option<&'static str>,
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: Cow<'static, str>,
    instance: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Errors<'a>>,
}

/// A list, which the schema of the XML form writes as `<i>` elements.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Errors<'a> {
    Json(Vec<FieldProblem<'a>>),
    Xml { i: Vec<FieldProblem<'a>> },
}

#[derive(Debug, Serialize)]
struct FieldProblem<'a> {
    field: &'a str,
    detail: &'static str,
}

impl Problem {
    /// Returns the answer with the problem document.
    pub(crate) fn answer(&self, format: Format, request_id: &str) -> Answer {
        let (status, kind, title) = self.kind();
        let faults = self.faults();
        let details = Details {
            xmlns: (format == Format::Xml).then_some("urn:ietf:rfc:7807"),
            r#type: kind,
            title,
            status: status.as_u16(),
            detail: self.detail(),
            instance: format!("urn:care:request:{request_id}"),
            errors: (!faults.is_empty()).then_some(match format {
                Format::Json => Errors::Json(faults),
                Format::Xml => Errors::Xml { i: faults },
            }),
        };
        let body = encode::document(format, "problem", &details);
        let media_type = HeaderValue::from_static(Self::media_type(format));
        let mut answer = Answer::new(status).with_body(media_type, body);
        for (name, value) in self.headers() {
            answer = answer.with_header(name, value);
        }
        answer
    }

    /// Returns the refusal as facades are told it.
    pub(crate) fn refusal(&self) -> Refusal {
        let faults = match self {
            Self::Malformed(errors) | Self::Domain(Error::Invalid(errors)) => errors.clone(),
            _ => Vec::new(),
        };
        Refusal { status: self.kind().0, detail: self.detail(), faults }
    }

    /// Returns the media type of problem documents.
    pub(crate) const fn media_type(format: Format) -> &'static str {
        match format {
            Format::Json => "application/problem+json",
            Format::Xml => "application/problem+xml",
        }
    }

    fn faults(&self) -> Vec<FieldProblem<'_>> {
        let (Self::Malformed(errors) | Self::Domain(Error::Invalid(errors))) = self else {
            return Vec::new();
        };
        errors.iter().map(|error| FieldProblem { field: &error.field, detail: error.detail }).collect()
    }

    /// Returns the headers that belong to the problem, whatever words tell it.
    pub(crate) fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        match self {
            Self::NoPrincipal { scheme } => {
                let challenge = HeaderValue::try_from(&**scheme).ok();
                challenge.map(|challenge| (header::WWW_AUTHENTICATE, challenge)).into_iter().collect()
            }
            Self::Unauthorized => {
                vec![(header::WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey header=\"api_key\""))]
            }
            Self::TooManyFailures { seconds } => vec![(header::RETRY_AFTER, HeaderValue::from(*seconds))],
            Self::MethodNotAllowed { allow } => {
                HeaderValue::try_from(allow).map(|allow| (header::ALLOW, allow)).into_iter().collect()
            }
            Self::EncodedBody => vec![(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"))],
            _ if self.kind().0 == StatusCode::SERVICE_UNAVAILABLE => {
                vec![(header::RETRY_AFTER, HeaderValue::from_static("1"))]
            }
            _ => Vec::new(),
        }
    }
}

use Problem::{
    BrokenBody, CrossSite, Domain, EncodedBody, Forbidden, HeadTooLarge, Internal, Late, Malformed, MethodNotAllowed,
    NoDocument, NoPrincipal, NoSuchPath, NotAcceptable, Overloaded, TargetTooLong, TimedOut, TooLarge, TooManyFailures,
    Unauthorized, UndecodablePath, UnsupportedType,
};
use StoreErrorKind::{Broken, Busy, Excessive, Full, Stopped, Unknown, Unsupported};

/// Defines the table of problems. Each row is the pattern of a problem, the last part of its type, its title and its
/// detail, and the example of it in the OpenAPI document, if it has one there. A row of conflicts is its own example.
macro_rules! problems {
    ($(
        $status:ident $meaning:literal {
            $($pattern:pat => $kind:literal, $title:literal, $detail:expr $(, as $example:expr)?;)*
            $(@conflicts { $($conflict:ident => $conflict_kind:literal, $conflict_title:literal;)* })?
        }
    )*) => {
        impl Problem {
            /// Returns the status, the stable identifier and the title of the problem.
            #[allow(unused_variables, reason = "only the details need what the patterns bind")]
            pub(crate) const fn kind(&self) -> (StatusCode, &'static str, &'static str) {
                match self {
                    $(
                        $($pattern => (StatusCode::$status, concat!("urn:care:problem:", $kind), $title),)*
                        $($(Domain(Error::Conflict(Conflict::$conflict)) => {
                            (StatusCode::$status, concat!("urn:care:problem:", $conflict_kind), $conflict_title)
                        })*)?
                    )*
                }
            }

            /// Returns the detail of the problem. It never contains a submitted value or a library's own text.
            fn detail(&self) -> Cow<'static, str> {
                match self {
                    $(
                        $($pattern => $detail.into(),)*
                        $($(Domain(Error::Conflict(conflict @ Conflict::$conflict)) => {
                            format!("Refused: {conflict}.").into()
                        })*)?
                    )*
                }
            }

            /// Returns an example of each problem in the OpenAPI document, by what their status means.
            #[cfg(feature = "openapi")]
            pub(crate) fn examples() -> Vec<(&'static str, Vec<Self>)> {
                vec![$((
                    $meaning,
                    vec![
                        $($($example,)?)*
                        $($(Domain(Error::Conflict(Conflict::$conflict)),)*)?
                    ],
                ),)*]
            }
        }
    };
}

problems! {
    BAD_REQUEST "The path, the query, a header or the body cannot be decoded." {
        UndecodablePath => "undecodable-path", "The path cannot be decoded",
            "The path contains a bad percent-escape or is not UTF-8.";
        Malformed(_) => "malformed", "The request cannot be understood", "The fields at fault are listed.",
            as Malformed(vec![FieldError::new("limit", "must be 1 to 500")]);
        Problem::Syntax(Syntax(detail)) => "syntax", "The body is not a document of its type", *detail,
            as Problem::Syntax(Syntax("The body is not JSON."));
        BrokenBody => "broken-body", "The body did not arrive whole",
            "The body is incomplete, or its framing is wrong.", as BrokenBody;
    }
    UNAUTHORIZED "The key is missing, repeated or invalid." {
        Unauthorized => "unauthorized", "A valid key is needed", "Send one api_key header with a valid key.",
            as Unauthorized;
        NoPrincipal { .. } => "unauthorized", "Authentication is needed",
            "Authenticate as the WWW-Authenticate header says.";
    }
    FORBIDDEN "The key lacks the scope of the operation, or a page of another site asks for a change." {
        CrossSite => "cross-site", "A page of another site asks for this",
            "Nothing was changed. A page of another site may read here and change nothing.", as CrossSite;
        Forbidden => "forbidden", "The key does not allow this", "The key lacks the scope that this operation needs.",
            as Forbidden;
    }
    NOT_FOUND "The record does not exist." {
        NoSuchPath => "no-such-path", "There is no such path", "No operation has this path.";
        NoDocument => "no-such-path", "There is no such path",
            "This program was built without the feature openapi, so it has no OpenAPI document.";
        Domain(Error::NotFound(kind)) => "not-found", "There is no such record", format!("There is no such {kind}."),
            as Domain(Error::NotFound(crate::kinds::RecordKind::Patient));
    }
    METHOD_NOT_ALLOWED "The path has no operation with this method." {
        MethodNotAllowed { .. } => "method-not-allowed", "The method is not allowed",
            "The Allow header lists the methods of this path.";
    }
    NOT_ACCEPTABLE "`Accept` allows no form that can be answered. Nothing was done." {
        NotAcceptable { in_xml: true } => "not-acceptable", "No acceptable form can be answered",
            "Accept application/json or application/xml.", as NotAcceptable { in_xml: true };
        NotAcceptable { in_xml: false } => "not-acceptable", "No acceptable form can be answered",
            "Accept application/json.";
    }
    REQUEST_TIMEOUT "The body did not arrive in time." {
        TimedOut => "timed-out", "The body did not arrive in time", "Send the whole body faster.", as TimedOut;
    }
    CONFLICT "The state of the records forbids the operation." {
        @conflicts {
            PatientExists => "patient-exists", "The patient number is already used";
            NoNumberLeft => "no-number-left", "No number is left";
            ItemExists => "medicine-exists", "The inventory already has this medicine";
            AlreadyPrescribed => "already-prescribed", "The medicine is already prescribed";
            HistoryFull => "history-full", "No more diseases can be recorded";
            TooManyPrescriptions => "too-many-prescriptions", "The patient has too many active prescriptions";
            UnpaidInvoice => "unpaid-invoice", "An invoice is unpaid";
            InvoicePaid => "invoice-paid", "The invoice is already paid";
            InvoiceUnpaid => "invoice-unpaid", "The invoice is not paid";
            InvoiceRefunded => "invoice-refunded", "The invoice was refunded";
            AlreadyRefunded => "already-refunded", "The invoice is already refunded";
            NotReopenable => "not-reopenable", "The prescription cannot be invoiced again";
            NotCorrectable => "not-correctable", "A correction cannot be corrected";
            TakingsFull => "takings-full", "A sum of the takings would be too large";
            PrescriptionCompleted => "prescription-completed", "The prescription is completed";
            AlreadyTracked => "already-tracked", "The stock is already tracked";
            StockLeft => "stock-left", "Units are left";
            InsufficientStock => "insufficient-stock", "There is not enough stock";
            TooManyLots => "too-many-lots", "There are too many open lots";
            TooMuchStock => "too-much-stock", "There is too much stock";
            AlreadyReversed => "already-reversed", "The movement is already reversed";
            NotReversible => "not-reversible", "The movement cannot be reversed";
            NotDispensed => "not-dispensed", "The invoice took fewer units";
            TooLongAgo => "too-long-ago", "The version is too long ago";
        }
    }
    PRECONDITION_FAILED "The record has changed since the version in `If-Match`." {
        Domain(Error::Stale(kind)) => "stale", "The record has changed",
            format!("The {kind} has changed since the version in If-Match."),
            as Domain(Error::Stale(crate::kinds::RecordKind::Patient));
    }
    PAYLOAD_TOO_LARGE "The body is over the limit." {
        TooLarge => "too-large", "The body is too large", "The body is over the limit.", as TooLarge;
    }
    URI_TOO_LONG "The path and query are over the limit." {
        TargetTooLong => "target-too-long", "The path and query are too long", "The path and query are over the limit.",
            as TargetTooLong;
    }
    REQUEST_HEADER_FIELDS_TOO_LARGE "The headers are over the limit." {
        HeadTooLarge => "headers-too-large", "The headers are too large", "The headers are over the limit.",
            as HeadTooLarge;
    }
    UNSUPPORTED_MEDIA_TYPE "The body is encoded, or is not `application/json` or `application/xml` in UTF-8." {
        UnsupportedType => "unsupported-type", "The type of the body is not supported",
            "Send the body with one Content-Type, application/json or application/xml, in UTF-8.", as UnsupportedType;
        EncodedBody => "encoded-body", "The body must not be encoded", "Send the body without a Content-Encoding.",
            as EncodedBody;
    }
    UNPROCESSABLE_ENTITY "Values break the rules." {
        Domain(Error::Invalid(_)) => "invalid", "Some values are not allowed", "The fields at fault are listed.",
            as Domain(Error::field("age", "must be 0 to 150"));
    }
    TOO_MANY_REQUESTS "Too many requests from this address had no valid key. The server limits them." {
        TooManyFailures { .. } => "too-many-failures", "Too many keys were wrong",
            "Nothing was done. Try again after the time in Retry-After, with a valid key.",
            as TooManyFailures { seconds: 6 };
    }
    INTERNAL_SERVER_ERROR "The server failed. The outcome of a change is unknown." {
        Internal => "internal", "The server failed", "The cause is in the log of the server, under the request id.",
            as Internal;
        Domain(Error::Store(StoreError { kind: Unknown | Unsupported | Broken, .. })) => "internal",
            "The server failed", "The cause is in the log of the server, under the request id.";
        Late { has_no_effect: false } => "late", "The answer took too long",
            "The outcome of the change is not known. Read the record before you try again.",
            as Late { has_no_effect: false };
    }
    SERVICE_UNAVAILABLE "The server is busy. Nothing was changed." {
        Domain(Error::Store(StoreError { kind: Busy | Stopped, .. })) => "busy", "The server is busy",
            "Nothing was written. Try again later.", as Domain(Error::Store(Busy.into()));
        Domain(Error::Store(StoreError { kind: Excessive, .. })) => "excessive",
            "The request touches too many records",
            "Nothing was written. One request may touch at most about 10,000 records.",
            as Domain(Error::Store(Excessive.into()));
        Overloaded => "overloaded", "The server has too much to do", "Nothing was done. Try again later.",
            as Overloaded;
        Late { has_no_effect: true } => "late", "The answer took too long", "Try again later.",
            as Late { has_no_effect: true };
    }
    INSUFFICIENT_STORAGE "The disk of the server is full. Nothing was changed." {
        Domain(Error::Store(StoreError { kind: Full, .. })) => "full", "The disk of the server is full",
            "Nothing was written. Try again when the server has room.", as Domain(Error::Store(Full.into()));
    }
}

impl Error {
    /// Returns the status of the answer that tells a client this, which [`Api::problem`](crate::rest::Api::problem)
    /// writes.
    ///
    /// ```
    /// use care_core::{Error, http::StatusCode, store::RecordKind};
    ///
    /// assert_eq!(Error::NotFound(RecordKind::Patient).status(), StatusCode::NOT_FOUND);
    /// ```
    pub fn status(&self) -> StatusCode {
        Problem::Domain(self.clone()).kind().0
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::Domain(error)
    }
}

impl From<Syntax> for Problem {
    fn from(syntax: Syntax) -> Self {
        Self::Syntax(syntax)
    }
}

impl From<BodyRefusal> for Problem {
    fn from(refused: BodyRefusal) -> Self {
        match refused {
            BodyRefusal::Decode(errors) => Self::Malformed(errors),
            BodyRefusal::Rules(errors) => Self::Domain(Error::Invalid(errors)),
        }
    }
}
