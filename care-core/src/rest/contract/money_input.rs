//! The content of requests about money.

use crate::{
    model::{Note, Patch, PaymentMethod, RefundReason},
    rest::body::form::Form,
    service::{NewCorrection, NewRefund},
};

/// Reads a payment. One that does not say how is in cash.
pub(crate) fn payment(form: &mut Form<'_, '_>) -> PaymentMethod {
    let method: Patch<PaymentMethod> = form.field("method");
    method.value().unwrap_or_default()
}

/// Reads a refund.
pub(crate) fn refund(form: &mut Form<'_, '_>) -> Option<NewRefund> {
    let reason = form.field("reason");
    let reason: Option<RefundReason> = form.required("reason", reason);
    let note: Patch<Note> = form.field("note");
    let note = note.value();
    if reason == Some(RefundReason::Other) && note.is_none() {
        form.lacks("note", "is required when the reason is other");
    }
    let method: Patch<PaymentMethod> = form.field("method");
    let (restock, reopen): (Patch<bool>, Patch<bool>) = (form.field("restock"), form.field("reopen"));
    Some(NewRefund {
        reason: reason?,
        note,
        method: method.value(),
        restock: restock.value().unwrap_or_default(),
        reopen: reopen.value().unwrap_or_default(),
    })
}

/// Reads the correction of a method.
pub(crate) fn correction(form: &mut Form<'_, '_>) -> Option<NewCorrection> {
    let method = form.field("method");
    let method = form.required("method", method);
    let note: Patch<Note> = form.field("note");
    Some(NewCorrection { method: method?, note: note.value() })
}
