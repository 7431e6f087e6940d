//! Erasing a person.

use std::{
    collections::HashSet,
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    thread,
    time::SystemTime,
};

use care_core::{
    error::Error,
    model::{
        Disease, Fill, Invoice, MedicineName, Name, Patch, PatientConsultation, PatientDetails, PatientId,
        PrescriptionDetails, Raw, Scalar, ShortText, Timestamp,
    },
    operation::Operation,
    service::{CareService, ExpectedVersion, Idempotency, NewConsultation, NewPrescription},
    store::{Change, Record, RecordKey, Salt},
};
use futures_executor::block_on;
use rusqlite::{Connection, types::Value};

use crate::bench::{Bench, chain_of, entries};

const PERSON: &str = "4711";
const PHONE: i64 = 710_710_710_710_710;

/// Returns values that must be gone afterwards. All of them were stored about the one person.
fn canaries() -> Vec<Vec<u8>> {
    let texts = [
        "Canary-Maiden-Name",
        "Canary-Name",
        "Canary-Disease",
        "Canary-Dosage",
        "canary-request-2",
        // Terms. Those of the earlier name went with it.
        "canaryname",
        "@canary@",
    ];
    // The number, in decimal and in SQLite's form, and as terms: without its first digits, and from its end.
    let digits = PHONE.to_string();
    let backwards: String = digits.chars().rev().collect();
    let terms = [digits.as_bytes()[3..].to_vec(), backwards.into_bytes()];
    let phone = [digits.into_bytes(), PHONE.to_be_bytes()[2..].to_vec()].into_iter().chain(terms);
    let details = serde_json::to_value(PatientDetails::filled(&mut Canaries)).unwrap();
    let fields = details.as_object().unwrap().values().filter_map(|value| value.as_str());
    let texts = texts.into_iter().chain(fields.filter(|text| text.starts_with("canary")));
    texts.map(|text| text.as_bytes().to_vec()).chain(phone).collect()
}

/// Returns the canaries that files of the directory contain, each with the file's name.
fn found(bench: &Bench) -> Vec<String> {
    let mut found = Vec::new();
    for file in fs::read_dir(bench.path("")).unwrap() {
        let file = file.unwrap();
        let content = fs::read(file.path()).unwrap();
        for canary in canaries() {
            if content.windows(canary.len()).any(|window| window == canary) {
                found.push(format!("{} in {:?}", String::from_utf8_lossy(&canary), file.file_name()));
            }
        }
    }
    found
}

fn once(key: &str, fingerprint: &str) -> Idempotency {
    Idempotency::new(key).unwrap().with_fingerprint(fingerprint)
}

/// Gives each field that holds a text or a long number a canary.
struct Canaries;

/// A raw value that may be a canary.
trait Canary: Raw {
    fn of(field: &str) -> Vec<Self>;
}

impl Canary for String {
    fn of(field: &str) -> Vec<Self> {
        vec![format!("canary-{field}"), format!("canary@{field}.example.org"), "07/10/1971".to_owned()]
    }
}

impl Canary for i64 {
    fn of(_: &str) -> Vec<Self> {
        vec![PHONE]
    }
}

impl Canary for f64 {
    fn of(_: &str) -> Vec<Self> {
        Vec::new()
    }
}

impl Canary for bool {
    fn of(_: &str) -> Vec<Self> {
        Vec::new()
    }
}

impl<T: Scalar<Raw: Canary>> Fill<Patch<T>> for Canaries {
    fn value(&mut self, field: &'static str) -> Patch<T> {
        let value = Canary::of(field).into_iter().find_map(|raw| T::of(raw).ok());
        value.map(Patch::Set).unwrap_or_default()
    }
}

fn details(name: &str) -> PatientDetails {
    PatientDetails { name: Name::new(name).unwrap().into(), ..PatientDetails::filled(&mut Canaries) }
}

