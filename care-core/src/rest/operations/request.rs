//! A request that has passed every check of its head, and the pieces that its answer is made of.

use http::{HeaderValue, StatusCode, header, request::Parts};
use serde::Serialize;

use crate::{
    error::Error,
    model::{MedicineKey, Scopes},
    rest::{
        body::{encode, faults::Faults, form::Form},
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
    /// The raw segment that the path's parameter stands in; empty when it has none.
    pub(crate) parameter: &'a str,
    pub(crate) body: &'a [u8],
    /// The form of the body.
    pub(crate) body_format: Format,
    /// The form of the answer.
    pub(crate) format: Format,
    /// How many headers the answer usually has.
    pub(crate) room: usize,
    /// What the key may.
    pub(crate) scopes: Scopes,
    /// Whose base path `Location` and `Link` begin with.
    pub(crate) contract: &'a Contract,
    /// The service; for a change acting in the name of the key.
    pub(crate) care: &'a CareService,
}

impl Request<'_> {
    /// The identifier in the path.
    pub(crate) fn identifier<T: TryFrom<i64>>(&self, name: &'static str) -> Result<T, Problem> {
        let mut faults = Faults::default();
        let id = input::identifier(name, self.parameter, &mut faults);
        faults.into_result()?;
        id.ok_or(Problem::Internal)
    }

    /// The medicine in the path.
    pub(crate) fn medicine(&self) -> Result<MedicineKey, Problem> {
        let mut faults = Faults::default();
        let medicine = input::medicine("medicine", self.parameter, &mut faults);
        faults.into_result()?;
        Ok(medicine.ok_or(Problem::Internal)?.key().clone())
    }

    /// The medicine in the path and the item in the body, with the faults of both.
    pub(crate) fn item(&self) -> Result<(crate::model::MedicineName, crate::model::ItemDetails), Problem> {
        let mut faults = Faults::default();
        let medicine = input::medicine("medicine", self.parameter, &mut faults);
        let details = self.read(&mut faults, |form| input::item(form, medicine.as_ref()))?;
        faults.into_result()?;
        Ok((medicine.ok_or(Problem::Internal)?, details))
    }

    /// The record in the body.
    pub(crate) fn form<T>(&self, read: impl FnOnce(&mut Form<'_, '_>) -> Option<T>) -> Result<T, Problem> {
        let mut faults = Faults::default();
        let record = self.read(&mut faults, read)?;
        faults.into_result()?;
        // Without faults there is a record.
        record.ok_or(Problem::Internal)
    }

    pub(crate) fn read<T>(&self, faults: &mut Faults, read: impl FnOnce(&mut Form<'_, '_>) -> T) -> Result<T, Problem> {
        let roots = match self.operation.input() {
            Input::Record(roots) => roots,
            Input::Nothing | Input::Query(_) => &[],
        };
        let members = input::members(self.body_format, self.body, roots)?;
        let mut form = Form::new(members, faults);
        let record = read(&mut form);
        form.close();
        Ok(record)
    }

    /// The versions that the client expects to change.
    pub(crate) fn expected(&self) -> crate::service::ExpectedVersion {
        etag::expected(self.care.epoch(), &self.head.headers)
    }

    pub(crate) fn location(&self, of: &str, id: impl Into<i64>) -> HeaderValue {
        let path = format!("{}/{of}/{}", self.contract.base(), id.into());
        // The base path was checked to be plain.
        HeaderValue::try_from(path).unwrap_or(HeaderValue::from_static(""))
    }

    /// An answer with a body.
    pub(crate) fn answer(&self, status: StatusCode, root: &str, body: &impl Serialize) -> Answer {
        let document = encode::document(self.format, root, body);
        Answer::with_room(status, self.room).with_body(self.format.media_type(), document)
    }

    /// A single record, unless the client has this very answer.
    pub(crate) fn found(&self, root: &str, body: &impl Serialize, tag: Tag) -> Answer {
        let epoch = self.care.epoch();
        let answer = match tag.is_known(epoch, self.format, &self.head.headers) {
            true => Answer::new(StatusCode::NOT_MODIFIED).with_header(header::VARY, HeaderValue::from_static("Accept")),
            false => self.answer(StatusCode::OK, root, body),
        };
        answer.with_header(header::ETAG, tag.header(epoch, self.format))
    }

    /// A single record as a write has left it, with the tag that a `GET` of it would have.
    pub(crate) fn changed(&self, root: &str, body: &impl Serialize, tag: Tag) -> Answer {
        self.answer(StatusCode::OK, root, body).with_header(header::ETAG, tag.header(self.care.epoch(), self.format))
    }

    /// A new record, which is at this place.
    pub(crate) fn created(&self, root: &str, body: &impl Serialize, tag: Tag, place: HeaderValue) -> Answer {
        self.answer(StatusCode::CREATED, root, body)
            .with_header(header::ETAG, tag.header(self.care.epoch(), self.format))
            .with_header(header::CONTENT_LOCATION, place.clone())
            .with_header(header::LOCATION, place)
    }

    /// An error about a query or a list, as a problem.
    pub(crate) fn link(&self, query: &str) -> HeaderValue {
        let segments = self.operation.path().iter().filter_map(|segment| match segment {
            Segment::Literal(text) => Some(format!("/{}", path::encode_segment(text))),
            Segment::Parameter(_) => None,
        });
        let link = format!("<{}{}?{query}>; rel=\"next\"", self.contract.base(), segments.collect::<String>());
        HeaderValue::try_from(link).unwrap_or(HeaderValue::from_static(""))
    }
}

impl From<crate::error::StoreError> for Problem {
    fn from(error: crate::error::StoreError) -> Self {
        Self::Domain(Error::Store(error))
    }
}
