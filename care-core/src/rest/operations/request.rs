//! Checked requests, and the parts of their answers.

use http::{HeaderValue, StatusCode, header, request::Parts};
use serde::Serialize;

use crate::{
    error::Error,
    keys::Principal,
    model::MedicineKey,
    rest::{
        body::{encode, faults::Faults, form::Form, value::Members},
        contract::{
            Contract,
            answer::Answer,
            input,
            operation::{Input, Operation, Segment},
            problem::Problem,
        },
        http::{
            etag::{self, Tag},
            media::Format,
            path,
        },
    },
    service::CareService,
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
    /// Returns the identifier in the path.
    pub(crate) fn identifier<T: TryFrom<i64>>(&self, name: &'static str) -> Result<T, Problem> {
        let mut faults = Faults::default();
        let id = input::identifier(name, self.parameter, &mut faults);
        faults.into_result()?;
        id.ok_or(Problem::Internal)
    }

    /// Returns the medicine in the path.
    pub(crate) fn medicine(&self) -> Result<MedicineKey, Problem> {
        let mut faults = Faults::default();
        let medicine = input::medicine("medicine", self.parameter, &mut faults);
        faults.into_result()?;
        Ok(medicine.ok_or(Problem::Internal)?.key().clone())
    }

    /// Returns the medicine in the path and the item in the body, or the faults of both.
    pub(crate) fn item(&self) -> Result<(crate::model::MedicineName, crate::model::ItemDetails), Problem> {
        let mut faults = Faults::default();
        let medicine = input::medicine("medicine", self.parameter, &mut faults);
        let details = self.read(&mut faults, |form| input::item(form, medicine.as_ref()))?;
        faults.into_result()?;
        Ok((medicine.ok_or(Problem::Internal)?, details))
    }

    /// Returns the identifier in the path and the record in the body, or the faults of both.
    pub(crate) fn of_the_path<Id: TryFrom<i64> + Copy, T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&mut Form<'_, '_>, Option<Id>) -> Option<T>,
    ) -> Result<(Id, T), Problem> {
        let mut faults = Faults::default();
        let id = input::identifier(name, self.parameter, &mut faults);
        let record = self.read(&mut faults, |form| read(form, id))?;
        faults.into_result()?;
        id.zip(record).ok_or(Problem::Internal)
    }

    /// Returns the record in the body.
    pub(crate) fn form<T>(&self, read: impl FnOnce(&mut Form<'_, '_>) -> Option<T>) -> Result<T, Problem> {
        let mut faults = Faults::default();
        let record = self.read(&mut faults, read)?;
        faults.into_result()?;
        // A body without faults yields a record.
        record.ok_or(Problem::Internal)
    }

    pub(crate) fn read<T>(&self, faults: &mut Faults, read: impl FnOnce(&mut Form<'_, '_>) -> T) -> Result<T, Problem> {
        let roots = match self.operation.input() {
            Input::Record(roots) => roots,
            Input::Optional(_) if self.body.is_empty() => {
                return Ok(read(&mut Form::new(Members { fields: Vec::new(), markup: false }, faults)));
            }
            Input::Optional(roots) => roots,
            Input::Nothing | Input::Query(_) => &[],
        };
        let members = input::members(self.body_format, self.body, roots)?;
        let mut form = Form::new(members, faults);
        let record = read(&mut form);
        form.close();
        Ok(record)
    }

    /// Returns the versions in `If-Match`.
    pub(crate) fn expected(&self) -> crate::service::ExpectedVersion {
        etag::expected(self.care.epoch(), &self.head.headers)
    }

    pub(crate) fn location(&self, of: &str, id: impl Into<i64>) -> HeaderValue {
        // Every answer to a change has a place, and the formatter takes several times the instructions.
        let path = [self.contract.base(), "/", of, "/", itoa::Buffer::new().format(id.into())].concat();
        // The base path has only plain characters.
        HeaderValue::try_from(path).unwrap_or(HeaderValue::from_static(""))
    }

    /// Returns an answer with a body.
    pub(crate) fn answer(&self, status: StatusCode, root: &str, body: &impl Serialize) -> Answer {
        let document = encode::document(self.format, root, body);
        Answer::new(status).with_body(self.format.media_type(), document)
    }

    /// Returns the answer with a single record, or 304 when the client has it already.
    pub(crate) fn found(&self, root: &str, body: &impl Serialize, tag: Tag) -> Answer {
        let epoch = self.care.epoch();
        let answer = match tag.is_known(epoch, self.format, &self.head.headers) {
            true => Answer::new(StatusCode::NOT_MODIFIED).with_header(header::VARY, HeaderValue::from_static("Accept")),
            false => self.answer(StatusCode::OK, root, body),
        };
        answer.with_header(header::ETAG, tag.header(epoch, self.format))
    }

    /// Returns the answer with a single record after a write, with the tag of its `GET`.
    pub(crate) fn changed(&self, root: &str, body: &impl Serialize, tag: Tag) -> Answer {
        self.answer(StatusCode::OK, root, body).with_header(header::ETAG, tag.header(self.care.epoch(), self.format))
    }

    /// Returns the answer with a new record at this path.
    pub(crate) fn created(&self, root: &str, body: &impl Serialize, tag: Tag, place: HeaderValue) -> Answer {
        self.answer(StatusCode::CREATED, root, body)
            .with_header(header::ETAG, tag.header(self.care.epoch(), self.format))
            .with_header(header::CONTENT_LOCATION, place.clone())
            .with_header(header::LOCATION, place)
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
    let segments = operation.path().iter().map(|segment| match segment {
        Segment::Literal(text) => text,
        Segment::Parameter(_) => &*parameter,
    });
    segments.flat_map(|segment| ["/".to_owned(), path::encode_segment(segment)]).collect()
}

impl From<crate::error::StoreError> for Problem {
    fn from(error: crate::error::StoreError) -> Self {
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
