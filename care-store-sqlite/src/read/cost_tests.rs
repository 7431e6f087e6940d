//! The cost of each key, and of each page of a list, hardly depends on the size of the database.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use care_core::{
    model::{
        Consultation, ConsultationState, Demand, Diagnosis, FindText, InQuery, Invoice, InvoiceState, Item,
        MedicineKey, MedicineName, NamePrefix, Patient, PatientId, Phone, Prescription, PrescriptionId,
        PrescriptionState,
    },
    store::{
        ConsultationFilter, InvoiceFilter, ItemFilter, Key, Limit, Lookup, PatientFilter, PrescriptionFilter, Query,
        RecordKind,
    },
};
use rusqlite::Connection;

use super::{list::list, load::load};
use crate::file::schema;

/// All patients get the same prescriptions, and all but the last few records are completed and paid.
const MANY: &str = "
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
    INSERT INTO patient (version, patient_id, name, folded_name, phone, email)
        SELECT 1, i, 'n', CASE WHEN i > 49990 THEN 'rare' WHEN i > 25000 THEN 'late' ELSE 'common' || i END,
               CASE WHEN i < 49995 THEN 1 END, CASE WHEN i > 49995 THEN 'a@b' END FROM n;
    INSERT INTO patient_term SELECT '-1', patient_id FROM patient WHERE phone = 1
        UNION ALL SELECT '@a@b', patient_id FROM patient WHERE email = 'a@b';
    INSERT INTO consultation SELECT 1, patient_id, max(patient_id - 49000, 1), 0, '[]',
        CASE WHEN patient_id > 49990 THEN 'open' ELSE 'completed' END, 0 FROM patient;
    INSERT INTO diagnosis SELECT 1, patient_id, max(patient_id - 49000, 1), NULL, '[]' FROM patient;
    INSERT INTO prescription (version, prescription_id, consultation_id, patient_id, medicine, medicine_key,
                              prescribed, state, dispensed)
        SELECT 1, patient_id, patient_id, max(patient_id - 49000, 1), 'm', 'm', 0,
               CASE WHEN patient_id > 49990 THEN 'active' ELSE 'completed' END, 0 FROM patient;
    INSERT INTO invoice (version, invoice_id, prescription_id, patient_id, medicine, invoice_date, state)
        SELECT 1, prescription_id, prescription_id, patient_id, 'm', 0,
               CASE WHEN prescription_id > 49990 THEN 'unpaid' ELSE 'paid' END FROM prescription;
    INSERT INTO demand SELECT 1, patient_id / 10, 'm' || patient_id, 'M' || patient_id, 1, 1, 1, 0, 0, 0, 0
        FROM patient;
    INSERT INTO item (version, medicine_key, medicine, is_available)
        SELECT 1, 'm' || patient_id, 'M' || patient_id, 1 FROM patient;
";

struct Store {
    conn: Connection,
    /// The work in hundreds of SQLite's instructions.
    spent: Arc<AtomicU64>,
}

impl Store {
    fn with_many() -> Self {
        let mut conn = Connection::open_in_memory().unwrap();
        schema::migrate(&conn).unwrap();
        conn.execute_batch(MANY).unwrap();
        let spent = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&spent);
        let count = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            false
        };
        conn.progress_handler(100, Some(count)).unwrap();
        Self { conn, spent }
    }

    /// Returns the result of a read, and its cost.
    fn cost<T>(&self, run: impl FnOnce(&Connection) -> T) -> (T, u64) {
        let before = self.spent.load(Ordering::Relaxed);
        let found = run(&self.conn);
        (found, self.spent.load(Ordering::Relaxed) - before)
    }
}

#[test]
fn a_page_costs_what_is_on_it() {
    let store = Store::with_many();
    let medicine = Some(MedicineName::new("m").unwrap().key().clone());
    let patient_id = PatientId::try_from(995).ok();
    let mut queries: Vec<Query> = Vec::new();
    for patient_id in [None, patient_id] {
        for medicine in [None, medicine.clone()] {
            for state in [None, Some(PrescriptionState::Active)] {
                let filter = PrescriptionFilter { patient_id, medicine: medicine.clone(), state };
                queries.push(Prescription::list(&filter, PrescriptionId::try_from(49_980).ok()).into());
            }
        }
        for state in [None, Some(ConsultationState::Open)] {
            queries.push(Consultation::list(&ConsultationFilter { patient_id, state }, None).into());
        }
        for state in [None, Some(InvoiceState::Unpaid)] {
            for newest in [false, true] {
                let filter = InvoiceFilter { patient_id, state, newest, ..InvoiceFilter::default() };
                queries.push(Invoice::list(&filter, None).into());
            }
        }
    }
    let patients = |filter| Query::from(Patient::list(&filter, None));
    let items = |name: &str, after: Option<&str>| {
        let filter = ItemFilter { name: InQuery::read(name.to_owned()).ok() };
        Item::list(&filter, after.map(MedicineKey::from_stored))
    };
    let phone = || PatientFilter { phone: Phone::try_from(1).ok(), ..PatientFilter::default() };
    queries.extend([
        patients(PatientFilter::default()),
        patients(phone()),
        Patient::list(&phone(), PatientId::try_from(49_980).ok()).into(),
        patients(PatientFilter { email: "a@b".to_owned().try_into().ok(), ..PatientFilter::default() }),
        patients(PatientFilter { name_prefix: Some(NamePrefix::new("rar")), ..PatientFilter::default() }),
        patients(PatientFilter { name_prefix: Some(NamePrefix::new("common4999")), ..PatientFilter::default() }),
        items("m", None).into(),
        items("m4999", None).into(),
        items("m", Some("m8")).into(),
        Prescription::single(None).into(),
        Prescription::single(PrescriptionId::try_from(49_993).ok()).into(),
        Demand::list(("01/01/1970".parse().unwrap(), "02/01/1970".parse().unwrap()), None).into(),
    ]);
    for query in &queries {
        let (found, cost) = store.cost(|conn| list(conn, query, Limit::items(5)).unwrap().items);
        assert!((1..=5).contains(&found.len()), "{query:?}: {}", found.len());
        assert!(cost <= 20, "{query:?} costs {cost}");
    }
}

