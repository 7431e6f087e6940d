//! `import-medicines` and `export-medicines`: the inventory with its stock as a table, and the faults of tables.

use care_core::{
    error::Error,
    model::{MedicineName, PatientDetails},
    operation::JournalOperation,
    service::{CareService, NewPrescription},
    store::Seq,
    wire::Event,
};
use futures_executor::block_on;

use crate::bench::{Bench, ProgramEnd, entries};

const ROWS: &str = "\
medicine;isAvailable;dosage;isRegular;price;currency;unit;packUnits;supplyUnits;keepDays;policy;min;max;lot;expires;units
Ibuprofen 400;;tablet;;4;EUR;tablets;20;10;7;minMax;50;200;A1;31/12/2099;100
Vaseline;false;tube;false;3;EUR;;;;;;;;;;
IBUPROFEN  400;;;;;;tablets;;;;;;;B2;;30

Saline;true;;;;;ml;;;;;;;;;
;;;;;;;;;;;;;;;
";

fn import(bench: &Bench, csv: impl AsRef<[u8]>) -> ProgramEnd {
    bench.write("medicines.csv", csv);
    bench.admin(&["import-medicines", "--database", "care.db", "medicines.csv"])
}

fn export(bench: &Bench) -> String {
    bench.admin(&["export-medicines", "--database", "care.db"]).done()
}

/// Returns the number of journal entries.
fn journaled(bench: &Bench) -> usize {
    entries(&bench.store("care.db")).len()
}

#[test]
fn a_row_of_an_untracked_medicine_that_repeats_the_one_before_is_no_fault() {
    let bench = Bench::new();
    let rows = "Vaseline,tube,3,,,\nvaseline,tube,3,,,\nVASELINE,,,,,\n";
    let said = import(&bench, format!("medicine,dosage,price,unit,lot,units\n{rows}")).done();
    assert_eq!(said, "1 medicines imported, 0 of them tracked: 0 lots\n");
    for (row, fault) in [
        ("Gauze,tube,4,,,", "line 3: dosage: must be that of the medicine's first row, or empty\n"),
        ("Gauze,,,,A1,", "line 3: lot: needs a unit in the first row of the medicine\n"),
    ] {
        let said = import(&bench, format!("medicine,dosage,price,unit,lot,units\nGauze,roll,3,,,\n{row}\n")).refused();
        assert!(said.starts_with(fault), "{said}");
    }
}

