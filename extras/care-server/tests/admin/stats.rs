//! `stats`: counts, and sums that never mix currencies.

use care_core::{
    model::{
        Currency, ItemDetails, LotId, MedicineName, Patch, PatientDetails, PatientId, PrescriptionDetails, Price,
        StockDetails, UnitName, UtcOffset,
    },
    service::{CareService, Facility, NewPrescription, OpeningLot},
    store::MemoryStore,
};
use care_server::admin::Admin;
use clap::{Command, CommandFactory as _};
use futures_executor::block_on;

use crate::bench::Bench;

#[test]
fn records_are_counted_and_invoices_summed_up_by_currency() {
    let bench = Bench::new();
    let care = CareService::new(bench.store("care.db"));
    let bill = |medicine: &str, price: Option<i64>, currency: Option<&str>, pays: bool| {
        let new = NewPrescription {
            details: PrescriptionDetails {
                price: price.map_or(Patch::Keep, |price| Price::try_from(price).unwrap().into()),
                currency: currency.map_or(Patch::Keep, |code| Currency::new(code).unwrap().into()),
                ..PrescriptionDetails::default()
            },
            ..NewPrescription::of(MedicineName::new(medicine).unwrap())
        };
        let prescribed = block_on(care.prescribe(PatientId::FIRST, new)).unwrap();
        let id = prescribed.prescription.prescription_id;
        let issued = block_on(care.issue_invoice(id)).unwrap();
        if pays {
            // Each to a holder of its own, since the takings of one would be too large.
            block_on(care.acting_as(medicine).pay_invoice(issued.invoice.invoice_id)).unwrap();
        }
    };
    block_on(care.register_patient(PatientDetails::default())).unwrap();
    bill("a", Some(Price::MAX), Some("EUR"), true);
    bill("b", Some(Price::MAX), Some("EUR"), true);
    bill("c", Some(5), Some("EUR"), false);
    bill("d", Some(7), Some("INR"), false);
    bill("e", None, None, true);
    for (medicine, unit, lots) in
        [("f", "ml", [(5, "01/01/2020"), (7, "31/12/9999")]), ("g", "ml", [(1, "31/12/9999"); 2])]
    {
        let name = MedicineName::new(medicine).unwrap();
        block_on(care.add_item(name.clone(), ItemDetails::default())).unwrap();
        let lots = lots.into_iter().enumerate().map(|(place, (units, expires))| OpeningLot {
            lot: LotId { lot: Some(place.to_string().try_into().unwrap()), expires: expires.parse().ok() },
            units: units.try_into().unwrap(),
        });
        let unit = UnitName::new(unit).unwrap();
        block_on(care.start_stock(name.key().clone(), unit, StockDetails::default(), lots.collect())).unwrap();
    }
    bill("g", None, None, false);
    drop(care);
    let said = bench.admin(&["stats", "--database", "care.db"]).done();
    let expected = "\
Journal                  20
Patient                   1
Voided                    0
History                   1
Consultation              6
Diagnosis                 0
Prescription              6
Invoice                   6
Item                      2
Demand                    6
RegularDemand             0
Stock                     2
OpenLot                   4
Movement                  4
StockDay                  2
Dispensing                0
Receipt                   3
Takings                   3
Counter                   6
Reply                     0
Key                       0
Paid       ---            0 in 1 invoices
Paid       EUR 18014398509481982 in 2 invoices
Unpaid     ---            0 in 1 invoices
Unpaid     EUR            5 in 1 invoices
Unpaid     INR            7 in 1 invoices
On hand                  14 ml of 2 medicines
Expired                   5 ml
Reserved                  1 ml
";
    assert_eq!(said, expected);
}

#[test]
fn the_openapi_document_is_the_committed_one() {
    let committed = include_str!("../../../../docs/openapi.json");
    assert_eq!(Bench::new().admin(&["openapi"]).done().trim_end(), committed.trim_end());
}

