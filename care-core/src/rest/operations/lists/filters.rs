//! The filters of lists, read from the query.

use crate::{
    model::{Date, Email, Invalid, KeyName, LotText, MedicineKey, MedicineName, Name, NamePrefix},
    rest::operations::query::Parameters,
    store::{
        ConsultationFilter, InvoiceFilter, MovementFilter, PatientFilter, PrescriptionFilter, ReceiptFilter,
        StockFilter,
    },
};

pub(in crate::rest::operations) fn patients(query: &mut Parameters) -> PatientFilter {
    PatientFilter {
        name_prefix: query.parse("name", name_prefix),
        phone: query.integer("phone"),
        email: query.parse("email", Email::new),
    }
}

pub(in crate::rest::operations) fn prescriptions(query: &mut Parameters) -> PrescriptionFilter {
    PrescriptionFilter {
        patient_id: query.integer("patientId"),
        medicine: query.parse("medicine", medicine),
        state: query.parse("state", |text| text.parse()),
    }
}

pub(in crate::rest::operations) fn consultations(query: &mut Parameters) -> ConsultationFilter {
    ConsultationFilter { patient_id: query.integer("patientId"), state: query.parse("state", |text| text.parse()) }
}

pub(in crate::rest::operations) fn invoices(query: &mut Parameters) -> InvoiceFilter {
    let (from, to) = query.period();
    InvoiceFilter {
        patient_id: query.integer("patientId"),
        state: query.parse("state", |text| text.parse()),
        from,
        to,
        newest: query.flag("newest"),
    }
}

pub(in crate::rest::operations) fn stocks(query: &mut Parameters) -> StockFilter {
    StockFilter { expires_to: query.parse("expiresTo", |text| text.parse()) }
}

pub(in crate::rest::operations) fn movements(query: &mut Parameters) -> MovementFilter {
    let expires = query.parse("expires", |text| text.parse::<Date>());
    let (from, to) = query.period();
    let filter = MovementFilter {
        medicine: query.parse("medicine", medicine),
        lot: query.parse("lot", |text| match text.as_str() {
            "" => Ok(None),
            _ => LotText::new(text).map(Some),
        }),
        expires,
        kind: query.parse("kind", |text| text.parse()),
        invoice_id: query.integer("invoiceId"),
        from,
        to,
    };
    query.need("medicine", &["lot", "expires", "kind"], "needs medicine beside it");
    filter
}

pub(in crate::rest::operations) fn receipts(query: &mut Parameters) -> ReceiptFilter {
    let (from, to) = query.period();
    ReceiptFilter {
        invoice_id: query.integer("invoiceId"),
        holder: query.parse("holder", holder),
        kind: query.parse("kind", |text| text.parse()),
        from,
        to,
    }
}

/// Reads the name of a holder, which may be a reserved one.
pub(super) fn holder(text: String) -> Result<Box<str>, Invalid> {
    KeyName::check(&text)?;
    Ok(text.into())
}

/// Reads a medicine in any spelling.
pub(super) fn medicine(text: String) -> Result<MedicineKey, Invalid> {
    MedicineName::new(text).map(|name| name.key().clone())
}

/// Reads a prefix of names. An empty one is refused, since it would match every name.
fn name_prefix(text: String) -> Result<NamePrefix, Invalid> {
    let prefix = NamePrefix::new(Name::new(text)?.as_str());
    if prefix.as_str().is_empty() { Err(Invalid("must not be blank")) } else { Ok(prefix) }
}