fn new(medicine: &str) -> NewPrescription {
    let dosage = ShortText::new("Canary-Dosage").unwrap().into();
    let details = PrescriptionDetails { dosage, ..PrescriptionDetails::default() };
    NewPrescription { details, ..NewPrescription::of(MedicineName::new(medicine).unwrap()) }
}

/// Creates and changes every kind of record about a person, under idempotency keys, some of which are reused a day
/// later.
async fn live(care: &CareService, clock: &AtomicI64) -> Result<(), Error> {
    let person = PatientId::try_from(PERSON.parse::<i64>().unwrap()).unwrap();
    let do_once = |key| care.once(once(key, "a print"));
    let of_another = |key| care.once(once(key, "print"));
    do_once("canary-request-1").register_patient_as(person, details("Canary-Maiden-Name")).await?;
    care.update_patient(person, details("Canary-Name"), ExpectedVersion::Any).await?;
    let visit = NewConsultation::of(person)
        .diagnosing([Disease::new("Canary-Disease").unwrap()])
        .prescribing([new("Ibuprofen 400"), new("Aspirin")]);
    let visit = do_once("canary-request-2").record_consultation(visit).await?;
    let [first, second] = visit.prescription_ids[..] else { panic!("{visit:?}") };
    let paid = do_once("canary-request-3").issue_invoice(first).await?;
    care.pay_invoice(paid.invoice.invoice_id).await?;
    let cancelled = care.issue_invoice(second).await?;
    care.cancel_invoice(cancelled.invoice.invoice_id, ExpectedVersion::Any).await?;
    care.issue_invoice(second).await?;
    let third = care.prescribe(person, new("Codeine")).await?;
    care.withdraw_prescription(third.prescription.prescription_id, ExpectedVersion::Any).await?;
    for key in reads(person, &visit, &paid.invoice) {
        care.note_read(Operation::GetPatient, key).await?;
    }
    clock.fetch_add(90_000_000, Ordering::SeqCst);
    // One key is reused for another person, the first replies expire, and one reply is about the person without a
    // change.
    let other = of_another("canary-request-1").register_patient(PatientDetails::default()).await?;
    of_another("another")
        .prescribe(other.patient_id, NewPrescription::of(MedicineName::new("Ibuprofen 400").unwrap()))
        .await?;
    do_once("canary-request-4").issue_invoice(second).await?;
    Ok(())
}

/// Returns the records of the person that were read.
fn reads(person: PatientId, visit: &PatientConsultation, paid: &Invoice) -> Vec<RecordKey> {
    let prescription = visit.prescription_ids[0];
    let visit = RecordKey::Consultation(visit.consultation_id);
    let (prescription, invoice) = (RecordKey::Prescription(prescription), RecordKey::Invoice(paid.invoice_id));
    vec![RecordKey::Patient(person), RecordKey::History(person), visit, prescription, invoice]
}

/// Returns a directory with the clinic in which the person was a patient.
fn clinic() -> Bench {
    let bench = Bench::with_clinic();
    let now: Timestamp = SystemTime::now().into();
    let clock = Arc::new(AtomicI64::new(now.unix_millis() - 90_000_000));
    let time = Arc::clone(&clock);
    let care = CareService::new(bench.store("care.db"))
        .with_clock(move || Timestamp::from_unix_millis(time.load(Ordering::SeqCst)).unwrap());
    block_on(live(&care, &clock)).unwrap();
    drop(care);
    assert!(found(&bench).len() >= canaries().len(), "{:?}", found(&bench));
    bench
}

fn erase(bench: &Bench) -> String {
    bench.admin(&["erase-patient", PERSON]).done()
}

#[test]
fn nothing_of_a_person_is_left_in_any_file() {
    let bench = clinic();
    let said = erase(&bench);
    assert!(said.starts_with("patient 4711 was erased in journal entry "), "{said}");
    assert!(said.ends_with("\nnothing about the person is left in the file or in its log\n"), "{said}");
    bench.admin(&["export", "--database", "care.db", "--out", "journal.ndjson"]).done();
    bench.admin(&["backup", "backup.db"]).done();
    assert_eq!(found(&bench), [] as [String; 0]);
    // The data of other patients is unchanged.
    assert!(bench.read("journal.ndjson").contains("canary-request-1"));
}

