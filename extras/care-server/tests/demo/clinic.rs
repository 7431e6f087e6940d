//! The promises of `--demo`: the same clinic every time, every rule of the service obeyed, and every kind of record.

use std::collections::{BTreeMap, BTreeSet};

use care_core::{
    audit,
    model::{
        ConsultationId, ConsultationState, InvoiceId, InvoiceState, Movement, MovementKind, MovementReason, PatientId,
        PaymentMethod, PrescriptionId, PrescriptionState, ReceiptKind, Timestamp, UtcOffset,
    },
    service::{CareService, Facility, Recommendation, RestockPeriod},
    store::{Change, Entry, ItemFilter, Limit, Link, MemoryStore, Record, RecordKey, Seq},
};
use care_server::demo::{self, Summary};
use futures_executor::block_on;

const NOON: &str = "2026-03-15T12:00:00Z";

/// A clinic filled at this instant and offset, and the summary of its year.
struct FilledClinic {
    care: CareService,
    summary: Summary,
    journal: Vec<Entry>,
    records: BTreeMap<RecordKey, Record>,
}

fn fill_at(now: &str, minutes: i16) -> FilledClinic {
    let now: Timestamp = now.parse().unwrap();
    let facility = Facility { utc_offset: UtcOffset::from_minutes(minutes).unwrap(), ..Facility::default() };
    let care = CareService::new(MemoryStore::new()).with_facility(facility).with_clock(move || now);
    let summary = block_on(demo::fill(&care)).unwrap();
    let journal = block_on(care.store().journal(Seq::ZERO, Limit::ALL)).unwrap().items;
    let mut records = BTreeMap::new();
    for change in journal.iter().flat_map(Entry::changes) {
        match change {
            Change::Put(record) => records.insert(record.key(), record.clone()),
            Change::Remove(key) => records.remove(key),
        };
    }
    FilledClinic { care, summary, journal, records }
}

/// Picks one kind of record out of the final state.
macro_rules! all {
    ($filled:expr, $kind:ident) => {
        $filled.records.values().filter_map(|record| match record {
            Record::$kind(record) => Some(record),
            _ => None,
        })
    };
}

/// Returns the entries without what is random in them: the salts, and the links that follow from these.
fn said(mut journal: Vec<Entry>) -> Vec<Entry> {
    for entry in &mut journal {
        entry.revisions.iter_mut().for_each(|revision| revision.salt = None);
        entry.link = Link::ZERO;
    }
    journal
}

#[test]
fn two_runs_write_the_same_journal() {
    let (one, two) = (fill_at(NOON, 0), fill_at(NOON, 0));
    assert_eq!(said(one.journal), said(two.journal));
    assert_eq!(one.summary, two.summary);
}

#[test]
fn the_hour_does_not_matter_and_another_day_moves_the_dates_alone() {
    let one = fill_at(NOON, 0);
    assert_eq!(said(one.journal.clone()), said(fill_at("2026-03-15T00:00:00Z", 0).journal));
    let later = fill_at("2026-03-25T23:59:59Z", 0);
    assert_eq!(one.summary, later.summary);
    for (one, later) in one.journal.iter().zip(&later.journal) {
        assert_eq!(later.at.unix_millis() - one.at.unix_millis(), 10 * 86_400_000);
        assert_eq!((&one.actor, &one.operation), (&later.actor, &later.operation));
    }
}

#[test]
fn the_year_ends_before_now_wherever_the_facility_is() {
    for minutes in [-1080, -300, 0, 330, 1080] {
        // One millisecond into 15 March at the facility.
        let midnight: Timestamp = "2026-03-15T00:00:00.001Z".parse().unwrap();
        let now = midnight.unix_millis() - i64::from(minutes) * 60_000;
        let now = Timestamp::from_unix_millis(now).unwrap();
        let filled = fill_at(&now.to_string(), minutes);
        let (first, last) = (filled.journal.first().unwrap(), filled.journal.last().unwrap());
        assert!(last.at < now);
        let offset = UtcOffset::from_minutes(minutes).unwrap();
        assert_eq!(first.at.date(offset).unwrap().to_string(), "15/03/2025");
        assert!(filled.journal.is_sorted_by_key(|entry| entry.at));
        let today = filled.care.today().unwrap();
        assert!(all!(filled, Consultation).all(|visit| visit.date < today));
        assert!(all!(filled, Invoice).all(|invoice| invoice.invoice_date < today));
    }
}