#[test]
fn a_medicine_with_its_stock_and_lots_is_one_entry() {
    let bench = Bench::new();
    let said = import(&bench, ROWS).done();
    let expected = "3 medicines imported, 2 of them tracked: 2 lots with 0 ml, 130 tablets; 2 blank lines left out\n";
    assert_eq!(said, expected);
    let entries = entries(&bench.store("care.db"));
    assert_eq!(entries.len(), 3);
    assert!(entries.iter().all(|entry| (&*entry.actor, &*entry.operation) == ("care-admin", "importMedicines")));
    let event = Event::of(&entries[0]).unwrap();
    let records: Vec<_> = event.records.iter().map(|record| &*record.record).collect();
    assert_eq!((&*event.r#type, &records[..]), ("medicine.added", &["Inventory", "Stock", "Movement", "Movement"][..]));
    assert_eq!(JournalOperation::named("importMedicines"), Some(JournalOperation::ImportMedicines));
    bench.admin(&["verify", "--database", "care.db"]).done();
    let care = CareService::new(bench.store("care.db"));
    let key = |name: &str| MedicineName::new(name).unwrap().key().clone();
    let stock = block_on(care.stock(key("ibuprofen 400"))).unwrap().record;
    assert_eq!((stock.shelf.on_hand().value(), stock.stock.settings.pack_units.value()), (130, 20));
    assert!(!block_on(care.item(key("vaseline"))).unwrap().item.is_available);
    assert!(matches!(block_on(care.stock(key("vaseline"))), Err(Error::NotFound(_))));
}

#[test]
fn a_table_that_was_imported_is_imported_again_before_the_first_sale_alone() {
    let bench = Bench::new();
    import(&bench, ROWS).done();
    let again = import(&bench, ROWS).done();
    let nothing = "0 medicines imported, 0 of them tracked: 0 lots; 3 were there already; 2 blank lines left out\n";
    assert_eq!((again.as_str(), journaled(&bench)), (nothing, 3));
    let other = ROWS.replace("B2;;30", "B2;;31").replace("false;tube", "false;jar");
    let said = import(&bench, other).refused();
    for line in ["line 2: medicine: is in the inventory already", "line 3: medicine: is in the inventory already"] {
        assert!(said.contains(line), "{said}");
    }
    assert!(said.contains("gets no lots from a table; enter them as deliveries"), "{said}");
    assert!(said.contains("2 of 4 rows are invalid; their medicines were not imported"), "{said}");
    let care = CareService::new(bench.store("care.db"));
    block_on(async {
        let patient = care.register_patient(PatientDetails::default()).await?.patient_id;
        let medicine = MedicineName::new("Ibuprofen 400").unwrap();
        let made = care.prescribe(patient, NewPrescription::of(medicine)).await?.prescription.prescription_id;
        care.issue_invoice(made).await
    })
    .unwrap();
    let said = import(&bench, ROWS).refused();
    assert!(said.contains("line 2: medicine: is in the inventory already"), "{said}");
}

#[test]
fn faults_name_line_and_column_and_their_medicines_are_left_out() {
    let header = "medicine,price,currency,unit,packUnits,policy,lot,expires,units\n";
    for (rows, faults) in [
        (",4,EUR,,,,,,", &["2: medicine: is required"][..]),
        ("Zinc,-1,eur,,,,,,", &["2: price: must be 0 to 9007199254740991", "2: currency: "]),
        (
            "Zinc,,,,20,,A,31/12/2099,5",
            &["2: packUnits: needs a unit", "2: lot: needs", "2: expires: needs", "2: units: "],
        ),
        ("Zinc,,,,,,,,\nZinc,,,,,,A,,5", &["3: lot: needs a unit in the first row of the medicine"]),
        ("Zinc,,,,,,,,\nZinc,,,ml,,,A,,5", &["3: unit: must be that of the medicine's first row, or empty"]),
        ("Zinc,4,EUR,ml,,,A,,5\nAloe,,,,,,,,\nzinc,5,EUR,,,,B,,5", &["4: price: must be that of the medicine's"]),
        ("Zinc,,,ml,,,A,,5\nZinc,,,,,,A,,6", &["3: lot: names a lot that was named before"]),
        ("Zinc,,,ml,,,A,,5\nZinc,,,,,,,,", &["3: units: is required for a lot"]),
        ("Zinc,,,ml,,,A,,", &["2: units: is required for a lot"]),
        ("Zinc,,,ml,,minMax,,,", &["2: policy: must not be minMax without min and max"]),
        ("Zinc,,,ml,,,,30/02/2026,5", &["2: expires: must be a real calendar day"]),
        ("Zinc,,,ml,0,,,,5,", &["2: row: has a comma too many"]),
        ("Zinc,,,ml,,,A,,600000000\nZinc,,,,,,B,,600000000", &["2: units: must be at most 1000000000 of a medicine"]),
    ] {
        let bench = Bench::new();
        let end = import(&bench, format!("{header}{rows}\nGood,1,EUR,,,,,,\n"));
        let said = end.err.clone();
        assert!(!end.is_success, "{rows}");
        for fault in faults {
            assert!(said.contains(&format!("line {fault}")), "{rows}: {said}");
        }
        assert_eq!(said.matches("\nline ").count() + 1, faults.len(), "{rows}: {said}");
        let left = export(&bench);
        assert!(left.contains("\nGood,") && !left.contains("Zinc"), "{rows}: {left}");
    }
}

#[test]
fn the_month_of_a_package_is_its_last_day() {
    let bench = Bench::new();
    let rows = "Zinc,tablets,A,02/2096,1\nZinc,,B,6/97,2\nZinc,,C,13/2097,3\nAloe,ml,,00/97,3\n";
    let said = import(&bench, format!("medicine,unit,lot,expires,units\n{rows}")).refused();
    let day = "expires: must be a real calendar day as DD/MM/YYYY, year 1900 to 9999";
    assert!(said.starts_with(&format!("line 4: {day}\nline 5: {day}\n")), "{said}");
    let sound: String = rows.split_inclusive('\n').take(2).collect();
    import(&bench, format!("medicine,unit,lot,expires,units\n{sound}")).done();
    let table = export(&bench);
    assert!(table.contains(",A,29/02/2096,1\r\n") && table.contains(",B,30/06/2097,2\r\n"), "{table}");
}

#[test]
fn the_first_lot_too_many_is_named() {
    let bench = Bench::new();
    let rows = |count: usize| (0..count).map(|lot| format!("Zinc,tablets,A{lot},1\n")).collect::<String>();
    let said = import(&bench, "medicine,unit,lot,units\n".to_owned() + &rows(65)).refused();
    assert!(said.contains("line 66: lot: must be at most 64"), "{said}");
    import(&bench, "medicine,unit,lot,units\n".to_owned() + &rows(64)).done();
}

#[test]
fn what_a_terminal_would_obey_is_shown_in_a_summary() {
    let bench = Bench::new();
    let said = import(&bench, "medicine,unit,units\nZinc,\"tab\u{202e}gnp\",3\nSalt,\"x\ny\",1\n").done();
    assert!(!said.contains('\u{202e}') && said.lines().count() == 1, "{said:?}");
}

#[test]
fn all_or_nothing_is_one_transaction() {
    let bench = Bench::new();
    bench.write("medicines.csv", "medicine,price\nGood,1\nBad,-1\n");
    let said = bench.admin(&["import-medicines", "--database", "care.db", "medicines.csv", "--all-or-nothing"]);
    assert!(said.out.is_empty() && said.err.contains("1 of 2 rows are invalid; nothing was imported"), "{said:?}");
    assert_eq!(journaled(&bench), 0);
    bench.write("medicines.csv", ROWS);
    bench.admin(&["import-medicines", "--database", "care.db", "medicines.csv", "--all-or-nothing"]).done();
    assert_eq!(journaled(&bench), 3);
}

#[test]
fn what_is_exported_is_imported_as_it_was() {
    let bench = Bench::new();
    let odd = "medicine,dosage,unit,held,lot,units\n=HYPERLINK(1),\"a;=b\n'c\",',true,-A,5\n''Zinc,@,,,,\n\
               Plain,1-0-1,+,,;-,7\n";
    // In a table that a spreadsheet wrote, an apostrophe guards what stands behind it.
    import(&bench, ROWS).done();
    import(&bench, odd).done();
    let table = export(&bench);
    assert!(table.contains("\r\n'=HYPERLINK(1),,\"a;'=b\n") && !table.contains("\r\n="), "{table}");
    let other = Bench::new();
    other.write("medicines.csv", &table);
    other.admin(&["import-medicines", "--database", "care.db", "medicines.csv"]).done();
    assert_eq!(export(&other), table);
    bench.admin(&["export-medicines", "--database", "care.db", "--out", "out.csv"]).done();
    assert_eq!(bench.read("out.csv"), table);
    // Of a tracked medicine `held` is written, and not what follows from it.
    let lines: Vec<_> = table.lines().filter(|line| line.starts_with("Ibuprofen")).collect();
    assert!(lines[0].starts_with("Ibuprofen 400,,tablet,,4,EUR,tablets,20,10,7,false,0,minMax,50,200,"), "{lines:?}");
    assert!(lines[0].ends_with(",A1,31/12/2099,100") && lines[1].ends_with(",B2,,30"), "{lines:?}");
    let shared = Bench::new();
    import(&shared, &table).done();
    assert_eq!(import(&shared, &table).done().split(';').nth(1), Some(" 6 were there already\n"));
    assert_eq!(entries(&shared.store("care.db")).last().unwrap().seq, Seq::new(6));
}

#[test]
fn more_medicines_than_are_written_at_once_keep_their_lots() {
    let bench = Bench::new();
    let mut table = "medicine,unit,lot,expires,units\n".to_owned();
    for round in 0..3 {
        for medicine in 0..450 {
            let unit = if round == 0 { "tablets" } else { "" };
            table += &format!("Medicine {medicine},{unit},L{round},31/12/2099,{}\n", round + 1);
        }
    }
    let said = import(&bench, table).done();
    assert_eq!(said, "450 medicines imported, 450 of them tracked: 1350 lots with 2700 tablets\n");
}
