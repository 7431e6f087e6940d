//! `restock`: the order list, as text and as CSV.

use std::process::Command;

use care_core::{
    model::{Amount, ItemDetails, LotId, MedicineName, Patch, Policy, StockDetails, UnitName},
    service::{CareService, OpeningLot},
};
use futures_executor::block_on;

use crate::bench::Bench;

/// Makes a database in which one medicine is running low, one has run out, one has a plan and plenty of stock, and one
/// is untracked.
fn bench() -> Bench {
    let bench = Bench::new();
    let care = CareService::new(bench.store("care.db"));
    let level = |units: i64| Patch::Set(Amount::try_from(units).unwrap());
    for (medicine, opening) in [("=HYPERLINK(1)", 3), ("Amoxicillin", 0), ("Zinc", 50)] {
        let name = MedicineName::new(medicine).unwrap();
        block_on(care.add_item(name.clone(), ItemDetails::default())).unwrap();
        let details = StockDetails {
            policy: Patch::Set(Policy::MinMax),
            min: level(10),
            max: level(40),
            pack_units: Patch::Set(12.try_into().unwrap()),
            ..StockDetails::default()
        };
        let opening = Some(opening).filter(|units| *units > 0);
        let opening = opening.map(|units| OpeningLot { lot: LotId::default(), units: units.try_into().unwrap() });
        let unit = UnitName::new("tablets").unwrap();
        block_on(care.start_stock(name.key().clone(), unit, details, opening.into_iter().collect())).unwrap();
    }
    block_on(care.add_item(MedicineName::new("Vaseline").unwrap(), ItemDetails::default())).unwrap();
    bench
}

#[test]
fn the_order_list_has_what_the_plans_advise_most_urgent_first() {
    let said = bench().admin(&["restock", "--database", "care.db"]).done();
    let expected = "\
now   Amoxicillin        48 tablets (4 packs of 12); 0 available, 0 on the way
      no day since the first movement: no demand is known; levels that are set: reorder at 10, up to 40; \
0 available + 0 ordered - 0 waiting = 0; 0 on the shelf and on order, order below 10. \
Up to 40 are missing 40: 4 packs of 12, 48 tablets
soon  =HYPERLINK(1)      48 tablets (4 packs of 12); 3 available, 0 on the way
      no day since the first movement: no demand is known; levels that are set: reorder at 10, up to 40; \
3 available + 0 ordered - 0 waiting = 3; 3 on the shelf and on order, order below 10. \
Up to 40 are missing 37: 4 packs of 12, 48 tablets
";
    assert_eq!(said, expected);
}

#[test]
fn no_name_forges_a_line_of_the_order_list() {
    let bench = Bench::new();
    let care = CareService::new(bench.store("care.db"));
    let level = |units: i64| Patch::Set(Amount::try_from(units).unwrap());
    for medicine in ["Aspirin\nnow   Morphine 10  99999 ampoules", "Codeine \u{202e}0001", "\u{ff1d}HYPERLINK(1)"] {
        let name = MedicineName::new(medicine).unwrap();
        block_on(care.add_item(name.clone(), ItemDetails::default())).unwrap();
        let details = StockDetails {
            policy: Patch::Set(Policy::MinMax),
            min: level(10),
            max: level(40),
            ..StockDetails::default()
        };
        let unit = UnitName::new("tab\tlets;=1+1").unwrap();
        block_on(care.start_stock(name.key().clone(), unit, details, Vec::new())).unwrap();
    }
    drop(care);
    let said = bench.admin(&["restock", "--database", "care.db"]).done();
    assert_eq!(said.lines().count(), 6, "{said}");
    assert!(said.contains(r"now   Aspirin\nnow   Morphine 10"), "{said}");
    assert!(said.contains(r"Codeine \u{202e}0001") && said.contains(r"tab\tlets;=1+1"), "{said}");
    let stats = bench.admin(&["stats", "--database", "care.db"]).done();
    assert!(stats.contains(r"0 tab\tlets;=1+1 of 3 medicines"), "{stats}");
    let csv = bench.admin(&["restock", "--database", "care.db", "--csv"]).done();
    assert!(csv.contains(",'\u{ff1d}HYPERLINK(1),"), "{csv}");
    // A spreadsheet may take the semicolon for the end of a cell, in a sentence too.
    assert!(csv.contains(";'=1+1") && !csv.contains(";=1+1"), "{csv}");
}

#[test]
fn the_order_list_is_a_csv_file_in_which_no_text_is_a_formula() {
    let said = bench().admin(&["restock", "--database", "care.db", "--csv"]).done();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(
        lines[0],
        "recommendation,medicine,order,packs,packUnits,unit,available,ordered,waiting,position,reorderAt,upTo,\
         coverDays,stockOutOn,confidence,because"
    );
    assert!(lines[1].starts_with("now,Amoxicillin,48,4,12,tablets,0,0,0,0,10,40,,,low,"), "{said}");
    assert!(lines[2].starts_with("soon,'=HYPERLINK(1),48,4,12,tablets,3,0,0,3,10,40,,,low,"), "{said}");
    assert_eq!(lines.len(), 3);
}

#[test]
fn an_empty_order_list_says_so() {
    let bench = Bench::new();
    drop(bench.store("care.db"));
    assert_eq!(
        bench.admin(&["restock", "--database", "care.db", "--utc-offset", "-300"]).done().trim(),
        "There is nothing to order."
    );
    assert_eq!(bench.admin(&["restock", "--database", "care.db", "--csv"]).done().lines().count(), 1);
}

#[test]
fn the_offset_of_the_facility_may_be_in_the_environment() {
    let bench = Bench::new();
    drop(bench.store("care.db"));
    let restock = |offset: &str| {
        let mut admin = Command::new(env!("CARGO_BIN_EXE_care-admin"));
        admin.args(["restock", "--database", "care.db"]).current_dir(bench.path("")).env("CARE_UTC_OFFSET", offset);
        admin.output().unwrap()
    };
    assert!(restock("-300").status.success());
    let refused = restock("noon");
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--utc-offset"), "{refused:?}");
}
