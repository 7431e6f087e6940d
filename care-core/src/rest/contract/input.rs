//! The content of requests: the parameter of the path, and the members of the body.

use crate::{
    model::{MedicineKey, MedicineName, PrescriptionId, Scalar, each_identifier},
    rest::{
        body::{
            faults::Faults,
            form::{Form, FromForm},
            json,
            value::{Members, Readable, Syntax},
            xml,
        },
        http::{media::Format, path},
    },
    service::CareService,
};

/// Returns the members of a body in this form.
pub(crate) fn members<'a>(format: Format, body: &'a [u8], roots: &[&str]) -> Result<Members<'a>, Syntax> {
    match format {
        Format::Json => json::read(body),
        Format::Xml => xml::read(body, roots),
    }
}

/// The parameter of a path.
pub(crate) trait InPath: Sized {
    /// Reads it from its raw segment.
    fn read(raw: &str, faults: &mut Faults) -> Option<Self>;
}

/// A path without a parameter.
impl InPath for () {
    fn read(_raw: &str, _faults: &mut Faults) -> Option<Self> {
        Some(())
    }
}

/// Reads identifiers, each under the name that the paths have for it. Any text but a plain number is a decoding fault.
macro_rules! identifiers {
    ($($id:ident $series:ident $name:literal $of:literal)*) => {
        $(impl InPath for crate::model::$id {
            fn read(raw: &str, faults: &mut Faults) -> Option<Self> {
                // Hardly any client escapes digits.
                let plain = path::identifier(raw);
                let number = plain.or_else(|| path::decode(raw).ok().and_then(|text| path::identifier(&text)));
                let id = number.and_then(|number| Self::try_from(number).ok());
                if id.is_none() {
                    faults.decode($name, "must be 1 to 9223372036854775807 in plain digits");
                }
                id
            }
        })*
    };
}

each_identifier!(identifiers);

/// A medicine's name in any spelling. Line ends are not normalised here, so CR is a forbidden control character.
impl InPath for MedicineName {
    fn read(raw: &str, faults: &mut Faults) -> Option<Self> {
        let Ok(text) = path::decode(raw) else {
            faults.decode("medicine", "must be percent-encoded UTF-8");
            return None;
        };
        if text.contains('\r') {
            faults.rule("medicine", "must not hold control characters other than tab and line feed");
            return None;
        }
        Self::new(text).map_err(|broken| faults.rule("medicine", broken.rule())).ok()
    }
}

impl InPath for MedicineKey {
    fn read(raw: &str, faults: &mut Faults) -> Option<Self> {
        MedicineName::read(raw, faults).map(|medicine| medicine.key().clone())
    }
}

/// A body of an operation.
pub(crate) trait Body: FromForm {
    /// Notes the fields that break a rule together with others.
    fn judge(&self, _form: &mut Form<'_, '_>, _care: &CareService) {}
}

/// No body.
impl Body for () {}

/// A parameter of the path that a body may repeat.
pub(crate) trait Named: InPath + Scalar<Raw: Readable> {
    /// The fault of a body that says something else.
    const RULE: &'static str;

    /// Returns whether both mean the same.
    fn is_meant(&self, other: &Self) -> bool;
}

impl Named for MedicineName {
    const RULE: &'static str = "must be the medicine that the path names";

    fn is_meant(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}

impl Named for PrescriptionId {
    const RULE: &'static str = "must be the prescription that the path names";

    fn is_meant(&self, other: &Self) -> bool {
        self == other
    }
}

/// Takes a field that may repeat what the path names.
pub(crate) fn named<T: Named>(form: &mut Form<'_, '_>, name: &'static str) -> Option<T> {
    let said = form.field::<T>(name).value();
    if let Some(said) = &said
        && T::read(form.parameter(), &mut Faults::default()).is_some_and(|named| !said.is_meant(&named))
    {
        form.refuse(name, T::RULE);
    }
    said
}