#[test]
fn the_summary_counts_what_the_journal_tells() {
    let FilledClinic { summary, journal, .. } = fill_at(NOON, 0);
    let acts = |operation: &str| journal.iter().filter(|e| e.operation == operation).count();
    assert_eq!(summary.patients, acts("addPatient"));
    assert_eq!(summary.medicines, acts("importMedicines"));
    assert_eq!(summary.consultations, acts("addConsultation"));
    assert_eq!(summary.invoices, acts("issueInvoice"));
    assert_eq!(summary.payments, acts("payInvoice"));
    let prescribed: BTreeSet<_> = journal
        .iter()
        .flat_map(Entry::changes)
        .filter_map(|change| match change {
            Change::Put(Record::Prescription(p)) => Some(p.prescription_id),
            _ => None,
        })
        .collect();
    assert_eq!(summary.prescriptions, prescribed.len());
    assert_eq!((summary.patients, summary.medicines), (40, 30));
}

#[test]
fn there_is_something_of_everything() {
    let filled = fill_at(NOON, 0);
    let removed = |kind: &str| {
        let changes = filled.journal.iter().flat_map(Entry::changes);
        let mut keys = changes.filter_map(|change| match change {
            Change::Remove(key) => Some(key),
            Change::Put(_) => None,
        });
        keys.any(|key| key.kind() == kind)
    };
    assert!(removed("Prescription"), "a withdrawn prescription");
    assert!(removed("Invoice"), "a cancelled invoice");
    assert!(removed("Patient"), "a voided patient");

    let voided: Vec<_> = all!(filled, Voided).map(|voided| voided.patient_id).collect();
    assert_eq!(voided.len(), 1);
    let paid_by = |id| all!(filled, Invoice).any(|i| i.patient_id == id && i.state == InvoiceState::Paid);
    assert!(paid_by(voided[0]), "a voided patient's invoices stay");

    for state in [ConsultationState::Open, ConsultationState::Completed] {
        assert!(all!(filled, Consultation).any(|visit| visit.state == state));
    }
    assert!(all!(filled, Consultation).any(|visit| visit.prescription_ids.len() == 2));
    assert!(all!(filled, Consultation).any(|visit| visit.implicit));
    for state in [PrescriptionState::Active, PrescriptionState::Completed] {
        assert!(all!(filled, Prescription).any(|p| p.state == state));
    }
    for regular in [true, false] {
        assert!(all!(filled, Prescription).any(|p| p.is_regular() == regular && p.is_active()));
    }
    let billed_twice = all!(filled, Prescription)
        .any(|p| all!(filled, Invoice).filter(|i| i.prescription_id == p.prescription_id).count() > 1);
    assert!(billed_twice, "a regular prescription is billed again");
    for state in [InvoiceState::Unpaid, InvoiceState::Paid, InvoiceState::Refunded] {
        assert!(all!(filled, Invoice).any(|invoice| invoice.state == state));
    }
    let receipts = || all!(filled, Receipt);
    assert_eq!(receipts().filter(|receipt| receipt.kind == ReceiptKind::Refund).count(), 2);
    assert_eq!(receipts().filter(|receipt| receipt.kind == ReceiptKind::Correction).count(), 1);
    assert!(receipts().any(|one| one.kind == ReceiptKind::Payment && one.method == PaymentMethod::Card));
    let paid_again = all!(filled, Invoice).filter(|one| one.state == InvoiceState::Refunded).any(|wrong| {
        let others = || all!(filled, Invoice).filter(|other| other.prescription_id == wrong.prescription_id);
        others().any(|other| other.invoice_id > wrong.invoice_id && other.state == InvoiceState::Paid)
    });
    assert!(paid_again, "what was refunded as a wrong entry is billed again");
    for available in [true, false] {
        let items = block_on(filled.care.items(ItemFilter::default(), None, Limit::ALL)).unwrap().items;
        assert!(items.iter().any(|item| item.record.item.is_available == available));
    }
    let four_at_once = |diagnosis: &care_core::model::Diagnosis| diagnosis.diseases.len() == 4;
    assert!(all!(filled, Diagnosis).any(four_at_once), "more diseases than one element holds");
}

#[test]
fn the_first_of_each_is_there_to_be_looked_at() {
    let filled = fill_at(NOON, 0);
    let history = block_on(filled.care.history(PatientId::FIRST)).unwrap().record;
    assert!(history.visits > 1 && !history.history.is_empty() && history.medicine.is_some());
    block_on(filled.care.prescription(PrescriptionId::FIRST)).unwrap();
    block_on(filled.care.invoice(InvoiceId::FIRST)).unwrap();
    block_on(filled.care.consultation(ConsultationId::FIRST)).unwrap();
}

