//! Every task works while a server is running on the database.

use std::{
    collections::BTreeMap,
    num::NonZero,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

use care_core::{
    error::{Error, StoreErrorKind},
    model::{MedicineName, PatientDetails, PatientId},
    service::{CareService, NewPrescription},
    store::{Journal as _, Limit, Seq},
};
use care_server::admin::Admin;
use care_store_sqlite::SqliteStore;
use care_testkit::{PATIENCE, until};
use clap::{Command, CommandFactory as _};
use futures_executor::block_on;

use crate::bench::{Bench, entries};

/// Runs the whole flow of one patient.
fn work(care: &CareService) {
    let patient = answered(|| care.register_patient(PatientDetails::default()));
    let new = NewPrescription::of(MedicineName::new("Ibuprofen").unwrap());
    let prescribed = answered(|| care.prescribe(patient.patient_id, new.clone()));
    let issued = answered(|| care.issue_invoice(prescribed.prescription.prescription_id));
    answered(|| care.pay_invoice(issued.invoice.invoice_id));
}

/// Calls again while the task writes for longer than the store waits for it, as a client does.
fn answered<T, F: Future<Output = Result<T, Error>>>(call: impl Fn() -> F) -> T {
    for _ in 0..20 {
        match block_on(call()) {
            Err(Error::Store(error)) if error.kind() == StoreErrorKind::Busy => {}
            other => return other.unwrap(),
        }
    }
    panic!("the store is never free");
}

/// Calls `run` while a service in this process works with the database, as a server would.
fn beside<T>(bench: &Bench, run: impl FnOnce(&CareService) -> T) -> T {
    let care = CareService::new(bench.store("care.db"));
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let busy = scope.spawn(|| {
            let mut rounds = 0;
            while !over.load(Ordering::SeqCst) {
                work(&care);
                rounds += 1;
            }
            rounds
        });
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&care)));
        over.store(true, Ordering::SeqCst);
        assert!(busy.join().unwrap() > 0, "the service was kept from its work");
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[test]
fn verify_takes_what_is_written_meanwhile_into_account() {
    let bench = Bench::with_clinic();
    beside(&bench, |_| {
        for _ in 0..3 {
            bench.admin(&["verify", "--database", "care.db"]).done();
        }
    });
}

#[test]
fn an_export_during_writes_is_a_prefix_of_the_journal() {
    let bench = Bench::with_clinic();
    let journal = beside(&bench, |_| bench.admin(&["export", "--database", "care.db"]).done());
    bench.admin_reading(&["import", "--database", "copy.db"], &journal).done();
    bench.admin(&["verify", "--database", "copy.db"]).done();
}

#[test]
fn imported_patients_are_seen_by_the_server() {
    let bench = Bench::with_clinic();
    let rows = (1..=3000).map(|number| format!("{},Patient\n", number + 1_000_000));
    bench.write("patients.csv", "patientId,name\n".to_owned() + &rows.collect::<String>());
    beside(&bench, |care| {
        bench.admin(&["import-patients", "--database", "care.db", "patients.csv"]).done();
        let last = PatientId::try_from(1_003_000).unwrap();
        assert!(until(PATIENCE, || block_on(care.patient(last)).is_ok()), "it is never seen");
    });
    bench.admin(&["verify", "--database", "care.db"]).done();
}

/// The effect of a task on a database that a server has open.
enum Effect {
    Reads,
    /// It writes with these further arguments.
    Writes(Vec<String>),
    /// It needs the database for itself.
    Replaces,
}

/// Returns the effect of a task, with the arguments for the files that [`prepared`] makes.
fn effect(task: &str, id: &str) -> Effect {
    let writes = |arguments: &[&str]| Effect::Writes(arguments.iter().map(|&argument| argument.to_owned()).collect());
    match task {
        "verify" | "head" | "export" | "export-medicines" | "stats" | "restock" | "takings" | "backup"
        | "keys list" | "ready" | "openapi" => Effect::Reads,
        "restore" => Effect::Replaces,
        "import" => writes(&["--in", "later.ndjson"]),
        "import-patients" => writes(&["patients.csv"]),
        "import-medicines" => writes(&["medicines.csv"]),
        "erase-patient" => writes(&["1"]),
        "keys issue" => writes(&["--name", "new", "--scope", "all"]),
        "keys rotate" | "keys revoke" => writes(&[id]),
        other => panic!("does {other} write?"),
    }
}

