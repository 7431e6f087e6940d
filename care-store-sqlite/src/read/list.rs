//! Lists, and the index that each combination of filters uses.

use care_core::{
    model::{
        Date, Demand, EveryDays, Invoice, InvoiceState, Item, LotId, LotText, MedicineKey, Movement, OpenLot,
        Prescription, PrescriptionState, RegularDemand, Stock, StockDay,
    },
    store::{
        Filling, InvoiceFilter, Limit, MovementFilter, Portion, PrescriptionFilter, Query, Record, RecordKey,
        Versioned, kinds, rows::RowWriter,
    },
};
use rusqlite::{Connection, params};

use super::patients::patients;
use crate::base::{
    error::Fault,
    records::{Listed, Statements, Stored, Values, fill, identify, take},
    selection::{Selection, rows},
};

/// Returns the first records of a query, in its order, as many as the limit allows.
pub(crate) fn list(conn: &Connection, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, Fault> {
    let mut found = Filling::new(limit);
    let key = |after: &Option<MedicineKey>| match after {
        Some(key) => key.as_str().to_owned(),
        // The empty text is below every key.
        None => String::new(),
    };
    match query {
        Query::Patients { filter, after } => {
            patients(conn, filter, after.map_or(0, |id| id.value()), &mut found)?;
        }
        Query::Prescriptions { filter, after } => {
            prescriptions(filter, after.map_or(0, |id| id.value())).fill::<Prescription>(
                conn,
                "prescription_id",
                &mut found,
            )?;
        }
        Query::Invoices { filter, after } => {
            invoices(filter, after.map_or(0, |id| id.value())).fill::<Invoice>(conn, "invoice_id", &mut found)?;
        }
        Query::Items { after } => Selection::of::<Item>("").and("medicine_key > ?", key(after)).fill::<Item>(
            conn,
            "medicine_key",
            &mut found,
        )?,
        Query::Demand { from, to, after } => {
            demand(*from, *to, after.as_ref()).fill::<Demand>(conn, "day, medicine_key", &mut found)?;
        }
        Query::RegularDemands { after } => {
            regular_demands(after.as_ref()).fill::<RegularDemand>(conn, "medicine_key, every_days", &mut found)?;
        }
        Query::DemandOf { medicine, from, to } => demand_of(conn, medicine, (*from, *to), &mut found)?,
        Query::Stocks { filter, after } => Selection::of::<Stock>("")
            .and("medicine_key > ?", key(after))
            .maybe(
                "EXISTS (SELECT 1 FROM open_lot WHERE open_lot.medicine_key = stock.medicine_key AND expires <= ?)",
                filter.expires_to.map(Date::unix_days),
            )
            .fill::<Stock>(conn, "medicine_key", &mut found)?,
        Query::OpenLots { after } => {
            open_lots(after.as_ref()).fill::<OpenLot>(conn, "medicine_key, expires, lot", &mut found)?;
        }
        Query::Movements { filter, after } => {
            movements(filter, after.map_or(0, |id| id.value())).fill::<Movement>(conn, "movement_id", &mut found)?;
        }
        Query::StockDays { medicine, from, to, after } => {
            stock_days(conn, medicine.as_ref(), (*from, *to), after.as_ref(), &mut found)?;
        }
        Query::All { after } => all(conn, after.as_ref(), &mut found)?,
    }
    Ok(found.finish())
}

fn prescriptions(filter: &PrescriptionFilter, after: i64) -> Selection {
    let PrescriptionFilter { patient_id, medicine, state } = filter;
    let select = |index, state: Option<PrescriptionState>| {
        Selection::of::<Prescription>(index)
            .and("prescription_id > ?", after)
            .maybe("patient_id = ?", patient_id.map(|id| id.value()))
            .maybe("medicine_key = ?", medicine.as_ref().map(|key| key.as_str().to_owned()))
            .maybe("state = ?", state.map(|state| state.as_str().to_owned()))
    };
    match (patient_id, medicine, state) {
        (Some(_), Some(_), _) => select("INDEXED BY prescription_by_patient", *state),
        // A patient has few that are active, and many others.
        (Some(_), None, Some(PrescriptionState::Active)) => {
            select("INDEXED BY prescription_active", None).only("state = 'active'")
        }
        (Some(_), None, _) => select("INDEXED BY prescription_of_patient", *state),
        (None, Some(_), Some(_)) => select("INDEXED BY prescription_by_medicine", *state),
        (None, Some(_), None) => {
            // The index contains the states one after the other, each in order; SQLite merges the two.
            let [active, completed] = [PrescriptionState::Active, PrescriptionState::Completed]
                .map(|state| select("INDEXED BY prescription_by_medicine", Some(state)));
            active.or(completed)
        }
        (None, None, Some(_)) => select("INDEXED BY prescription_by_state", *state),
        (None, None, None) => select("", None),
    }
}

fn invoices(filter: &InvoiceFilter, after: i64) -> Selection {
    let InvoiceFilter { patient_id, state } = filter;
    match (patient_id, state) {
        (Some(_), Some(InvoiceState::Unpaid)) => {
            Selection::of::<Invoice>("INDEXED BY invoice_unpaid_by_patient").only("state = 'unpaid'")
        }
        (Some(_), _) => Selection::of::<Invoice>("INDEXED BY invoice_by_patient"),
        (None, Some(_)) => Selection::of::<Invoice>("INDEXED BY invoice_by_state"),
        (None, None) => Selection::of::<Invoice>(""),
    }
    .and("invoice_id > ?", after)
    .maybe("patient_id = ?", patient_id.map(|id| id.value()))
    .maybe("state = ?", state.map(|state| state.as_str().to_owned()))
}

fn demand(from: Date, to: Date, after: Option<&(Date, MedicineKey)>) -> Selection {
    // A cursor before the period means its beginning.
    let after = after.filter(|(day, _)| *day >= from);
    let selection = Selection::of::<Demand>("");
    let selection = match after {
        Some(after) => selection.above("day, medicine_key", after),
        None => selection.and("day >= ?", from.unix_days()),
    };
    selection.and("day <= ?", to.unix_days())
}

fn regular_demands(after: Option<&(MedicineKey, EveryDays)>) -> Selection {
    let selection = Selection::of::<RegularDemand>("");
    match after {
        Some(after) => selection.above("medicine_key, every_days", after),
        None => selection,
    }
}

fn open_lots(after: Option<&(MedicineKey, LotId)>) -> Selection {
    let selection = Selection::of::<OpenLot>("");
    match after {
        Some(after) => selection.above("medicine_key, expires, lot", after),
        None => selection,
    }
}

fn movements(filter: &MovementFilter, after: i64) -> Selection {
    let MovementFilter { medicine, lot, expires, kind, invoice_id, from, to } = filter;
    // An invoice has a few movements, a medicine many. Both indexes have the order of the list.
    let selection = match (invoice_id, medicine) {
        (Some(_), _) => Selection::of::<Movement>("INDEXED BY movement_by_invoice").only("invoice_id IS NOT NULL"),
        (None, Some(_)) => Selection::of::<Movement>("INDEXED BY movement_by_medicine"),
        (None, None) => Selection::of::<Movement>(""),
    };
    let selection = match lot {
        Some(None) => selection.only("lot IS NULL"),
        Some(Some(lot)) => selection.and("lot = ?", LotText::as_str(lot).to_owned()),
        None => selection,
    };
    selection
        .and("movement_id > ?", after)
        .maybe("medicine_key = ?", medicine.as_ref().map(|key| key.as_str().to_owned()))
        .maybe("expires = ?", expires.map(Date::unix_days))
        .maybe("kind = ?", kind.map(|kind| kind.as_str().to_owned()))
        .maybe("invoice_id = ?", invoice_id.map(|id| id.value()))
        .maybe("day >= ?", from.map(Date::unix_days))
        .maybe("day <= ?", to.map(Date::unix_days))
}

/// Adds the days of one medicine. Each day is looked up separately, since the table is ordered by day first.
fn demand_of(
    conn: &Connection,
    medicine: &MedicineKey,
    (from, to): (Date, Date),
    found: &mut Listed,
) -> Result<(), Fault> {
    let sql = format!(
        "WITH RECURSIVE days (found) AS ( \
             SELECT min(day) FROM demand WHERE day >= ?2 \
             UNION ALL \
             SELECT (SELECT min(day) FROM demand WHERE day > days.found) FROM days WHERE days.found < ?3 \
         ) {} JOIN days ON day = found WHERE medicine_key = ?1 AND found <= ?3 ORDER BY day LIMIT ?4",
        Demand::sql().select
    );
    let limit = rows(found.wanted());
    fill::<Demand>(conn, &sql, params![medicine.as_str(), from.unix_days(), to.unix_days(), limit], found)
}

/// Adds the days of a period, and for each medicine the last day before. The medicines are found one from the other,
/// and the days of each by the key, so that neither other days are read nor any are sorted.
fn stock_days(
    conn: &Connection,
    medicine: Option<&MedicineKey>,
    (from, to): (Date, Date),
    after: Option<&(MedicineKey, Date)>,
    found: &mut Listed,
) -> Result<(), Fault> {
    let sql = format!(
        "{} WHERE medicine_key = ?1 AND day <= ?3 AND day >= max(?4, coalesce( \
             (SELECT max(day) FROM stock_day WHERE medicine_key = ?1 AND day < ?2), ?2)) ORDER BY day LIMIT ?5",
        StockDay::sql().select
    );
    let mut next = match (medicine, after) {
        (Some(medicine), Some((key, _))) if medicine < key => None,
        (Some(medicine), _) => Some(medicine.as_str().to_owned()),
        (None, Some((key, _))) => Some(key.as_str().to_owned()),
        // The empty text is below every key.
        (None, None) => next_medicine(conn, "")?,
    };
    while let Some(key) = next
        && found.wanted() > 0
    {
        let last = after.filter(|(last, _)| last.as_str() == key).map(|(_, day)| day.unix_days());
        let least = last.map_or(i64::MIN, |day| day + 1);
        let limit = rows(found.wanted());
        fill::<StockDay>(conn, &sql, params![key, from.unix_days(), to.unix_days(), least, limit], found)?;
        next = if medicine.is_none() { next_medicine(conn, &key)? } else { None };
    }
    Ok(())
}

/// Returns the first medicine with days whose key is above this one.
fn next_medicine(conn: &Connection, key: &str) -> Result<Option<String>, Fault> {
    let mut statement = conn.prepare_cached("SELECT min(medicine_key) FROM stock_day WHERE medicine_key > ?")?;
    Ok(statement.query_row([key], |row| row.get(0))?)
}

/// Adds the first records above a key, as many as the portion takes.
pub(crate) fn all(conn: &Connection, after: Option<&RecordKey>, found: &mut Listed) -> Result<(), Fault> {
    // Whether the kind of the key was reached.
    let mut is_above = after.is_none();
    macro_rules! one_after_the_other {
        ($($kind:ident)*) => {$(
            let id = match after {
                Some(RecordKey::$kind(id)) => Some(id),
                _ => None,
            };
            is_above |= id.is_some();
            if is_above && found.wanted() > 0 {
                table::<kinds::$kind>(conn, id, found)?;
            }
        )*};
    }
    care_core::record_kinds!(one_after_the_other);
    Ok(())
}

fn table<E: Stored>(conn: &Connection, after: Option<&E::Id>, found: &mut Listed) -> Result<(), Fault> {
    let Statements { select, key, .. } = E::sql();
    let above = match after {
        None => String::new(),
        Some(_) => format!("WHERE ({key}) > ({})", vec!["?"; E::TABLE.key.len()].join(", ")),
    };
    let mut statement = conn.prepare_cached(&format!("{select} {above} ORDER BY {key} LIMIT ?"))?;
    let mut values = Values::new(&mut statement);
    if let Some(id) = after {
        identify(&mut values, id)?;
    }
    values.put(rows(found.wanted()))?;
    take::<E>(statement.raw_query(), found)
}
