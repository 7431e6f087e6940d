//! Registering patients from a CSV file.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time::SystemTime,
};

use care_core::{
    error::{Error, StoreError},
    model::{Fill as _, KeyName, Patient, PatientDetails, PatientId, folded_name},
    operation::JournalOperation,
    service::{CareService, PatientNumbers},
    store::{Act, Decision, Seen, Transaction},
};
use indicatif::ProgressBar;

use super::{
    AdminError,
    database::Database,
    table::{Row, Table, Values},
    terminal::{self, say},
    turns::{BYTES, Import, Options, RECORDS, care, run},
};

pub(super) async fn import(database: &Database, options: &Options) -> Result<(), AdminError> {
    let mut table = Table::open_to_reread(&options.file, Patient::FIELDS)?;
    let reserved = Arc::new(numbers(&mut table));
    let table = table.again(Patient::FIELDS)?;
    let bar = terminal::bytes(table.length());
    database
        .filled(async |store| {
            let care = care(database, store)?;
            let people = People::default();
            let import = Patients { table, reserved, care, people, read: 0, refused: 0, end: None, bar };
            run(&**store, import, options.all_or_nothing).await?.close(options.all_or_nothing)
        })
        .await
}

/// Returns the numbers in a table. A fault ends the walk, and is found again when the rows are read.
fn numbers(table: &mut Table) -> PatientNumbers {
    let mut numbers = Vec::new();
    while let Ok(Some(Row { cells, .. })) = table.next() {
        let id: Option<PatientId> = cells.ok().and_then(|cells| Values::of(&cells).value("patientId"));
        numbers.extend(id);
    }
    numbers.into_iter().collect()
}

/// Returns the patient in a row's cells, or all faults of the row.
fn patient(cells: &[(&'static str, &[u8])]) -> Result<(Option<PatientId>, PatientDetails), Error> {
    let mut values = Values::of(cells);
    let (id, details) = (values.value("patientId"), PatientDetails::filled(&mut values));
    values.verdict().map(|()| (id, details))
}

/// The persons of the rows that were registered, to find those who stand in the table twice.
#[derive(Default)]
struct People {
    /// The line of each person: digests of the name with the phone number, and with the day of birth.
    lines: HashMap<u64, u64, RandomState>,
    digests: RandomState,
    /// The lines of the first persons who were registered twice, each behind that of the first time.
    twice: Vec<[u64; 2]>,
    /// The number of those behind them, whose lines are not named.
    more: u64,
}

impl People {
    /// The number of persons whose lines are named.
    const NAMED: usize = 20;

    /// Returns the digests of a person.
    fn digests(&self, details: &PatientDetails) -> Vec<u64> {
        let Some(name) = details.name.clone().value() else { return Vec::new() };
        let name = folded_name(name.as_str());
        let phone = details.phone.value().map(|phone| self.digests.hash_one((&name, phone)));
        let born = details.birth_date.value().map(|born| self.digests.hash_one((&name, born)));
        phone.into_iter().chain(born).collect()
    }

    fn enter(&mut self, line: u64, digests: Vec<u64>) {
        let first = digests.iter().find_map(|digest| self.lines.get(digest).copied());
        match first {
            Some(first) if self.twice.len() < Self::NAMED => self.twice.push([first, line]),
            Some(_) => self.more += 1,
            None => {}
        }
        for digest in digests {
            self.lines.entry(digest).or_insert(line);
        }
    }

    /// Returns a sentence with the lines of those who stand in the table twice, if there are any.
    fn said(&self) -> Option<String> {
        let named: Vec<_> = self.twice.iter().map(|[one, two]| format!("{one} and {two}")).collect();
        let more = match self.more {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let said = || format!("the same name with the same phone or birthDate in lines {}{more}", named.join(", "));
        (!named.is_empty()).then(said)
    }
}

/// A running import.
struct Patients {
    table: Table,
    /// The numbers in the table, which no other row gets.
    reserved: Arc<PatientNumbers>,
    care: CareService,
    people: People,
    read: u64,
    refused: u64,
    /// The end of the rows, or the error that stopped the reading; `None` while there are more.
    end: Option<Result<(), AdminError>>,
    bar: ProgressBar,
}

impl Import for Patients {
    fn is_over(&self) -> bool {
        self.end.is_some()
    }

    fn is_good(&self) -> bool {
        matches!(self.end, Some(Ok(()))) && self.refused == 0
    }

    fn piece(mut self, transaction: &mut dyn Transaction) -> Result<Self, StoreError> {
        let at = SystemTime::now().into();
        let act = Act::new(KeyName::ADMIN, JournalOperation::ImportPatients, at);
        let (rows, mut decisions): (Vec<_>, Vec<_>) = self.window().into_iter().unzip();
        let decided = transaction.decide_each(&act, &mut decisions)?;
        for ((line, person), made) in rows.into_iter().zip(decided) {
            match made {
                Ok(_) => self.people.enter(line, person),
                Err(refusal) => self.refuse(line, refusal),
            }
        }
        Ok(self)
    }
}

impl Patients {
    /// Returns the registrations in the next rows with their line numbers and the digests of their persons. An invalid
    /// row becomes a registration that is refused, so that refusals are reported in the order of the file.
    fn window(&mut self) -> Vec<((u64, Vec<u64>), Decision)> {
        let mut window: Vec<((u64, Vec<u64>), Decision)> = Vec::new();
        let begin = self.table.position();
        while window.len() < RECORDS && self.table.position() - begin < BYTES {
            match self.table.next() {
                Ok(Some(Row { line, cells })) => {
                    let cells = cells.map_err(|fault| Error::field("row", fault));
                    window.push(match cells.and_then(|cells| patient(&cells)) {
                        Ok((id, details)) => {
                            let person = self.people.digests(&details);
                            ((line, person), self.care.registration(id, details, &self.reserved))
                        }
                        Err(refusal) => ((line, Vec::new()), Box::new(move |_: &Seen| Err(refusal.clone().into()))),
                    });
                }
                Ok(None) => {
                    self.end = Some(Ok(()));
                    break;
                }
                Err(error) => {
                    self.end = Some(Err(error));
                    break;
                }
            }
            self.read += 1;
        }
        self.bar.set_position(self.table.position());
        window
    }

    fn refuse(&mut self, line: u64, refusal: Error) {
        self.refused += 1;
        self.bar.suspend(|| match refusal {
            Error::Invalid(faults) => faults.iter().for_each(|fault| eprintln!("line {line}: {fault}")),
            // The number is the only part of a registration that can be refused here.
            error => eprintln!("line {line}: patientId: {error}"),
        });
    }

    fn close(self, all_or_nothing: bool) -> Result<(), AdminError> {
        let Self { table, people, read: rows, refused, end, bar, .. } = self;
        bar.finish_and_clear();
        end.unwrap_or(Ok(()))?;
        let kept = if all_or_nothing { "nothing was imported" } else { "the others were imported" };
        let twice = people.said();
        if refused > 0 {
            twice.iter().for_each(|twice| eprintln!("{twice}"));
            return Err(AdminError::Rows { refused, rows, kept });
        }
        let twice = twice.map(|twice| format!("; {twice}")).unwrap_or_default();
        say(format_args!("{rows} patients imported{}{twice}", table.left_out()))
    }
}
