//! Checked requests, and the parts of their answers.

use http::{HeaderValue, StatusCode, header, request::Parts};
use serde::Serialize;

use super::shown::Shown;
use crate::{
    error::{Error, StoreError},
    keys::Principal,
    rest::{
        body::{encode, faults::Faults, form::Form, value::Members},
        contract::{
            Contract,
            answer::Answer,
            input::{self, Body, InPath},
            operation::{Input, Operation, Segment},
            problem::Problem,
        },
        http::{etag::Variant, media::Format, path},
    },
    service::CareService,
    store::Versioned,
};

/// A request that has passed every check that needs neither its body nor the records.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) operation: Operation,
    pub(crate) head: &'a Parts,
    /// The raw segment of the path's parameter; empty without one.
    pub(crate) parameter: &'a str,
    pub(crate) body: &'a [u8],
    /// The form of the body.
    pub(crate) body_format: Format,
    /// The form of the answer.
    pub(crate) format: Format,
    /// The holder of the key.
    pub(crate) principal: &'a Principal,
    /// The contract, with whose base path `Location` and `Link` begin.
    pub(crate) contract: &'a Contract,
    /// The service, which acts in the name of the key for a change.
    pub(crate) care: &'a CareService,
}

impl Request<'_> {
    /// Returns the parameter of the path.
    pub(crate) fn in_path<Id: InPath>(&self) -> Result<Id, Problem> {
        let mut faults = Faults::default();
        let id = Id::read(self.parameter, &mut faults);
        faults.into_result()?;
        id.ok_or(Problem::Internal)
    }

    /// Returns the parameter of the path and the record in the body, or the faults of both.
    pub(crate) fn path_and_body<Id: InPath, T: Body>(&self) -> Result<(Id, T), Problem> {
        let mut faults = Faults::default();
        let id = Id::read(self.parameter, &mut faults);
        let form = Form::new(self.members()?, &mut faults).beside(self.parameter);
        let mut form = form.with_extensions(self.contract.has_extensions());
        let body = T::read(&mut form);
        if let Some(body) = &body {
            body.judge(&mut form, self.care);
        }
        form.close();
        faults.into_result()?;
        // A request without faults yields both.
        id.zip(body).ok_or(Problem::Internal)
    }

    /// Returns the members of the body; none without a body.
    fn members(&self) -> Result<Members<'_>, Problem> {
        let roots = match self.operation.input() {
            Input::Record(roots) => roots,
            Input::Optional(roots) if !self.body.is_empty() => roots,
            Input::Nothing | Input::Query | Input::Optional(_) => {
                return Ok(Members { fields: Vec::new(), markup: false });
            }
        };
        Ok(input::members(self.body_format, self.body, roots)?)
    }

    /// Returns the path where a record is read.
    pub(super) fn place(&self, record: &impl Shown) -> HeaderValue {
        // The base path has only plain characters.
        HeaderValue::try_from(record.path(self.contract.base())).unwrap_or(HeaderValue::from_static(""))
    }

    /// Returns an answer with a body.
    pub(crate) fn answer(&self, status: StatusCode, root: &str, body: &impl Serialize) -> Answer {
        let document = encode::document(self.format, root, body);
        Answer::new(status).with_body(self.format.media_type(), document)
    }

    /// Returns an answer with a single record, as the contract has it.
    pub(super) fn shown<T: Shown>(&self, status: StatusCode, record: &T) -> Answer {
        match self.contract.has_extensions() {
            true => self.answer(status, T::ROOT, &record.single()),
            false => self.answer(status, T::ROOT, &record.documented().as_ref().unwrap_or(record).single()),
        }
    }

    /// Returns the form in which the answer shows a record.
    pub(super) fn variant(&self) -> Variant {
        Variant { format: self.format, is_documented: !self.contract.has_extensions() }
    }

    /// Returns the answer with a single record, or 304 when the client has it already.
    pub(super) fn found<T: Shown>(&self, found: &Versioned<T>) -> Answer {
        let (epoch, tag) = (self.care.epoch(), found.record.tag(found.version));
        let variant = self.variant();
        let answer = match tag.is_known(epoch, variant, &self.head.headers) {
            true => Answer::new(StatusCode::NOT_MODIFIED).with_header(header::VARY, HeaderValue::from_static("Accept")),
            false => self.shown(StatusCode::OK, &found.record),
        };
        answer.with_header(header::ETAG, tag.header(epoch, variant))
    }

    /// Returns the `Link` header to the next page.
    pub(crate) fn link(&self, query: &str) -> HeaderValue {
        let path = path_of(self.operation, self.parameter);
        let link = format!("<{}{path}?{query}>; rel=\"next\"", self.contract.base());
        HeaderValue::try_from(link).unwrap_or(HeaderValue::from_static(""))
    }
}

/// Returns the path of an operation, given the raw segment of its parameter.
fn path_of(operation: Operation, parameter: &str) -> String {
    let parameter = path::decode(parameter).unwrap_or_default();
    let segments = operation.segments().map(|segment| match segment {
        Segment::Literal(text) => text,
        Segment::Parameter(_) => &*parameter,
    });
    segments.flat_map(|segment| ["/".to_owned(), path::encode_segment(segment)]).collect()
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Self::Domain(Error::Store(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_keeps_its_parameter() {
        for (operation, parameter, path) in [
            (Operation::ListInvoices, "", "/invoice"),
            (Operation::GetPatient, "7", "/patient/7"),
            (Operation::MoveStock, "a%2Fb%20c%3e", "/inventory/a%2Fb%20c%3E/movements"),
            (Operation::GetOpenapi, "", "/openapi.json"),
        ] {
            assert_eq!(path_of(operation, parameter), path);
        }
    }
}
