//! `Medication`, `MedicationDispense` and `Invoice`.

use care_core::model::{Dispensing, Invoice, InvoiceState, Item, Movement};

use crate::{
    parts::{concept, day, identifier, reference, subject},
    tree::{Node, Resource, number, object, once, stored, text},
};

/// Returns a medicine of the inventory.
pub(crate) fn medication(item: &Item) -> Resource {
    Resource::new(
        "Medication",
        [
            ("code", concept(stored(item.medicine.as_str()))),
            ("status", Some(text("active"))),
            ("form", concept(item.dosage.as_ref().and_then(|dosage| stored(dosage.as_str())))),
        ],
    )
}

/// Returns the units that an invoice took from one lot. A note tells what came back of them, since a
/// return is another act.
pub(crate) fn medication_dispense(movement: &Movement, dispensing: &Dispensing, invoice: &Invoice) -> Resource {
    let lot_id = movement.lot_id();
    let lot = movement.lot.as_ref().and_then(|lot| stored(lot.as_str()));
    let has_batch = lot.is_some() || movement.expires.is_some();
    let batch = has_batch.then(|| object([("lotNumber", lot), ("expirationDate", movement.expires.map(day))]));
    let medicine = [("code", concept(stored(movement.medicine.as_str()))), ("batch", batch)];
    let handed_out = movement.units.value().abs();
    let returned = dispensing.lots.iter().find(|lot| lot.id == lot_id).map_or(0, |lot| lot.returned.value());
    let note =
        (returned > 0).then(|| once(object([("text", Some(text(format!("{returned} of {handed_out} came back"))))])));
    let request = reference(format!("MedicationRequest/{}", invoice.prescription_id));
    Resource::new(
        "MedicationDispense",
        [
            (
                "contained",
                Some(once(Node::Resource(Resource::new("Medication", medicine).identified("medicine", None)))),
            ),
            ("status", Some(text("completed"))),
            ("medicationReference", Some(reference("#medicine"))),
            ("subject", Some(subject(invoice.patient_id))),
            ("authorizingPrescription", Some(once(request))),
            ("quantity", Some(object([("value", Some(number(handed_out)))]))),
            ("whenHandedOver", Some(day(movement.day))),
            ("note", note),
        ],
    )
}

/// Returns the invoice. Its amounts are whole units, as they are stored.
pub(crate) fn invoice(invoice: &Invoice, namespace: Option<&str>) -> Resource {
    let status = match invoice.state {
        InvoiceState::Unpaid => "issued",
        InvoiceState::Paid => "balanced",
        InvoiceState::Refunded => "cancelled",
    };
    let money = invoice.price.map(|price| {
        let currency = invoice.currency.as_ref().map(|currency| text(currency.as_str().to_owned()));
        object([("value", Some(number(price.value()))), ("currency", currency)])
    });
    let price = money.clone().map(|money| once(object([("type", Some(text("base"))), ("amount", Some(money))])));
    let line = object([
        ("sequence", Some(number(1))),
        ("chargeItemCodeableConcept", concept(stored(invoice.medicine.as_str()))),
        ("priceComponent", price),
    ]);
    let issuer = invoice.companyaddress.as_ref().and_then(|address| stored(address.as_str()));
    Resource::new(
        "Invoice",
        [
            ("identifier", identifier(namespace, "invoice", invoice.invoice_id.value())),
            ("status", Some(text(status))),
            ("cancelledReason", (invoice.state == InvoiceState::Refunded).then(|| text("refunded"))),
            ("subject", Some(subject(invoice.patient_id))),
            ("date", Some(day(invoice.invoice_date))),
            ("issuer", issuer.map(|address| object([("display", Some(address))]))),
            ("lineItem", Some(once(line))),
            ("totalGross", money),
        ],
    )
}
