//! `Medication`, `MedicationDispense` and `Invoice`.

use care_core::model::{Dispensing, Invoice, InvoiceState, Item, Movement};

use crate::{
    parts::{concept, day, identifier, refers, subject},
    writer::Writer,
};

/// Writes a medicine of the inventory.
pub(crate) fn medication(out: &mut Writer, item: &Item) {
    concept(out, "code", Some(&item.medicine));
    out.text("status", "active");
    concept(out, "form", item.dosage.as_ref());
}

/// Writes the units that an invoice took from one lot. A note tells what came back of them, since a return is another
/// act.
pub(crate) fn medication_dispense(out: &mut Writer, movement: &Movement, dispensing: &Dispensing, invoice: &Invoice) {
    let lot_id = movement.lot_id();
    let handed_out = movement.units.value().abs();
    let returned = dispensing.lots.iter().find(|lot| lot.id == lot_id).map_or(0, |lot| lot.returned.value());
    out.list("contained", |all| {
        all.resource("Medication", |medicine| {
            medicine.text("id", "medicine");
            concept(medicine, "code", Some(&movement.medicine));
            medicine.object("batch", |batch| {
                batch.stored("lotNumber", movement.lot.as_ref());
                if let Some(expires) = movement.expires {
                    day(batch, "expirationDate", expires);
                }
            });
        });
    });
    out.text("status", "completed");
    out.object("medicationReference", |to| to.text("reference", "#medicine"));
    subject(out, invoice.patient_id);
    out.list("authorizingPrescription", |all| {
        all.object(|to| refers(to, "MedicationRequest", invoice.prescription_id));
    });
    out.object("quantity", |quantity| quantity.number("value", handed_out));
    day(out, "whenHandedOver", movement.day);
    out.list("note", |all| {
        if returned > 0 {
            all.object(|note| note.text("text", &format!("{returned} of {handed_out} came back")));
        }
    });
}

/// Writes the invoice. Its amounts are whole units, as they are stored.
pub(crate) fn invoice(out: &mut Writer, invoice: &Invoice, namespace: Option<&str>) {
    identifier(out, namespace, "invoice", invoice.invoice_id.value());
    out.text(
        "status",
        match invoice.state {
            InvoiceState::Unpaid => "issued",
            InvoiceState::Paid => "balanced",
            InvoiceState::Refunded => "cancelled",
        },
    );
    if invoice.state == InvoiceState::Refunded {
        out.text("cancelledReason", "refunded");
    }
    subject(out, invoice.patient_id);
    day(out, "date", invoice.invoice_date);
    out.object("issuer", |issuer| issuer.stored("display", invoice.companyaddress.as_ref()));
    out.list("lineItem", |lines| {
        lines.object(|line| {
            line.number("sequence", 1);
            concept(line, "chargeItemCodeableConcept", Some(&invoice.medicine));
            line.list("priceComponent", |all| {
                if invoice.price.is_some() {
                    all.object(|price| {
                        price.text("type", "base");
                        money(price, "amount", invoice);
                    });
                }
            });
        });
    });
    money(out, "totalGross", invoice);
}

/// Writes the price of an invoice, if it has one.
fn money(out: &mut Writer, name: &'static str, invoice: &Invoice) {
    let Some(price) = invoice.price else { return };
    out.object(name, |money| {
        money.number("value", price.value());
        if let Some(currency) = &invoice.currency {
            money.text("currency", currency.as_str());
        }
    });
}
