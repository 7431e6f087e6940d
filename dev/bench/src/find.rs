//! Finding patients by a text.

use std::time::Instant;

use care_conformance::Dice;
use care_core::{model::FindText, service::CareService};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;

use crate::{Clinic, Failure, Setting, Table, clinic, figure, permille};

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
pub(crate) fn measure(setting: &Setting) -> Result<(), Failure> {
    let times = if setting.quick { 3 } else { 100 * setting.rounds };
    let clinic = Clinic::largest(setting)?;
    let care = CareService::new(SqliteStore::open(&clinic.path)?);
    let mut table = Table::new(["ms", "median", "p99"]);
    for (what, text) in TEXTS {
        let mut dice = Dice::new(1);
        let mut spent = Vec::with_capacity(times);
        for _ in 0..times {
            let text = text(1 + dice.roll(clinic.patients));
            let started = Instant::now();
            block_on(care.find_patients(FindText::new(text)?, PAGE))?;
            spent.push(started.elapsed().as_secs_f64() * 1e3);
        }
        table.row([what, &figure(permille(&mut spent, 500)), &figure(permille(&mut spent, 990))]);
    }
    table.print(&format!("Finding one of {} patients", clinic.patients));
    Ok(())
}
