//! `import-patients`: valid and faulty CSV files, and the messages about them.

use care_core::{
    model::{Patient, PatientId},
    store::{Limit, List, Record, Records},
};
use futures_executor::block_on;

use crate::bench::{Bench, ProgramEnd, entries};

fn import(bench: &Bench, csv: impl AsRef<[u8]>) -> ProgramEnd {
    bench.write("patients.csv", csv);
    bench.admin(&["import-patients", "--database", "care.db", "patients.csv"])
}

fn import_all_or_nothing(bench: &Bench, csv: &str) -> ProgramEnd {
    bench.write("patients.csv", csv);
    bench.admin(&["import-patients", "--database", "care.db", "patients.csv", "--all-or-nothing"])
}

fn patients(bench: &Bench) -> Vec<Patient> {
    let query = List::<Patient>::all(None);
    let found = block_on(bench.store("care.db").list(&query, Limit::ALL)).unwrap().items;
    found
        .into_iter()
        .filter_map(|found| match found.record {
            Record::Patient(patient) => Some(patient),
            _ => None,
        })
        .collect()
}

fn numbers(bench: &Bench) -> Vec<i64> {
    patients(bench).iter().map(|patient| patient.patient_id.value()).collect()
}

fn as_json(patient: &Patient) -> String {
    serde_json::to_string(patient).unwrap()
}

#[test]
fn every_field_is_taken_in_any_order() {
    let bench = Bench::new();
    let csv = "lastvisit,location,email,weight,gender,address,age,patientId,insurance,phone,name\n\
               31/01/2026,Sampleton,ada@example.org,61.5,female,\"1 Sample Street,\nFlat \"\"2\"\"\",36,7,true,\
               441632960001,Ada Example\n";
    assert_eq!(import(&bench, csv).done(), "1 patients imported\n");
    assert_eq!(
        as_json(&patients(&bench)[0]),
        r#"{"name":"Ada Example","phone":441632960001,"insurance":true,"patientId":7,"age":36,"address":"1 Sample Street,\nFlat \"2\"","gender":"female","weight":61.5,"email":"ada@example.org","location":"Sampleton","lastvisit":"31/01/2026"}"#
    );
    let entry = entries(&bench.store("care.db")).pop().unwrap();
    assert_eq!((&*entry.actor, &*entry.operation), ("care-admin", "importPatients"));
    bench.admin(&["verify", "--database", "care.db"]).done();
}

#[test]
fn days_of_birth_and_allergies_are_columns() {
    let bench = Bench::new();
    let csv =
        "name,birthDate,age,allergies\nCai,29/02/1988,,\"penicillin, nuts\"\nBo,29/02/1988,7,\nEve,01/01/2999,,\n";
    let said = import(&bench, csv).refused();
    assert!(
        said.contains("line 3: age: follows from birthDate\nline 4: birthDate: must not be after today\n"),
        "{said}"
    );
    let [cai] = &patients(&bench)[..] else { panic!("one patient") };
    let expected = r#"{"name":"Cai","patientId":1,"birthDate":"29/02/1988","allergies":"penicillin, nuts"}"#;
    assert_eq!(as_json(cai), expected);
    bench.admin(&["verify", "--database", "care.db"]).done();
}