/// Returns the salts of the journal's values.
fn salts(bench: &Bench) -> HashSet<Salt> {
    let entries = entries(&bench.store("care.db"));
    entries.iter().flat_map(|entry| &entry.revisions).filter_map(|revision| revision.salt).collect()
}

/// Returns the number of these salts that a file of the directory contains, as text or as bytes.
fn found_salts(bench: &Bench, salts: &HashSet<Salt>) -> usize {
    let forms = salts.iter().flat_map(|salt| [salt.to_string().into_bytes(), salt.as_bytes().to_vec()]);
    let forms: HashSet<Vec<u8>> = forms.collect();
    // Most windows are told apart by two bytes; hashing each would take seconds.
    let two = |bytes: &[u8]| [bytes[0], bytes[1]];
    let begins: HashSet<[u8; 2]> = forms.iter().map(|form| two(form)).collect();
    let begins: Vec<bool> = (0..=u16::MAX).map(|pair| begins.contains(&pair.to_be_bytes())).collect();
    let mut found = HashSet::new();
    for file in fs::read_dir(bench.path("")).unwrap() {
        let content = fs::read(file.unwrap().path()).unwrap();
        let windows = content.windows(32).chain(content.windows(16));
        let windows = windows.filter(|window| begins[usize::from(u16::from_be_bytes(two(window)))]);
        found.extend(windows.filter(|window| forms.contains(*window)).map(<[u8]>::to_vec));
    }
    found.len()
}

#[test]
fn the_salts_of_what_is_erased_are_in_no_file() {
    let bench = clinic();
    let before = salts(&bench);
    // One that lies across the end of a page is in the file, but not in one piece.
    let found = found_salts(&bench, &before);
    assert!((before.len() - 10..=before.len()).contains(&found), "{found} of {}", before.len());
    erase(&bench);
    let after = salts(&bench);
    let gone: HashSet<_> = before.difference(&after).copied().collect();
    assert!(gone.len() > 10, "{}", gone.len());
    bench.admin(&["export", "--database", "care.db", "--out", "journal.ndjson"]).done();
    bench.admin(&["backup", "backup.db"]).done();
    assert_eq!((found_salts(&bench, &gone), found_salts(&bench, &after)), (0, after.len()));
}

#[test]
fn an_erased_database_verifies_and_so_does_its_export() {
    let bench = clinic();
    let sums = |bench: &Bench| {
        let stats = bench.admin(&["stats", "--database", "care.db"]).done();
        stats.lines().filter(|line| line.starts_with("Paid")).map(str::to_owned).collect::<Vec<_>>()
    };
    let paid = sums(&bench);
    let said = erase(&bench);
    assert_eq!(sums(&bench), paid);
    bench.admin(&["verify", "--database", "care.db"]).done();
    let journal = bench.admin(&["export", "--database", "care.db"]).done();
    bench.admin_reading(&["import", "--database", "copy.db"], &journal).done();
    bench.admin(&["verify", "--database", "copy.db"]).done();
    assert_eq!(bench.admin(&["export", "--database", "copy.db"]).done(), journal);

    let store = bench.store("care.db");
    let mut entries = entries(&store);
    // The note of a read stays, and contains only numbers.
    assert_eq!(entries.iter().map(|entry| entry.reads.len()).sum::<usize>(), 5);
    let last = entries.pop().unwrap();
    assert_eq!((&*last.operation, &*last.actor), ("erasePatient", "care-admin"));
    let paid = last.changes().find_map(|change| match change {
        Change::Put(Record::Invoice(invoice)) => Some(invoice.clone()),
        _ => None,
    });
    let paid = paid.unwrap();
    let care = CareService::new(store);
    let invoice = block_on(care.invoice(paid.invoice_id)).unwrap();
    // A client that has read the invoice with the name must not mistake the new one for the same version.
    assert_eq!((invoice.version, invoice.record.name, invoice.record.dosage), (last.seq, None, None));
    assert_eq!(invoice.record.medicine.as_str(), "Ibuprofen 400");
    assert!(block_on(care.register_patient_as(paid.patient_id, PatientDetails::default())).is_err());
    drop(care);

    // A second erasure changes nothing.
    let again = bench.admin(&["erase-patient", PERSON]).done();
    assert!(again.contains("; 0 entries were rewritten\n"), "{again}");
    assert_eq!(again.split(';').next(), said.split(';').next(), "the entry is the one that there was");
    bench.admin(&["verify", "--database", "care.db"]).done();
}