#[test]
fn every_task_takes_the_database_in_the_same_way() {
    let bench = Bench::with_clinic();
    std::fs::rename(bench.path("care.db"), bench.path("other.db")).unwrap();
    let counted = bench.admin(&["stats", "--database", "other.db"]).done();
    for said in [&["--database", "other.db", "stats"][..], &["--database=other.db", "stats"]] {
        assert_eq!(bench.admin(said).done(), counted, "{said:?}");
    }
    let keys = bench.admin(&["keys", "list", "--database", "other.db"]).done();
    assert_eq!(bench.admin(&["--database", "other.db", "keys", "list"]).done(), keys);
    assert_eq!(bench.admin(&["keys", "--database", "other.db", "list"]).done(), keys);
    // Nothing else is mistaken for the option.
    assert!(bench.admin(&["stats", "other.db"]).refused().contains("unexpected argument"));
    assert_eq!(bench.admin(&["stats"]).refused(), "care-admin: the database care.db does not exist\n");
}

#[test]
fn a_result_that_nobody_is_shown_fails_the_task() {
    let bench = Bench::with_clinic();
    for task in ["verify", "stats", "openapi", "export", "restock", "restock --csv", "keys list"] {
        let (code, said) = bench.admin_without_room(&task.split(' ').collect::<Vec<_>>());
        assert_eq!(code, Some(1), "{task}: {said}");
        assert!(said.starts_with("care-admin: standard output cannot be written: "), "{task}: {said}");
    }
    // A key that was issued and not shown is named, so that it can be revoked.
    let (code, said) = bench.admin_without_room(&["keys", "issue", "--name", "desk", "--scope", "all"]);
    assert_eq!(code, Some(1), "{said}");
    let id = said.strip_prefix("care-admin: a key was issued that nobody has seen: revoke ").unwrap();
    bench.admin(&["keys", "revoke", id.split(':').next().unwrap()]).done();
}

#[test]
fn no_key_is_issued_to_nobody() {
    let bench = Bench::with_clinic();
    let issued = bench.admin(&["keys", "issue", "--name", "desk", "--scope", "all"]).done();
    let before = bench.admin(&["keys", "list"]).done();
    let rotated = ["keys", "rotate", issued.split('_').nth(1).unwrap()];
    for task in [&["keys", "issue", "--name", "other", "--scope", "all"][..], &rotated] {
        let said = bench.admin_to_nobody(task);
        assert!(said.starts_with("care-admin: standard output leads nowhere"), "{said}");
    }
    assert_eq!(bench.admin(&["keys", "list"]).done(), before);
}

#[test]
fn an_argument_that_is_not_understood_is_shown_without_what_changes_the_terminal() {
    let said = Bench::new().admin(&["keys", "issue", "--scope", "a\u{202e}b\u{9b}c\u{1b}[2Jd"]).refused();
    assert!(said.contains("no scope has this name"), "{said}");
    assert!(!said.contains(['\u{202e}', '\u{9b}', '\u{1b}']), "{said:?}");
}

#[test]
fn units_expire_at_the_end_of_the_facilitys_day() {
    let bench = Bench::new();
    // Of two facilities that are 36 hours apart, each has another day.
    let places = ["-1080", "1080"];
    let days = places.map(|minutes| {
        let utc_offset = UtcOffset::from_minutes(minutes.parse().unwrap()).unwrap();
        let care = CareService::new(MemoryStore::new()).with_facility(Facility { utc_offset, ..Facility::default() });
        care.today().unwrap()
    });
    bench.write("medicines.csv", format!("medicine,unit,lot,expires,units\nSaline,ml,A,{},5\n", days[0]));
    bench.admin(&["import-medicines", "medicines.csv"]).done();
    let expired = places.map(|minutes| {
        let said = bench.admin(&["stats", "--utc-offset", minutes]).done();
        said.lines().find(|line| line.starts_with("Expired")).unwrap().split_whitespace().nth(1).unwrap().to_owned()
    });
    assert_eq!(expired, ["0", "5"]);
}

#[test]
fn every_task_knows_the_facilitys_day() {
    fn check(path: &str, command: &Command) {
        let takes = |name: &str| command.get_arguments().any(|argument| argument.get_long() == Some(name));
        assert!(takes("utc-offset"), "{path}");
        command.get_subcommands().for_each(|command| check(&format!("{path} {}", command.get_name()), command));
    }
    let mut program = Admin::command().disable_help_subcommand(true);
    program.build();
    check("care-admin", &program);
}
