//! The content of requests about stock.

use super::input::of_the_path;
use crate::{
    model::{
        Currency, Date, InvoiceId, LotId, LotText, MedicineName, MovementKind, MovementReason, Note, Patch, Price,
        Shelf, StockDetails, UnitName, Units,
    },
    rest::body::form::{Form, Most},
    service::{NewMovement, OpeningLot},
    stock::LotCount,
};

const LOTS: Most = Most { elements: Shelf::MAX_LOTS, rule: "must be at most 64" };

/// A list that has no effect may be of any length.
const ANY: Most = Most { elements: usize::MAX, rule: "" };

/// Reads the settings and the opening stock of a medicine that is tracked from now on.
pub(crate) fn start(
    form: &mut Form<'_, '_>,
    named: Option<&MedicineName>,
) -> Option<(UnitName, StockDetails, Vec<OpeningLot>)> {
    of_the_path(form, named);
    let unit = form.field("unit");
    let unit = form.required("unit", unit);
    let details = StockDetails::filled(form);
    let opening = form.forms("opening", LOTS, |form| {
        let lot = lot(form);
        let units = form.field("units");
        Some(OpeningLot { units: form.required("units", units)?, lot })
    });
    Some((unit?, details, opening.value().unwrap_or_default()))
}

/// Reads the settings of an update. Derived members may be sent back, and have no effect.
pub(crate) fn update(form: &mut Form<'_, '_>, named: Option<&MedicineName>) -> Option<StockDetails> {
    of_the_path(form, named);
    let details = StockDetails::filled(form);
    for derived in ["onHand", "expired", "usable", "reserved", "available"] {
        form.field::<i64>(derived);
    }
    form.forms("lots", ANY, |form| {
        form.field::<String>("lot");
        form.field::<String>("expires");
        form.field::<i64>("onHand");
        form.field::<bool>("usable");
        Some(())
    });
    Some(details)
}

fn lot(form: &mut Form<'_, '_>) -> LotId {
    let (lot, expires): (Patch<LotText>, Patch<Date>) = (form.field("lot"), form.field("expires"));
    LotId { lot: lot.value(), expires: expires.value() }
}

/// Reads a count of lots.
pub(crate) fn count(form: &mut Form<'_, '_>) -> Option<(Vec<LotCount>, Option<Note>)> {
    let lines = form.forms("lines", LOTS, |form| {
        let lot = lot(form);
        let counted = form.field("counted");
        Some(LotCount { counted: form.required("counted", counted)?, lot })
    });
    let lines = form.required("lines", lines);
    let note: Patch<Note> = form.field("note");
    Some((lines?, note.value()))
}

/// Reads a movement. A member that its kind requires and lacks, or does not use, is at fault.
pub(crate) fn movement(form: &mut Form<'_, '_>, today: Date) -> Option<NewMovement> {
    let kind: Patch<MovementKind> = form.field("kind");
    let kind = form.required("kind", kind);
    let units = form.field("units");
    let units: Option<Units> = form.required("units", units);
    let lot = lot(form);
    let reason: Patch<MovementReason> = form.field("reason");
    let invoice_id: Patch<InvoiceId> = form.field("invoiceId");
    let (cost, currency): (Patch<Price>, Patch<Currency>) = (form.field("cost"), form.field("currency"));
    let note: Patch<Note> = form.field("note");
    let note = note.value();
    let unused = |form: &mut Form<'_, '_>, name, is_there: bool| {
        if is_there {
            form.refuse(name, "is not used by this kind");
        }
    };
    let kind = kind?;
    if kind != MovementKind::Receipt {
        unused(form, "cost", cost.value().is_some());
        unused(form, "currency", currency.value().is_some());
    }
    if kind != MovementKind::Removal {
        unused(form, "reason", reason.value().is_some());
    }
    if kind != MovementKind::Return {
        unused(form, "invoiceId", invoice_id.value().is_some());
    }
    match kind {
        MovementKind::Receipt => {
            if lot.expires.is_some_and(|expires| expires < today) {
                form.refuse("expires", "must not be before today");
            }
            let cost = match (cost.value(), currency.value()) {
                (Some(cost), Some(currency)) => Some((cost, currency)),
                (Some(_), None) => {
                    form.lacks("currency", "is required beside cost");
                    None
                }
                (None, Some(_)) => {
                    form.lacks("cost", "is required beside currency");
                    None
                }
                (None, None) => None,
            };
            Some(NewMovement::Receipt { lot, units: units?, cost, note })
        }
        MovementKind::Return => {
            let invoice_id = invoice_id.value();
            if invoice_id.is_none() {
                form.lacks("invoiceId", "is required for a return");
            }
            Some(NewMovement::Return { lot, units: units?, invoice_id: invoice_id?, note })
        }
        MovementKind::Removal => {
            let reason = reason.value();
            match reason {
                None => form.lacks("reason", "is required for a removal"),
                Some(MovementReason::Opening | MovementReason::Count) => {
                    form.refuse("reason", "must be expired, damaged, lost, recalled, supplier or other");
                }
                Some(MovementReason::Other) if note.is_none() => {
                    form.lacks("note", "is required when the reason is other");
                }
                Some(_) => {}
            }
            Some(NewMovement::Removal { lot, units: units?, reason: reason?, note })
        }
        MovementKind::Dispense | MovementKind::Adjustment | MovementKind::Reversal => {
            form.refuse("kind", "must be receipt, return or removal");
            None
        }
    }
}