#[test]
fn a_change_by_hand_to_an_erased_database_is_detected() {
    for change in [
        "UPDATE invoice SET name = 'x' WHERE patient_id = 4711",
        "UPDATE voided SET patient_id = 4712 WHERE patient_id = 4711",
        "UPDATE reply SET answer = '1' WHERE key IS NULL",
        "UPDATE journal SET changes = replace(changes, '\"patientId\":4711', '\"patientId\":4711,\"age\":7')",
        "DELETE FROM invoice WHERE patient_id = 4711",
    ] {
        let bench = clinic();
        erase(&bench);
        let conn = Connection::open(bench.path("care.db")).unwrap();
        assert!(conn.execute(change, []).unwrap() > 0, "{change}");
        conn.close().unwrap();
        bench.admin(&["verify", "--database", "care.db"]).refused();
    }
}

/// Returns the rows of the journal with the texts of their changes.
fn rows(conn: &Connection) -> Vec<(i64, Value)> {
    let mut rows = conn.prepare("SELECT seq, changes FROM journal ORDER BY seq").unwrap();
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn a_row_that_a_program_puts_back_is_named_and_erased_again() {
    let bench = clinic();
    let conn = Connection::open(bench.path("care.db")).unwrap();
    let before = rows(&conn);
    erase(&bench);
    let head = bench.admin(&["head", "--database", "care.db"]).done();
    let after = rows(&conn);
    let erased: Vec<_> = before.iter().zip(&after).filter(|(before, after)| before != after).collect();
    assert!(erased.len() > 5, "{}", erased.len());
    // Each is named: the flow of care-core puts back one value after the other.
    for ((seq, there), _) in [erased[0], erased[erased.len() / 2], erased[erased.len() - 1]] {
        conn.execute("UPDATE journal SET changes = ? WHERE seq = ?", (there, seq)).unwrap();
        for more in [[].as_slice(), &["--from-head", head.trim_end()]] {
            let said = bench.admin(&[&["verify", "--database", "care.db"], more].concat()).refused();
            let found = format!("a value was changed: Journal {seq}: the value of change ");
            assert!(said.contains(&found) && said.contains(" is listed as erased, and stands again"), "{said}");
        }
        // The row cannot be moved to another database either.
        let store = bench.store("care.db");
        let journal: String = entries(&store).iter().map(|it| serde_json::to_string(it).unwrap() + "\n").collect();
        drop(store);
        let said = bench.admin_reading(&["import", "--database", "copy.db"], &journal).refused();
        let line = format!("care-admin: line {seq} cannot be imported: a value was changed: Journal {seq}: ");
        assert!(said.starts_with(&line) && said.contains(" is listed as erased, and stands again"), "{said}");
        assert!(!bench.path("copy.db").exists());
        let found = format!("entry {seq}: the value of change ");
        let fault = chain_of(&journal).map(Result::unwrap_err);
        assert!(fault.is_none_or(|it| it.contains(&found) && it.contains(" is listed as erased, and stands again")));

        let said = erase(&bench);
        assert!(said.contains("; 1 entries were rewritten\n"), "{said}");
        bench.admin(&["verify", "--database", "care.db", "--from-head", head.trim_end()]).done();
    }
    conn.close().unwrap();
    assert_eq!(found(&bench), [] as [String; 0]);
}

#[test]
fn an_export_that_runs_while_a_person_is_erased_ends_with_an_error() {
    let bench = Bench::with_clinic();
    // More than one page of entries, of which the first is more than a pipe and a buffer hold.
    let address = "x".repeat(200);
    let rows: String = (1000..2200).map(|id| format!("{id},{address}\n")).collect();
    bench.write("patients.csv", format!("patientId,address\n{rows}"));
    bench.admin(&["import-patients", "patients.csv", "--database", "care.db"]).done();
    let export = ["export", "--database", "care.db"];
    let ended = bench.admin_meanwhile(&export, || {
        bench.admin(&["erase-patient", "1", "--database", "care.db"]).done();
    });
    let said = "a person was erased while the journal was read, so this export is unfinished; run the task again";
    assert_eq!((ended.is_success, ended.err), (false, format!("care-admin: {said}\n")));
    // It holds the person, and not the entry that says that the person is gone.
    assert!(!ended.out.contains("erasePatient") && ended.out.lines().count() < 1200, "{}", ended.out.lines().count());
    let whole = bench.admin(&export).done();
    bench.admin_reading(&["import", "--database", "copy.db"], &whole).done();
}

#[test]
fn a_running_server_goes_on() {
    let bench = clinic();
    let care = CareService::new(bench.store("care.db"));
    let over = AtomicBool::new(false);
    let registered = thread::scope(|scope| {
        let busy = scope.spawn(|| {
            let mut registered = Vec::new();
            while !over.load(Ordering::SeqCst) {
                match block_on(care.register_patient(PatientDetails::default())) {
                    Ok(patient) => registered.push(patient.patient_id),
                    // Reads fail only while the file is rewritten.
                    Err(Error::Store(error)) => assert_eq!(error.kind(), care_core::error::StoreErrorKind::Busy),
                    Err(error) => panic!("{error}"),
                }
            }
            registered
        });
        let erased = bench.admin(&["erase-patient", PERSON]);
        over.store(true, Ordering::SeqCst);
        let registered = busy.join().unwrap();
        erased.done();
        registered
    });
    assert!(registered.iter().all(|id| block_on(care.patient(*id)).is_ok()));
    assert_eq!(found(&bench), [] as [String; 0]);
    let person = PatientId::try_from(PERSON.parse::<i64>().unwrap()).unwrap();
    assert!(block_on(care.patient(person)).is_err());
    drop(care);
    bench.admin(&["verify", "--database", "care.db"]).done();
}

#[test]
fn a_voided_patient_can_be_erased_and_an_unknown_one_cannot() {
    let bench = clinic();
    let care = CareService::new(bench.store("care.db"));
    let person = PatientId::try_from(PERSON.parse::<i64>().unwrap()).unwrap();
    let invoices = care_core::store::InvoiceFilter {
        patient_id: Some(person),
        state: Some(care_core::model::InvoiceState::Unpaid),
        ..care_core::store::InvoiceFilter::default()
    };
    let unpaid = block_on(care.invoices(invoices, None, 10)).unwrap();
    for invoice in unpaid.items {
        block_on(care.cancel_invoice(invoice.record.invoice_id, ExpectedVersion::Any)).unwrap();
    }
    block_on(care.void_patient(person, ExpectedVersion::Any)).unwrap();
    drop(care);
    assert_ne!(found(&bench), [] as [String; 0]);
    erase(&bench);
    assert_eq!(found(&bench), [] as [String; 0]);
    bench.admin(&["verify", "--database", "care.db"]).done();
    let said = bench.admin(&["erase-patient", "4712"]).refused();
    assert_eq!(said, "care-admin: no patient has or had this number\n");
    bench.admin(&["erase-patient", "0"]).refused();
}
