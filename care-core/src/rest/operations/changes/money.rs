//! Payments, refunds and corrections.

use http::header;

use crate::{
    model::{InvoiceId, ReceiptId},
    rest::{
        contract::{answer::Answer, money_input, problem::Problem},
        http::etag::Tag,
        operations::request::Request,
    },
    store::Versioned,
};

pub(in crate::rest::operations) async fn pay(request: &Request<'_>) -> Result<Answer, Problem> {
    let (id, method): (InvoiceId, _) = request.of_the_path("invoiceId", |form, _| Some(money_input::payment(form)))?;
    let Versioned { version, record } = request.care.pay_invoice_by(id, method).await?;
    let place = request.location("history", record.patient_id);
    Ok(request.changed("History", &record, Tag::of(version)).with_header(header::CONTENT_LOCATION, place))
}

pub(in crate::rest::operations) async fn refund(request: &Request<'_>) -> Result<Answer, Problem> {
    let (id, new) = request.of_the_path("invoiceId", |form, _: Option<InvoiceId>| money_input::refund(form))?;
    let made = request.care.refund_invoice(id, new, request.expected()).await?;
    let place = request.location("receipts", made.record.receipt_id);
    Ok(request.created("Receipt", &made.record, Tag::of(made.version), place))
}

pub(in crate::rest::operations) async fn correct(request: &Request<'_>) -> Result<Answer, Problem> {
    let (id, new) = request.of_the_path("receiptId", |form, _: Option<ReceiptId>| money_input::correction(form))?;
    let made = request.care.correct_receipt(id, new).await?;
    let place = request.location("receipts", made.record.receipt_id);
    Ok(request.created("Receipt", &made.record, Tag::of(made.version), place))
}
