//! Random lists of the small world, each with what the model says that it is.

use care_core::{
    model::{
        Consultation, Date, Demand, Diagnosis, Invoice, Item, LotKey, MedicineKey, Movement, NamePrefix, OpenLot,
        Patient, Prescription, PrescriptionState, Receipt, RegularDemand, Stock, StockDay, Takings, folded_name,
    },
    store::{
        ConsultationFilter, InvoiceFilter, ItemFilter, List, MovementFilter, PatientFilter, PrescriptionFilter, Query,
        ReceiptFilter, Record, RecordKey, StockFilter, Versioned,
    },
};

use super::{
    asked::every_record,
    model::Model,
    universe::{Chooser, NUMBERS, days, medicine},
};
use crate::{dice::Dice, samples};

/// The records of a list by the model, from its beginning to its end.
type Expected = Box<dyn Fn(&Model) -> Vec<Versioned<Record>>>;

/// A list, and what it is of the model.
pub(super) struct Listed {
    pub(super) query: Query,
    pub(super) expected: Expected,
}

fn listed(query: impl Into<Query>, expected: impl Fn(&Model) -> Vec<Versioned<Record>> + 'static) -> Listed {
    Listed { query: query.into(), expected: Box::new(expected) }
}

/// Makes a list, sometimes with a filter and a cursor.
type Maker = fn(&mut Chooser<'_>) -> Listed;

const MAKERS: [Maker; 18] = [
    patients,
    found_patients,
    prescriptions,
    single_prescriptions,
    consultations,
    diagnoses,
    invoices,
    items,
    demand,
    demand_of,
    regular_demands,
    stocks,
    open_lots,
    movements,
    receipts,
    takings,
    stock_days,
    all,
];

/// Returns a random list, sometimes with a filter and a cursor.
pub(super) fn list(dice: &mut Dice) -> Listed {
    dice.pick(MAKERS).expect("there are some")(&mut Chooser::random(dice))
}

/// Returns the lists, each with every combination of its parameters, and with this number of values of each.
pub(super) fn every_list(values: usize, dice: &mut Dice) -> Vec<Listed> {
    let mut all = Vec::new();
    for maker in MAKERS {
        let mut chooser = Chooser::these(dice, 0, 0);
        maker(&mut chooser);
        let parameters = chooser.asked;
        for (bits, place) in (0..1 << parameters).flat_map(|bits| (0..values).map(move |place| (bits, place))) {
            all.push(maker(&mut Chooser::these(dice, bits, place)));
        }
    }
    all
}

fn number(dice: &mut Dice) -> Option<i64> {
    dice.pick(NUMBERS).filter(|_| dice.roll(4) > 0)
}

fn key(dice: &mut Dice) -> MedicineKey {
    medicine(dice).key().clone()
}

fn period(dice: &mut Dice) -> (Date, Date) {
    let from = dice.pick(days()).unwrap_or(samples::first_day());
    (from, dice.pick(days()).unwrap_or(samples::last_day()))
}

fn patients(dice: &mut Chooser<'_>) -> Listed {
    let filter = PatientFilter::filled(dice);
    let after = number(dice).map(samples::patient_id);
    listed(Patient::list(&filter, after), move |model| {
        let PatientFilter { ids, name_prefix, phone, email } = &filter;
        model.those(|p: &Patient| {
            let begins = |prefix: &NamePrefix| {
                let name = p.name.as_ref().map(|name| folded_name(name.as_str()));
                name.is_some_and(|name| name.starts_with(prefix.as_str()))
            };
            after.is_none_or(|after| p.patient_id > after)
                && ids.as_ref().is_none_or(|ids| ids.iter().any(|id| id == p.patient_id))
                && name_prefix.as_ref().is_none_or(begins)
                && (phone.is_none() || *phone == p.phone)
                && (email.is_none() || *email == p.email)
        })
    })
}

fn found_patients(dice: &mut Chooser<'_>) -> Listed {
    let texts = ["ad", "ADA", "strass", "adam x", "bo", "a@x", "#9", "ada a@", "nobody", "amda", "starsse #9", "ad-am"];
    let text = samples::find_text(dice.pick(texts).unwrap_or("#1"));
    let text = text.clone().similar().ok().filter(|_| dice.one_in(2)).unwrap_or(text);
    listed(Patient::found(text.clone()), move |model| model.found(&text))
}

fn prescriptions(dice: &mut Chooser<'_>) -> Listed {
    let filter = PrescriptionFilter::filled(dice);
    let after = number(dice).map(samples::prescription_id);
    listed(Prescription::list(&filter, after), move |model| {
        let PrescriptionFilter { patient_id, medicine, state } = &filter;
        model.those(|p: &Prescription| {
            after.is_none_or(|after| p.prescription_id > after)
                && patient_id.is_none_or(|id| id == p.patient_id)
                && medicine.as_ref().is_none_or(|key| key == p.medicine.key())
                && state.is_none_or(|state| state == p.state)
        })
    })
}

fn single_prescriptions(dice: &mut Chooser<'_>) -> Listed {
    let after = number(dice).map(samples::prescription_id);
    listed(Prescription::single(after), move |model| {
        model.those(|p: &Prescription| {
            let is_single = p.state == PrescriptionState::Active && p.is_regular != Some(true);
            is_single && after.is_none_or(|after| p.prescription_id > after)
        })
    })
}

fn diagnoses(dice: &mut Chooser<'_>) -> Listed {
    let patient = samples::patient_id(number(dice).unwrap_or(1));
    let after = number(dice).map(samples::consultation_id);
    listed(Diagnosis::list_of_patient(patient, after), move |model| {
        model.those(|d: &Diagnosis| d.patient_id == patient && after.is_none_or(|after| d.consultation_id > after))
    })
}

fn consultations(dice: &mut Chooser<'_>) -> Listed {
    let filter = ConsultationFilter::filled(dice);
    let after = number(dice).map(samples::consultation_id);
    listed(Consultation::list(&filter, after), move |model| {
        let ConsultationFilter { patient_id, state } = &filter;
        model.those(|c: &Consultation| {
            after.is_none_or(|after| c.consultation_id > after)
                && patient_id.is_none_or(|id| id == c.patient_id)
                && state.is_none_or(|state| state == c.state)
        })
    })
}

fn invoices(dice: &mut Chooser<'_>) -> Listed {
    let filter = InvoiceFilter::filled(dice);
    let after = number(dice).map(samples::invoice_id);
    listed(Invoice::list(&filter, after), move |model| {
        let InvoiceFilter { patient_id, state, from, to, newest } = &filter;
        let mut found = model.those(|i: &Invoice| {
            let follows = |after| if *newest { i.invoice_id < after } else { i.invoice_id > after };
            after.is_none_or(follows)
                && patient_id.is_none_or(|id| id == i.patient_id)
                && state.is_none_or(|state| state == i.state)
                && from.is_none_or(|day| i.invoice_date >= day)
                && to.is_none_or(|day| i.invoice_date <= day)
        });
        if *newest {
            found.reverse();
        }
        found
    })
}

fn items(dice: &mut Chooser<'_>) -> Listed {
    let filter = ItemFilter::filled(dice);
    let after = Some(key(dice)).filter(|_| dice.one_in(2));
    listed(Item::list(&filter, after.clone()), move |model| {
        let ItemFilter { name } = &filter;
        model.those(|item: &Item| {
            let key = item.medicine.key();
            after.as_ref().is_none_or(|after| key > after)
                && name.as_ref().is_none_or(|name| key.as_str().starts_with(name.as_ref()))
        })
    })
}

fn demand(dice: &mut Chooser<'_>) -> Listed {
    let (from, to) = period(dice);
    let after = dice.pick(days()).filter(|_| dice.one_in(2)).map(|day| (day, key(dice)));
    listed(Demand::list((from, to), after.clone()), move |model| {
        model.those(|demand: &Demand| {
            let after = after.as_ref().map(|(day, key)| (*day, key));
            (from..=to).contains(&demand.day) && after.is_none_or(|after| (demand.day, demand.medicine.key()) > after)
        })
    })
}

fn demand_of(dice: &mut Chooser<'_>) -> Listed {
    let (medicine, (from, to)) = (key(dice), period(dice));
    listed(Demand::of_medicine(medicine.clone(), (from, to)), move |model| {
        model.those(|demand: &Demand| *demand.medicine.key() == medicine && demand.day >= from && demand.day <= to)
    })
}

fn regular_demands(dice: &mut Chooser<'_>) -> Listed {
    let forms = samples::regular_demand_intervals(&medicine(dice));
    let cursor = dice.pick(forms).map(|form| (form.medicine.key().clone(), form.every_days));
    let after = cursor.filter(|_| dice.one_in(2));
    listed(List::<RegularDemand>::all(after.clone()), move |model| {
        model.those(|regular: &RegularDemand| {
            let key = (regular.medicine.key(), regular.every_days);
            after.as_ref().is_none_or(|(medicine, days)| key > (medicine, *days))
        })
    })
}

fn stocks(dice: &mut Chooser<'_>) -> Listed {
    let filter = StockFilter::filled(dice);
    let after = Some(key(dice)).filter(|_| dice.one_in(2));
    listed(Stock::list(&filter, after.clone()), move |model| {
        let StockFilter { expires_to, lot } = &filter;
        model.those(|stock: &Stock| {
            let expires = |to: Date| stock.expires.is_some_and(|day| day <= to);
            let has = |key: &LotKey| {
                let mut lots = model.every::<OpenLot>().filter(|lot| lot.record.medicine.is_same(&stock.medicine));
                lots.any(|lot| lot.record.lot_id().lot_key() == Some(key))
            };
            after.as_ref().is_none_or(|after| stock.medicine.key() > after)
                && expires_to.is_none_or(expires)
                && lot.as_ref().is_none_or(has)
        })
    })
}

fn open_lots(dice: &mut Chooser<'_>) -> Listed {
    let lots = samples::open_lots(&medicine(dice));
    let cursor = dice.pick(lots).map(|lot| (lot.medicine.key().clone(), lot.lot_id()));
    let after = cursor.filter(|_| dice.one_in(2));
    listed(List::<OpenLot>::all(after.clone()), move |model| {
        model.those(|lot: &OpenLot| {
            let key = (lot.medicine.key().clone(), lot.lot_id());
            after.as_ref().is_none_or(|after| key > *after)
        })
    })
}

fn movements(dice: &mut Chooser<'_>) -> Listed {
    let filter = MovementFilter::filled(dice);
    let after = number(dice).map(samples::movement_id);
    listed(Movement::list(&filter, after), move |model| {
        let MovementFilter { medicine, lot, expires, kind, invoice_id, from, to } = &filter;
        model.those(|m: &Movement| {
            after.is_none_or(|after| m.movement_id > after)
                && medicine.as_ref().is_none_or(|key| key == m.medicine.key())
                && lot.as_ref().is_none_or(|lot| lot.as_ref() == m.lot_id().lot_key())
                && expires.is_none_or(|day| m.expires == Some(day))
                && kind.is_none_or(|kind| kind == m.kind)
                && invoice_id.is_none_or(|id| m.invoice_id == Some(id))
                && from.is_none_or(|day| m.day >= day)
                && to.is_none_or(|day| m.day <= day)
        })
    })
}

fn receipts(dice: &mut Chooser<'_>) -> Listed {
    let filter = ReceiptFilter::filled(dice);
    let after = number(dice).map(samples::receipt_id);
    listed(Receipt::list(&filter, after), move |model| {
        let ReceiptFilter { invoice_id, holder, kind, from, to } = &filter;
        model.those(|r: &Receipt| {
            after.is_none_or(|after| r.receipt_id > after)
                && invoice_id.is_none_or(|id| id == r.invoice_id)
                && holder.as_ref().is_none_or(|holder| *holder == r.holder)
                && kind.is_none_or(|kind| kind == r.kind)
                && from.is_none_or(|day| r.day >= day)
                && to.is_none_or(|day| r.day <= day)
        })
    })
}

fn takings(dice: &mut Chooser<'_>) -> Listed {
    let day = dice.pick(days()).unwrap_or(samples::first_day());
    let holder = Some("Front desk").filter(|_| dice.one_in(2));
    let (from, to) = period(dice);
    let after = dice.pick(samples::takings_keys(day)).filter(|_| dice.one_in(2));
    listed(Takings::list((from, to), holder, after.clone()), move |model| {
        model.those(|t: &Takings| {
            holder.is_none_or(|holder| *holder == *t.of.holder)
                && (from..=to).contains(&t.of.day)
                && after.as_ref().is_none_or(|after| t.of > *after)
        })
    })
}

fn stock_days(dice: &mut Chooser<'_>) -> Listed {
    let medicine = Some(key(dice)).filter(|_| dice.one_in(2));
    let (from, to) = period(dice);
    let after = Some((key(dice), samples::first_day())).filter(|_| dice.one_in(2));
    listed(StockDay::list((from, to), medicine.clone(), after.clone()), move |model| {
        model.those(|day: &StockDay| {
            let of_it = || model.every::<StockDay>().filter(|other| other.record.medicine.is_same(&day.medicine));
            let last = of_it().map(|other| other.record.day).filter(|other| *other < from).max();
            medicine.as_ref().is_none_or(|key| key == day.medicine.key())
                && day.day <= to
                && after.as_ref().is_none_or(|(key, last)| (day.medicine.key(), day.day) > (key, *last))
                && (day.day >= from || Some(day.day) == last)
        })
    })
}

fn all(dice: &mut Chooser<'_>) -> Listed {
    let after: Option<RecordKey> = dice.pick(every_record()).filter(|_| dice.roll(4) > 0);
    listed(Query::All { after: after.clone() }, move |model| model.above(after.as_ref()))
}
