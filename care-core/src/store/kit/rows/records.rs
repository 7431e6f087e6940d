//! The rows of the records: each is a list of its fields.

use super::{Column, RowKey, RowReader, RowWriter, Table, Tabular, row::row};
use crate::{
    model::{
        Consultation, Currency, Diagnosis, Dispensing, History, Invoice, Item, KeyRecord, Movement, Name, Patient,
        Prescription, Receipt, Scalar, Takings, TakingsKey, folded_name,
    },
    patient_fields,
    store::{Counter, Reply, RequestKey, Voided},
};

patient_fields! { row
    Patient in "patient": declared;
    indexed phone, email;
    derived folded_name = |patient| patient.name.as_ref().map(Name::as_str).map(folded_name);
}

row! { Voided in "voided": patient_id; }

row! {
    History in "history":
    patient_id;
    medicine, dosage, diseases, visits, lastvisit
}

row! {
    Consultation in "consultation":
    consultation_id;
    patient_id, date, prescription_ids json, state, implicit;
    indexed patient_id;
    moving state
}

row! {
    Diagnosis in "diagnosis":
    consultation_id;
    patient_id, visit, diseases json;
    indexed patient_id
}

// A patient has one active prescription for a medicine at most.
row! {
    Prescription in "prescription":
    prescription_id;
    consultation_id, patient_id, medicine keyed, dosage, is_regular, price, currency, prescribed, state, dispensed,
    quantity, every_days;
    indexed consultation_id, patient_id, medicine_key;
    moving is_regular, state;
    second_key true
}

// A prescription has one unpaid invoice at most.
row! {
    Invoice in "invoice":
    invoice_id;
    prescription_id, patient_id, medicine, name, age, invoice_date, gender, phone, email, companyaddress, dosage, price,
    currency, state, quantity, receipt_id, credit_note_id;
    indexed prescription_id, patient_id;
    moving state, receipt_id;
    second_key true
}

row! {
    Item in "item":
    medicine keyed;
    is_available, dosage, is_regular, price, currency
}

// A movement is reversed by one other at most.
row! {
    Movement in "movement":
    movement_id;
    medicine keyed, kind, reason, units, balance, lot, expires, day, invoice_id, prescription_id, reverses, cost,
    currency, from_order, note;
    indexed medicine_key, invoice_id, reverses;
    second_key true
}

row! {
    Dispensing in "dispensing":
    invoice_id;
    medicine keyed, is_regular, tracked_since, lots json
}

row! {
    Receipt in "receipt":
    receipt_id;
    kind, invoice_id, credit_note_id, corrects, method, from_method, amount, currency, day, holder, reason, note;
    indexed invoice_id, corrects
}

impl Tabular for Takings {
    const TABLE: Table = Table {
        name: "takings",
        key: &[Column::int("day"), Column::text("holder"), Column::text("currency")],
        columns: &[Column::big_int("receipts"), Column::big_int("unpriced"), Column::text("totals")],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        let (day, holder) = (cells.get()?, cells.get()?);
        let currency = Some(cells.get::<String>()?).filter(|code| !code.is_empty());
        let currency = cells.model(currency.map(Currency::from_stored).transpose())?;
        let of = TakingsKey { day, holder, currency };
        Ok(Self { of, receipts: cells.get()?, unpriced: cells.get()?, totals: cells.json()? })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        for value in self.of.values() {
            cells.put(value)?;
        }
        cells.set(&self.receipts)?;
        cells.set(&self.unpriced)?;
        cells.json(&self.totals)
    }
}

row! { Counter in "counter": series; last }

row! { KeyRecord in "key_record": key_id; name, scopes, expires, revoked }

// A request has one reply at most.
impl Tabular for Reply {
    const HAS_SECOND_KEY: bool = true;
    const TABLE: Table = Table {
        name: "reply",
        key: &[Column::text("reply_id")],
        columns: &[
            Column::text("actor").indexed(),
            Column::text("key").indexed(),
            Column::text("fingerprint"),
            Column::big_int("at").indexed(),
            Column::big_int("patient_id"),
            Column::text("answer"),
        ],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            id: cells.get()?,
            request: match (cells.get::<Option<Box<str>>>()?, cells.get::<Option<Box<str>>>()?) {
                (Some(actor), Some(key)) => Some(RequestKey { actor, key }),
                _ => None,
            },
            fingerprint: cells.get()?,
            at: cells.get()?,
            patient_id: cells.get()?,
            answer: cells.json()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { id, request, fingerprint, at, patient_id, answer } = self;
        cells.put(id.as_str())?;
        cells.put(request.as_ref().map(|request| &*request.actor))?;
        cells.put(request.as_ref().map(|request| &*request.key))?;
        cells.put(fingerprint.as_str())?;
        cells.set(at)?;
        cells.set(patient_id)?;
        cells.json(answer)
    }
}
