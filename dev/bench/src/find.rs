//! Finding patients by a text.

use std::time::Instant;

use care_conformance::Dice;
use care_core::{model::FindText, service::CareService};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;

use crate::{
    Failure, Report, Setting, Table,
    clinic::{self, Clinic},
    figure,
};

const PAGE: usize = 50;

/// Makes the text for the patient with a number.
type Text = fn(u64) -> String;

const TEXTS: [(&str, Text); 9] = [
    ("the whole name", clinic::name),
    ("the beginnings of both names", |number| {
        clinic::name(number).split(' ').map(|word| word.chars().take(3).collect()).collect::<Vec<String>>().join(" ")
    }),
    ("the family name", |number| clinic::name(number).split(' ').next_back().unwrap_or_default().to_owned()),
    ("one letter", |number| char::from(b'a' + (number % 26) as u8).to_string()),
    ("eight letters that many names have", |number| {
        let letter = |place: u64| ["a", "b", "e", "m", "n", "h", "p", "j"][((number + place) % 8) as usize];
        (0..8).map(letter).collect::<Vec<_>>().join(" ")
    }),
    ("a common first name eight times", |_| ["ada"; 8].join(" ")),
    ("the whole telephone number in groups", |number| {
        let digits = clinic::phone(number).to_string();
        format!("+{} {} {}", &digits[..2], &digits[2..6], &digits[6..])
    }),
    ("four digits that every number has", |_| "1632".to_owned()),
    ("the mail address", |number| format!("patient{number}@")),
];

/// Measures each text on the largest clinic.
pub(crate) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let times = if setting.quick { 3 } else { 100 * setting.rounds };
    let patients = setting.sizes.last().copied().ok_or("there is no size")?;
    let clinic = Clinic::kept_in(&setting.directory, patients)?;
    let care = CareService::new(SqliteStore::open(&clinic.path)?);
    let mut table = Table::new(["ms", "median", "p99"]);
    for (what, text) in TEXTS {
        let found = percentiles(times, clinic.patients, |number| {
            block_on(care.find_patients(FindText::new(text(number))?, PAGE))?;
            Ok(())
        })?;
        table.row(std::iter::once(what.to_owned()).chain(found.map(figure)));
    }
    report.add(&format!("Finding one of {patients} patients"), &table);
    Ok(())
}

/// Returns the median and the 99th percentile of the milliseconds that this takes.
fn percentiles(
    times: usize,
    patients: u64,
    mut run: impl FnMut(u64) -> Result<(), Failure>,
) -> Result<[f64; 2], Failure> {
    let mut dice = Dice::new(1);
    let mut spent = Vec::with_capacity(times);
    for _ in 0..times {
        let number = 1 + dice.roll(patients);
        let started = Instant::now();
        run(number)?;
        spent.push(started.elapsed().as_secs_f64() * 1e3);
    }
    spent.sort_by(f64::total_cmp);
    Ok([50, 99].map(|percent| spent.get((spent.len() - 1) * percent / 100).copied().unwrap_or(f64::NAN)))
}