#[test]
fn the_restock_report_has_every_recommendation() {
    let filled = fill_at(NOON, 0);
    let today = filled.care.today().unwrap();
    let period = RestockPeriod::new(None, None, today).unwrap();
    let report = block_on(filled.care.restock(period, 1_000)).unwrap();
    for recommendation in [Recommendation::Now, Recommendation::Soon, Recommendation::Watch, Recommendation::None] {
        assert!(report.items.iter().any(|item| item.recommendation == recommendation));
    }
    assert!(report.items.iter().any(|item| item.unmet > 0));
}

#[test]
fn one_patient_has_a_birthday_in_the_year_and_one_an_allergy() {
    let filled = fill_at(NOON, 0);
    let first = filled.journal.first().unwrap().at.date(UtcOffset::default()).unwrap();
    let today = filled.care.today().unwrap();
    let child = all!(filled, Patient).find(|one| one.name.as_ref().unwrap().as_str() == "Clara Placeholder").unwrap();
    assert_eq!([first, today].map(|day| child.clone().on(day).age.unwrap().value()), [7, 8]);
    assert_eq!(all!(filled, Patient).filter(|patient| patient.allergies.is_some()).count(), 1);
}

// The demo has names that are easily confused, so that every check of a client meets them.
#[test]
fn names_that_are_taken_for_each_other_are_there() {
    let filled = fill_at(NOON, 0);
    let mut born = BTreeMap::new();
    for patient in all!(filled, Patient) {
        if let Some(day) = patient.birth_date {
            *born.entry((patient.name.as_ref().unwrap().as_str(), day.year())).or_insert(0) += 1;
        }
    }
    assert_eq!(born.values().filter(|count| **count == 2).count(), 1, "two people of one name and year of birth");
    let items = block_on(filled.care.items(ItemFilter::default(), None, Limit::ALL)).unwrap().items;
    let names: Vec<_> = items.iter().map(|item| item.record.item.medicine.key().as_str().to_owned()).collect();
    let mut strengths = BTreeMap::new();
    for name in &names {
        let (word, strength) = name.split_once(' ').unwrap();
        *strengths.entry(word).or_insert(0) += i32::from(strength.parse::<u32>().is_ok());
    }
    assert_eq!(strengths.values().filter(|count| **count == 2).count(), 3, "three medicines in two strengths");
    let inside = |name: &&String| names.iter().any(|other| other != *name && other.contains(name.as_str()));
    assert_eq!(names.iter().filter(inside).collect::<Vec<_>>(), ["adrenaline 1"]);
}

#[test]
fn the_pharmacy_has_seen_everything_that_happens_to_units() {
    let filled = fill_at(NOON, 0);
    let moved = |wanted: &dyn Fn(&Movement) -> bool| all!(filled, Movement).any(wanted);
    for kind in MovementKind::ALL {
        assert!(moved(&|movement| movement.kind == *kind), "a {}", kind.as_str());
    }
    for reason in [MovementReason::Expired, MovementReason::Damaged, MovementReason::Recalled, MovementReason::Count] {
        assert!(moved(&|movement| movement.reason == Some(reason)), "{reason:?}");
    }
    let today = filled.care.today().unwrap();
    let soon = today.plus_days(45).unwrap();
    let lots = || all!(filled, OpenLot);
    let of = |stock: &care_core::model::Stock| lots().filter(|lot| lot.medicine.is_same(&stock.medicine)).count();
    assert!(lots().any(|lot| lot.expires.is_some_and(|day| today < day && day < soon)), "a lot near its end");
    assert!(all!(filled, Stock).any(|stock| of(stock) > 1), "more than one lot");
    assert!(all!(filled, Stock).any(|stock| of(stock) == 0), "a medicine that ran out");
    assert!(all!(filled, Stock).any(|stock| stock.settings.ordered.value() > 0), "an order on its way");
    assert_eq!(all!(filled, Stock).count() + 1, filled.summary.medicines, "one is kept by hand");
    block_on(audit::verify(filled.care.store())).unwrap();
}

#[test]
fn no_person_in_it_could_be_real() {
    let filled = fill_at(NOON, 0);
    let mut phones = BTreeSet::new();
    for patient in all!(filled, Patient) {
        let email = patient.email.as_ref().unwrap();
        assert!(email.as_str().ends_with("@example.org"));
        // The range is reserved for drama in the United Kingdom.
        let phone = patient.phone.unwrap().value();
        assert!((441_632_960_000..=441_632_960_999).contains(&phone));
        assert!(phones.insert(phone));
    }
}