#[test]
fn a_page_of_a_patient_with_many_costs_what_is_on_it() {
    let store = Store::with_many();
    for state in [None, Some(PrescriptionState::Active), Some(PrescriptionState::Completed)] {
        let filter = PrescriptionFilter { patient_id: Some(PatientId::FIRST), state, ..PrescriptionFilter::default() };
        for after in [None, PrescriptionId::try_from(25_000).ok()] {
            let query = Prescription::list(&filter, after);
            let (found, cost) = store.cost(|conn| list(conn, &query, Limit::items(5)).unwrap().items);
            // Those that are active are the last ones of all, and other patients have them.
            let expected = if state == Some(PrescriptionState::Active) { 0 } else { 5 };
            assert_eq!(found.len(), expected, "{query:?}");
            assert!(cost <= 20, "{query:?} costs {cost}");
        }
    }
}

#[test]
fn a_common_beginning_of_a_name_costs_no_look_at_everybody() {
    let store = Store::with_many();
    for (prefix, first) in [("co", 1), ("late", 25_001), ("", 1)] {
        let filter = PatientFilter { name_prefix: Some(NamePrefix::new(prefix)), ..PatientFilter::default() };
        let query = Patient::list(&filter, None);
        let (found, cost) = store.cost(|conn| list(conn, &query, Limit::items(5)).unwrap().items);
        let ids: Vec<_> = found.iter().map(|found| found.record.key().id()).collect();
        let expected: Vec<_> = (first..first + 5).map(|id: i64| id.to_string()).collect();
        assert_eq!(ids, expected);
        // Some instructions for each of the first thousands of names, and for each name with the prefix.
        assert!(cost < 6000, "{prefix} costs {cost}");
    }
}

#[test]
fn no_text_to_find_costs_more_than_a_bounded_number_of_steps() {
    let store = Store::with_many();
    // Numbers begin with each three digits, and every part of a number is that of too many patients.
    store
        .conn
        .execute_batch(
            "DELETE FROM patient_term;
             INSERT INTO patient_term SELECT 'ada', patient_id FROM patient
                 UNION ALL SELECT '+' || (100 + patient_id % 900) || '16329' || patient_id, patient_id FROM patient",
        )
        .unwrap();
    let words = |word: &dyn Fn(u8) -> String| (1..=8).map(word).collect::<Vec<_>>().join(" ");
    for (text, most) in [
        (words(&|digit| digit.to_string().repeat(31)), 20),
        (words(&|digit| digit.to_string().repeat(12)), 700),
        (words(&|_| "1632".to_owned()), 700),
        (words(&|digit| format!("16329{digit}")), 700),
        ("16329 16329".to_owned(), 700),
        ("1632".to_owned(), 700),
        (words(&|digit| ["1632", "ada"][usize::from(digit % 2)].to_owned()), 1_800),
        (words(&|_| "a".to_owned()), 1_800),
    ] {
        let query = Patient::found(FindText::new(text.as_str()).unwrap());
        let (_, cost) = store.cost(|conn| list(conn, &query, Limit::items(50)).unwrap());
        assert!(cost <= most, "{text:?} costs {cost}");
    }
}

#[test]
fn a_key_costs_what_it_finds() {
    let store = Store::with_many();
    let patient = PatientId::try_from(995).unwrap();
    let medicine = MedicineName::new("m").unwrap().key().clone();
    let last = PrescriptionId::try_from(49_995).unwrap();
    let nobody: Key = Invoice::unpaid_of(PatientId::FIRST).into();
    let keys: [Key; 11] = [
        Prescription::active(patient, &medicine).into(),
        Prescription::newest(PatientId::FIRST, &medicine).into(),
        Prescription::active_for(&medicine).into(),
        Prescription::count_active(PatientId::try_from(996).unwrap()).into(),
        RecordKind::Prescription.of_patient(patient).unwrap(),
        RecordKind::Consultation.of_patient(patient).unwrap(),
        Diagnosis::of_patient(patient).into(),
        Invoice::unpaid(last).into(),
        Invoice::unpaid_of(patient).into(),
        nobody.clone(),
        Patient::free_number(50_000).into(),
    ];
    for key in keys {
        let (found, cost) = store.cost(|conn| load(conn, &key, 10_000).unwrap());
        let absent = matches!(found, Lookup::None);
        let expected = key == nobody;
        assert_eq!(absent, expected, "{key:?}");
        assert!(cost <= 3, "{key:?} costs {cost}");
    }
}

#[test]
fn what_there_is_no_room_for_is_not_loaded() {
    let store = Store::with_many();
    let several: [Key; 2] =
        [RecordKind::Prescription, RecordKind::Diagnosis].map(|kind| kind.of_patient(PatientId::FIRST).unwrap());
    for key in several {
        let (found, cost) = store.cost(|conn| load(conn, &key, 100).unwrap());
        assert!(matches!(found, Lookup::TooMany), "{key:?}");
        assert!(cost <= 10, "{key:?} costs {cost}");
        let found = load(&store.conn, &key, 49_001).unwrap();
        assert!(matches!(found, Lookup::Many(records) if records.len() == 49_001), "{key:?}");
    }
}