#[test]
fn numbers_in_the_table_go_to_their_rows_in_whatever_order_they_are() {
    let rows = ["2,Bo,", ",Ann,", "1,Di,", ",Cy,", "3,Eve,x"];
    // Each row once in each place.
    for turn in 0..rows.len() {
        let mut rows = rows;
        rows.rotate_left(turn);
        let bench = Bench::new();
        let said = import(&bench, format!("patientId,name,age\n{}\n", rows.join("\n"))).refused();
        let line = 2 + rows.iter().position(|row| row.contains("Eve")).unwrap();
        let fault = format!("line {line}: age: must be a whole number\n");
        assert_eq!(said, format!("{fault}care-admin: 1 of 5 rows are invalid; the others were imported\n"));
        let found: Vec<_> = patients(&bench).iter().map(as_json).collect();
        let named = |name: &str| found.iter().find(|patient| patient.contains(name)).unwrap();
        assert!(named("Di").contains(r#""patientId":1"#) && named("Bo").contains(r#""patientId":2"#), "{found:?}");
        // The number of a row that is refused is left to it.
        assert_eq!(numbers(&bench), [1, 2, 4, 5], "{found:?}");
    }
}

#[test]
fn a_table_that_is_read_twice_is_no_pipe() {
    let bench = Bench::new();
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe"), rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    let said = bench.admin(&["import-patients", "pipe"]).refused();
    assert_eq!(said, "care-admin: pipe is a pipe or a device, and the table is read twice; save it as a file\n");
    assert!(!bench.path("care.db").exists());
}

#[test]
fn blank_cells_are_absent_and_so_are_allergies_without_a_letter() {
    let bench = Bench::new();
    let fields = Patient::FIELDS.join(",");
    for (number, blank) in (1..).zip([" ", "\u{a0}", "\u{200b}"]) {
        let cell = |field: &&str| if *field == "patientId" { number.to_string() } else { blank.to_owned() };
        let row: Vec<_> = Patient::FIELDS.iter().map(cell).collect();
        import(&bench, format!("{fields}\n{}\n", row.join(","))).done();
        assert_eq!(as_json(patients(&bench).last().unwrap()), format!(r#"{{"patientId":{number}}}"#));
    }
    import(&bench, "patientId,allergies\n7,-\n8,\u{2014} .\n9,\u{43d}\u{435}\u{442}\n").done();
    let found = patients(&bench);
    assert_eq!(found[3..].iter().filter(|patient| patient.allergies.is_some()).count(), 1);
    assert_eq!(
        import(&bench, "name,age\n\u{a0},\u{200b}\nAda,\n").done(),
        "1 patients imported; 1 blank line left out\n"
    );
}

#[test]
fn a_phone_number_is_taken_as_people_write_it() {
    let bench = Bench::new();
    let said = import(&bench, "patientId,phone\n1,+256 772 960-001\n2,00256772960001\n3,256772960001.0\n").refused();
    assert!(said.starts_with("line 4: phone: must be a whole number\n"), "{said}");
    let phones: Vec<_> = patients(&bench).iter().filter_map(|patient| Some(patient.phone?.value())).collect();
    assert_eq!(phones, [256_772_960_001; 2]);
}

#[test]
fn a_person_who_stands_in_the_table_twice_is_said_by_lines_and_taken() {
    let bench = Bench::new();
    let csv = "name,phone,birthDate\nAda Example,441632960001,\nBob,,29/02/1988\nADA  example,+44 1632 960001,\n\
               Bob,441632960002,29/02/1988\nBob,,\nAda Example,441632960003,\n,441632960001,\nBob,441632960002,\n";
    let said = import(&bench, csv).done();
    let twice = "the same name with the same phone or birthDate in lines 2 and 4, 3 and 5, 5 and 9";
    assert_eq!(said, format!("8 patients imported; {twice}\n"));
    let rows = "Cyd,1,\n".repeat(22);
    let said = import(&bench, format!("name,phone,age\n{rows}Dee,,x\n")).refused();
    assert!(said.contains("\nthe same name with the same phone or birthDate in lines 2 and 3, 2 and 4, "), "{said}");
    assert!(said.contains("2 and 22, and 1 more\ncare-admin: 1 of 23 rows are invalid"), "{said}");
}

/// Returns the names of the files that an import left where there was no database.
fn left(bench: &Bench) -> Vec<String> {
    let found = std::fs::read_dir(bench.path("")).unwrap();
    let names = found.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("care.db")).collect()
}

#[test]
fn an_import_of_nothing_leaves_no_database_where_there_was_none() {
    let bench = Bench::new();
    import(&bench, "name,age\nAda,x\n").refused();
    assert_eq!(left(&bench), [""; 0]);
    import_all_or_nothing(&bench, "patientId,age\n1,1\n1,2\n").refused();
    assert_eq!(left(&bench), [""; 0]);
    bench.write("medicines.csv", "medicine,price\nGood,1\nBad,-1\n");
    bench.admin(&["import-medicines", "--database", "care.db", "medicines.csv", "--all-or-nothing"]).refused();
    assert_eq!(left(&bench), [""; 0]);
    // A database that was there stays, and so does one that rows were taken into.
    drop(bench.store("care.db"));
    import(&bench, "name,age\nAda,x\n").refused();
    assert!(bench.path("care.db").exists());
    let other = Bench::new();
    import(&other, "name,age\nAda,x\nBob,1\n").refused();
    assert_eq!(numbers(&other), [1]);
}

#[test]
fn an_empty_cell_is_an_absent_field() {
    let bench = Bench::new();
    import(&bench, "patientId,name,age,insurance\n7,,,\n").done();
    assert_eq!(as_json(&patients(&bench)[0]), r#"{"patientId":7}"#);
}

#[test]
fn patients_without_a_number_are_given_one() {
    let bench = Bench::new();
    import(&bench, "patientId,name\n2,B\n,A\n3,C\n,D\n").done();
    assert_eq!(numbers(&bench), [1, 2, 3, 4]);
    import(&bench, "name\nE\nF\n").done();
    assert_eq!(numbers(&bench), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn spreadsheets_are_understood() {
    let bench = Bench::new();
    import(&bench, "\u{feff}patientId,insurance,age\r\n 7 , true , 36 \r\n8,0,\r\n").done();
    let all: Vec<_> = patients(&bench).iter().map(as_json).collect();
    assert_eq!(all, [r#"{"insurance":true,"patientId":7,"age":36}"#, r#"{"insurance":false,"patientId":8}"#]);
}

#[test]
fn every_bad_row_is_named_with_its_line_and_fields_and_the_good_ones_stay() {
    let bench = Bench::new();
    let csv = "patientId,name,age,email,weight,phone,insurance,lastvisit\n\
               1,Ada,36,,,,,\n\
               2,Bob,151,nobody,0,-5x,yes,31/02/2026\n\
               \n\
               3,\"Cyd\nof two lines\",,,,,,\n\
               4,Dee\n\
               x,Eve,,,,,,\n\
               1,Fay,,,,,,\n\
               0,Gus,1.5,,1e400,0,,\n\
               5,Hal,,,,,,";
    let said = import(&bench, csv).refused();
    assert_eq!(
        said,
        "line 3: age: must be 0 to 150\n\
         line 3: email: must be one @ with something on both sides and no white space\n\
         line 3: weight: must be more than 0 and at most 1000\n\
         line 3: phone: must be a whole number\n\
         line 3: insurance: must be true or false\n\
         line 3: lastvisit: must be a real calendar day as DD/MM/YYYY, year 1900 to 9999\n\
         line 7: row: must have as many cells as there are columns\n\
         line 8: patientId: must be a whole number\n\
         line 9: patientId: a patient has or had this number\n\
         line 10: patientId: must be 1 to 9223372036854775807\n\
         line 10: age: must be a whole number\n\
         line 10: weight: must be a number\n\
         line 10: phone: must be 1 to 999999999999999\n\
         care-admin: 5 of 8 rows are invalid; the others were imported\n"
    );
    assert_eq!(numbers(&bench), [1, 3, 5]);
    bench.admin(&["verify", "--database", "care.db"]).done();
}

#[test]
fn a_row_that_is_not_utf_8_is_named() {
    let bench = Bench::new();
    let said = import(&bench, b"patientId,name\n1,Ad\xe8le\n2,\xc3\x89ve\n").refused();
    assert!(said.starts_with("line 2: name: must be UTF-8\n"), "{said}");
    assert_eq!(numbers(&bench), [2]);
}

#[test]
fn all_or_nothing_imports_everything_or_nothing() {
    let bench = Bench::new();
    let said = import_all_or_nothing(&bench, "patientId,age\n1,1\n2,x\n3,3\n3,4\n").refused();
    assert_eq!(
        said,
        "line 3: age: must be a whole number\n\
         line 5: patientId: a patient has or had this number\n\
         care-admin: 2 of 4 rows are invalid; nothing was imported\n"
    );
    assert!(numbers(&bench).is_empty());
    let said = import_all_or_nothing(&bench, "patientId,age\n1,1\n3,3\n").done();
    assert_eq!(said, "2 patients imported\n");
    assert_eq!(numbers(&bench), [1, 3]);
}

#[test]
fn a_header_names_fields_and_is_not_repeated() {
    let bench = Bench::new();
    for (header, what) in [
        ("patientId,Ada Example\n", "has an unknown column 2; the fields are name, phone, "),
        ("name,age,name\n1,2,3\n", "has more than one column name"),
        ("", "does not name the columns"),
        ("\n\n", "does not name the columns"),
        ("name,\n", "has no name for column 2; perhaps it ends with a separator too many"),
    ] {
        let said = import(&bench, header).refused();
        assert!(said.starts_with(&format!("care-admin: line 1 {what}")), "{header:?}: {said}");
        assert!(!said.contains("Ada"));
    }
    assert!(!bench.path("care.db").exists());
}

#[test]
fn a_quote_that_is_never_closed_draws_in_no_other_row() {
    let bench = Bench::new();
    let csv = "patientId,address\n1,\"1 High St\n2,2 Low St\n3,\"x\"\n";
    let fault = "line 2: row: must have nothing between a closing quote and the end of its cell\n";
    let said = import_all_or_nothing(&bench, csv).refused();
    assert_eq!(said, format!("{fault}care-admin: 1 of 3 rows are invalid; nothing was imported\n"));
    let said = import(&bench, csv).refused();
    assert_eq!(said, format!("{fault}care-admin: 1 of 3 rows are invalid; the others were imported\n"));
    assert_eq!(numbers(&bench), [2, 3]);
    let said = import(&bench, "patientId,name\n4,\"Ada\" Lovelace\n5,\"Bob\n6,Cyd\n").refused();
    assert!(said.starts_with("line 2: row: ") && said.contains("line 3: row: must close every quote"), "{said}");
    assert_eq!(numbers(&bench), [2, 3, 6]);
}

#[test]
fn rows_of_empty_cells_register_nobody_and_are_counted() {
    let bench = Bench::new();
    let said = import(&bench, "Name;Phone\r\nAda;441632960001\r\n;\r\n\"\";\"\"\r\nBob;\r\n;\r\n").done();
    assert_eq!(said, "2 patients imported; 3 blank lines left out\n");
    assert_eq!(numbers(&bench), [1, 2]);
}

#[test]
fn a_file_that_is_no_table_is_said_as_what_it_looks_like() {
    let bench = Bench::new();
    let wide: Vec<u8> = "\u{feff}name\r\nAda\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, looks) in [(wide, "text in UTF-16"), (b"PK\x03\x04\x14\0".to_vec(), "a spreadsheet or a zip archive")] {
        let said = import(&bench, bytes).refused();
        let advice = "not like a table; unpack it, or save the table as CSV in UTF-8";
        assert_eq!(said, format!("care-admin: patients.csv looks like {looks}, {advice}\n"));
    }
    assert!(!bench.path("care.db").exists());
}

#[test]
fn thousands_of_rows_are_imported() {
    let bench = Bench::new();
    let rows = (1..=12_000).map(|number| format!("{number},Patient {number}\n"));
    let csv = "patientId,name\n".to_owned() + &rows.collect::<String>();
    assert_eq!(import(&bench, csv).done(), "12000 patients imported\n");
    let store = bench.store("care.db");
    assert_eq!(entries(&store).len(), 12_000);
    let mut found = false;
    block_on(store.read(&mut |seen| {
        found = seen.get::<Patient>(PatientId::try_from(12_000).unwrap())?.is_some();
        Ok(())
    }))
    .unwrap();
    assert!(found);
}