/// Returns the names of all tasks.
fn tasks(path: &str, command: &Command) -> Vec<String> {
    match command.has_subcommands() {
        true => {
            let below = command.get_subcommands();
            below.flat_map(|command| tasks(format!("{path} {}", command.get_name()).trim_start(), command)).collect()
        }
        false => vec![path.to_owned()],
    }
}

/// The rows of the tables.
const ROWS: u64 = 1200;

/// Returns a clinic with tables to import, a journal that goes on from its own, and the id of a key.
fn prepared() -> (Bench, String) {
    let bench = Bench::with_clinic();
    let key = bench.admin(&["keys", "issue", "--name", "old", "--scope", "all"]).done();
    std::fs::copy(bench.path("care.db"), bench.path("later.db")).unwrap();
    let rows = (1..=ROWS).map(|number| format!("{},Patient\n", number + 1_000_000));
    bench.write("patients.csv", "patientId,name\n".to_owned() + &rows.collect::<String>());
    let rows = (1..=ROWS).map(|number| format!("Medicine {number},tablets,A,30\n"));
    bench.write("medicines.csv", "medicine,unit,lot,units\n".to_owned() + &rows.collect::<String>());
    bench.admin(&["import-patients", "--database", "later.db", "patients.csv"]).done();
    bench.admin(&["export", "--database", "later.db", "--out", "later.ndjson"]).done();
    (bench, key.split('_').nth(1).unwrap().to_owned())
}

#[test]
fn what_one_request_has_shown_of_a_task_every_later_one_shows() {
    for task in tasks("", &Admin::command()) {
        let (bench, id) = match effect(&task, "") {
            Effect::Reads | Effect::Replaces => continue,
            Effect::Writes(_) => prepared(),
        };
        let Effect::Writes(more) = effect(&task, &id) else { continue };
        let store = SqliteStore::options().readers(NonZero::new(4).unwrap()).open(bench.path("care.db")).unwrap();
        let before = block_on(store.last()).unwrap();
        let (shown, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            let readers: Vec<_> = (0..5)
                .map(|reader| {
                    let (store, shown, is_over) = (&store, &shown, &is_over);
                    scope.spawn(move || {
                        while !is_over.load(Ordering::SeqCst) {
                            let floor = shown.load(Ordering::SeqCst);
                            let last = match reader {
                                // A list has a thread of its own.
                                0 => {
                                    let after = Seq::new(floor.max(1) - 1);
                                    let page = block_on(store.journal(after, Limit::items(1000))).unwrap();
                                    page.items.last().map_or(0, |entry| entry.seq.value())
                                }
                                _ => block_on(store.last()).unwrap().value(),
                            };
                            assert!(last >= floor, "{last} was read after {floor}");
                            shown.fetch_max(last, Ordering::SeqCst);
                        }
                    })
                })
                .collect();
            let arguments: Vec<_> = task.split(' ').chain(more.iter().map(String::as_str)).collect();
            let ended = bench.admin(&arguments);
            is_over.store(true, Ordering::SeqCst);
            assert!(ended.is_success, "{arguments:?}: {ended:?}");
            readers.into_iter().for_each(|reader| reader.join().unwrap_or_else(|_| panic!("{arguments:?}")));
        });
        assert!(until(PATIENCE, || block_on(store.last()).unwrap() > before), "{task} has written nothing");
    }
}

#[test]
fn a_task_that_writes_much_does_so_in_pieces() {
    for task in ["import-patients", "import-medicines"] {
        let (bench, _) = prepared();
        let table = format!("{}.csv", task.strip_prefix("import-").unwrap());
        bench.admin(&[task, &table, "--database", "new.db"]).done();
        // The entries of one transaction have one time.
        let mut pieces: BTreeMap<_, u64> = BTreeMap::new();
        let all = entries(&bench.store("new.db"));
        let operation = if task == "import-patients" { "importPatients" } else { "importMedicines" };
        let imported = all.iter().filter(|entry| &*entry.operation == operation);
        imported.for_each(|entry| *pieces.entry(entry.at).or_default() += 1);
        assert_eq!(pieces.values().sum::<u64>(), ROWS);
        assert!(pieces.values().all(|&piece| piece <= 500), "{pieces:?}");
    }
}
