//! The cost of reads with few records and with many.

use std::{fs, time::Duration};

use care_conformance::Dice;
use care_core::{
    model::{Date, InvoiceId, InvoiceState, NamePrefix, PatientId, Phone},
    service::{CareService, RestockPeriod, RestockReport},
    store::{InvoiceFilter, Limit, PatientFilter, PrescriptionFilter, Seq},
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;

use crate::{
    Clinic, Failure, Setting, Table,
    clinic::{self, DAYS, FIRST_DAY, REGULAR},
    figure, median, microseconds,
};

const PAGE: usize = 50;

/// A database under measurement.
struct Subject {
    clinic: Clinic,
    care: CareService,
    dice: Dice,
}

type Read = fn(&mut Subject) -> Result<(), Failure>;

const READS: [(&str, Read); 14] = [
    ("a patient, the same one each time", |on| on.patient(1)),
    ("a patient, any of them", Subject::any_patient),
    ("50 patients, the first", |on| on.patients(PatientFilter::default(), 0, PAGE)),
    ("50 patients, from the middle", |on| on.patients(PatientFilter::default(), on.clinic.patients / 2, PAGE)),
    ("patients by a whole name", |on| on.named(&clinic::name(on.clinic.patients / 2), 1)),
    ("50 patients by a letter of the name", |on| on.named("m", PAGE)),
    ("a patient by telephone", Subject::by_phone),
    ("50 prescriptions of one patient", Subject::prescriptions),
    ("50 unpaid invoices, the first", |on| on.invoices(InvoiceState::Unpaid, 0)),
    ("50 unpaid invoices, from the middle", |on| on.invoices(InvoiceState::Unpaid, on.clinic.patients / 10)),
    ("50 paid invoices, from the middle", |on| on.invoices(InvoiceState::Paid, on.clinic.patients / 10)),
    ("50 journal entries, among the first", |on| on.journal(Seq::new(100))),
    ("50 journal entries, from the middle", Subject::middle_of_the_journal),
    ("the restock report of 90 days", Subject::restock),
];

/// Measures each read on each size, in turn.
pub(crate) fn measure(setting: &Setting) -> Result<(), Failure> {
    let time = Duration::from_millis(if setting.quick { 1 } else { 100 });
    let mut subjects = Vec::new();
    for size in &setting.sizes {
        let clinic = Clinic::kept_in(&setting.directory, *size)?;
        let care = CareService::new(SqliteStore::open(&clinic.path)?);
        subjects.push(Subject { clinic, care, dice: Dice::new(1) });
    }

    let mut head = vec!["µs".to_owned()];
    head.extend(subjects.iter().map(|on| format!("{} patients", on.clinic.patients)));
    head.extend(subjects.iter().skip(1).map(|_| "ratio".to_owned()));
    let mut table = Table::new(head);
    for (what, read) in READS {
        let mut spent = vec![Vec::new(); subjects.len()];
        for _ in 0..setting.rounds {
            for (spent, on) in spent.iter_mut().zip(&mut subjects) {
                spent.push(microseconds(time, || read(on)).map_err(|failure| format!("{what}: {failure}"))?);
            }
        }
        let medians: Vec<f64> = spent.into_iter().map(median).collect();
        table.row(row(what, &medians));
    }
    let sizes = subjects.iter().map(|on| Ok(fs::metadata(&on.clinic.path)?.len() as f64 / f64::from(1 << 20)));
    table.row(row("the file, MiB", &sizes.collect::<Result<Vec<_>, Failure>>()?));
    table.print("Reads, however much is stored");
    Ok(())
}

/// Returns the figures, and the ratio of the later ones to the first.
fn row(what: &str, figures: &[f64]) -> Vec<String> {
    let first = figures.first().copied().unwrap_or(f64::NAN);
    let ratios = figures.iter().skip(1).map(|value| value / first);
    std::iter::once(what.to_owned()).chain(figures.iter().copied().chain(ratios).map(figure)).collect()
}

impl Subject {
    fn patient(&self, number: u64) -> Result<(), Failure> {
        block_on(self.care.patient(PatientId::try_from(number.cast_signed())?))?;
        Ok(())
    }

    fn any_patient(&mut self) -> Result<(), Failure> {
        let number = 1 + self.dice.roll(self.clinic.patients);
        self.patient(number)
    }

    fn patients(&self, filter: PatientFilter, after: u64, least: usize) -> Result<(), Failure> {
        let after = PatientId::try_from(after.cast_signed()).ok();
        at_least(least, block_on(self.care.patients(filter, after, PAGE))?.items.len())
    }

    fn named(&self, prefix: &str, least: usize) -> Result<(), Failure> {
        let filter = PatientFilter { name_prefix: Some(NamePrefix::new(prefix)), ..PatientFilter::default() };
        self.patients(filter, 0, least)
    }

    fn by_phone(&mut self) -> Result<(), Failure> {
        let phone = Phone::try_from(clinic::phone(1 + self.dice.roll(self.clinic.patients)))?;
        self.patients(PatientFilter { phone: Some(phone), ..PatientFilter::default() }, 0, 1)
    }

    fn prescriptions(&mut self) -> Result<(), Failure> {
        let regular = self.clinic.in_the_middle(REGULAR)?;
        let filter = PrescriptionFilter { patient_id: Some(regular), ..PrescriptionFilter::default() };
        at_least(PAGE, block_on(self.care.prescriptions(filter, None, PAGE))?.items.len())
    }

    fn invoices(&self, state: InvoiceState, after: u64) -> Result<(), Failure> {
        let after = InvoiceId::try_from(after.cast_signed()).ok();
        let filter = InvoiceFilter { state: Some(state), ..InvoiceFilter::default() };
        at_least(PAGE, block_on(self.care.invoices(filter, after, PAGE))?.items.len())
    }

    fn journal(&self, after: Seq) -> Result<(), Failure> {
        at_least(PAGE, block_on(self.care.store().journal(after, Limit::items(PAGE)))?.items.len())
    }

    /// Reads entries of registrations, like the first entries: the first patient of a block never comes again.
    fn middle_of_the_journal(&mut self) -> Result<(), Failure> {
        let registered = block_on(self.care.patient(self.clinic.in_the_middle(1)?))?;
        self.journal(registered.version)
    }

    /// Reads the report of the second half of the days. The first half has prescriptions too.
    fn restock(&mut self) -> Result<(), Failure> {
        let [from, to] = [DAYS / 2, DAYS - 1].map(|day| Date::from_unix_days(FIRST_DAY + day.cast_signed()));
        let (from, to) = (from?, to?);
        let period = RestockPeriod::new(Some(from), Some(to), to)?;
        at_least(PAGE, block_on(self.care.restock(period, RestockReport::DEFAULT_ITEMS))?.items.len())
    }
}

/// Fails if a read finds too little, because its cost would be too low.
fn at_least(least: usize, found: usize) -> Result<(), Failure> {
    match found >= least {
        true => Ok(()),
        false => Err(format!("found {found} where there are {least}").into()),
    }
}
