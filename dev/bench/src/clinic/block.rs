//! A block: a thousand patients and half a year of their care, decided by the service itself.

use std::collections::HashMap;

use care_core::{
    model::{
        Currency, Disease, Invalid, ItemDetails, MedicineName, Patch, PatientId, PrescriptionDetails, Price, ShortText,
    },
    operation::{JournalOperation, Operation},
    service::{CareService, NewConsultation, NewPrescription},
    store::{Act, Change, Entry, Limit, Record, RecordKey, Seq},
};
use futures_executor::block_on;

use super::{Year, people};
use crate::Failure;

/// The patients of one block.
pub(crate) const PATIENTS: u64 = 1000;
/// The number of medicines, which does not grow with the blocks.
const MEDICINES: u64 = 80;
/// The number of days with data: the period of a restock report and the period before.
pub(crate) const DAYS: u64 = 180;
/// The number, within its block, of the patient who gets every medicine, and 60 prescriptions.
pub(crate) const REGULAR: u64 = 501;

/// The stock, and the changes of one block of patients.
pub(crate) struct Block {
    /// The decisions before the first block.
    pub(crate) stock: Vec<Step>,
    /// The decisions of each block.
    pub(crate) steps: Vec<Step>,
    /// The counts and series at the end of a block, which are what each block adds.
    pub(crate) totals: HashMap<RecordKey, Record>,
}

/// One decision.
pub(crate) struct Step {
    pub(crate) act: Act,
    pub(crate) changes: Vec<Change>,
}

impl Block {
    /// Returns the first block, decided by the service.
    pub(crate) fn first() -> Result<Self, Failure> {
        let year = Year::new();
        let care = year.care.acting_as("clinic");
        block_on(async {
            stock(&care).await?;
            let before = care.store().journal(Seq::ZERO, Limit::ALL).await?.items;
            for number in 1..=PATIENTS {
                care.register_patient_as(patient(number)?, people::details(number)?).await?;
            }
            for day in 0..DAYS {
                year.go_to(day.cast_signed());
                visits(&care, day).await?;
            }
            let last = before.last().map_or(Seq::ZERO, |entry| entry.seq);
            let entries = care.store().journal(last, Limit::ALL).await?.items;
            Ok(Self {
                stock: before.into_iter().map(step).collect(),
                totals: totals(&entries),
                steps: entries.into_iter().map(step).collect(),
            })
        })
    }
}

fn step(entry: Entry) -> Step {
    let operation = JournalOperation::named(&entry.operation).unwrap_or(Operation::AddPatient.into());
    let changes = entry.revisions.into_iter().map(|revision| revision.change).collect();
    Step { act: Act::new(entry.actor, operation, entry.at), changes }
}

/// Returns the last state of every record that counts something.
fn totals(entries: &[Entry]) -> HashMap<RecordKey, Record> {
    let puts = entries.iter().flat_map(Entry::changes).filter_map(|change| match change {
        Change::Put(
            record @ (Record::Demand(_) | Record::RegularDemand(_) | Record::Takings(_) | Record::Counter(_)),
        ) => Some((record.key(), record.clone())),
        _ => None,
    });
    puts.collect()
}

async fn stock(care: &CareService) -> Result<(), Failure> {
    for number in 0..MEDICINES {
        let details = ItemDetails {
            is_available: (!number.is_multiple_of(7)).into(),
            dosage: ShortText::new("1-0-1")?.into(),
            price: Price::try_from(number.cast_signed() + 1)?.into(),
            currency: Currency::try_from("EUR".to_owned())?.into(),
            ..ItemDetails::default()
        };
        care.add_item(medicine(number)?, details).await?;
    }
    Ok(())
}

/// Makes every fourth patient come once. The one who gets every medicine comes on the first days.
async fn visits(care: &CareService, day: u64) -> Result<(), Failure> {
    for number in (4..=PATIENTS).step_by(4).filter(|number| number / 4 % DAYS == day) {
        let prescriptions = vec![prescribed(number, number.is_multiple_of(8))?, prescribed(number + 37, false)?];
        visit(care, number, prescriptions).await?;
    }
    if day < 6 {
        let prescriptions = (day * 10..(day + 1) * 10).map(|number| prescribed(number, true));
        visit(care, REGULAR, prescriptions.collect::<Result<_, _>>()?).await?;
    }
    Ok(())
}

/// Records a visit, issues the invoice of its first prescription, and takes four in five payments.
async fn visit(care: &CareService, number: u64, prescriptions: Vec<NewPrescription>) -> Result<(), Failure> {
    let diseases = vec![Disease::new(format!("complaint {}", number % 30))?];
    let new = NewConsultation::of(patient(number)?).diagnosing(diseases).prescribing(prescriptions);
    let consultation = care.record_consultation(new).await?;
    if let Some(first) = consultation.prescription_ids.first() {
        let issued = care.issue_invoice(*first).await?;
        if !number.is_multiple_of(20) {
            care.pay_invoice(issued.invoice.invoice_id).await?;
        }
    }
    Ok(())
}

fn prescribed(number: u64, is_regular: bool) -> Result<NewPrescription, Failure> {
    let details = PrescriptionDetails { is_regular: Patch::from(is_regular), ..PrescriptionDetails::default() };
    Ok(NewPrescription { details, ..NewPrescription::of(medicine(number)?) })
}

fn medicine(number: u64) -> Result<MedicineName, Invalid> {
    MedicineName::new(format!("Medicine {}", number % MEDICINES))
}

fn patient(number: u64) -> Result<PatientId, Invalid> {
    PatientId::try_from(number.cast_signed())
}
