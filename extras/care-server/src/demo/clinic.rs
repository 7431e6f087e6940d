//! The demo clinic at work.

use care_core::{
    error::{Conflict, Error},
    model::{Date, Patch, PatientDetails, PatientId, Timestamp, Weight},
    service::{CareService, ExpectedVersion, NewConsultation},
};

use super::{
    Summary,
    calendar::{Calendar, YEAR},
    complaints::{ACUTE, CHRONIC, Complaint, OUTBREAK},
    desk::Task,
    dice::Dice,
    people, sound, stock,
};

/// The seed of the year. It was chosen so that every kind of event occurs.
const SEED: u64 = 15;
/// The number of patients at the start; after that one registers every fortnight.
const FIRST_PATIENTS: i64 = 16;

pub(super) const RECEPTION: &str = "reception";
pub(super) const MANAGER: &str = "manager";
const DOCTOR: &str = "doctor";
pub(super) const PHARMACY: &str = "pharmacy";

/// The clinic on some day of its year.
#[derive(Debug)]
pub(super) struct Clinic {
    pub(super) care: CareService,
    calendar: Calendar,
    pub(super) dice: Dice,
    patients: Vec<PatientId>,
    /// The tasks of later days, each with its day.
    agenda: Vec<(i64, Task)>,
    pub(super) today: i64,
    /// The first day of the year.
    first: Date,
    /// The number of lots that the pharmacy has had.
    pub(super) lots: u64,
    pub(super) done: Summary,
}

impl Clinic {
    /// Opens the clinic on the morning of its first day.
    pub(super) fn open(care: &CareService) -> Result<Self, Error> {
        let (calendar, care) = Calendar::before(care)?;
        Ok(Self {
            first: care.today()?,
            care,
            calendar,
            dice: Dice::new(SEED),
            patients: Vec::new(),
            agenda: Vec::new(),
            today: 0,
            lots: 0,
            done: Summary::default(),
        })
    }

    /// Returns how often each kind of event has happened.
    pub(super) const fn summary(&self) -> Summary {
        self.done
    }

    /// Simulates one day.
    pub(super) async fn day(&mut self, day: i64) -> Result<(), Error> {
        self.today = day;
        self.calendar.open(day)?;
        self.supply().await?;
        self.keep_shelves().await?;
        self.register().await?;
        if self.dice.one_in(5) {
            let complaints = if self.dice.one_in(5) { CHRONIC } else { ACUTE };
            if let Some(complaint) = self.dice.pick(complaints) {
                self.visit(complaint).await?;
            }
        }
        if day > YEAR - 60 && self.dice.one_in(4) {
            self.visit(&OUTBREAK).await?;
        }
        if self.dice.one_in(45) {
            self.phone_call().await?;
        }
        if day == 300 {
            self.farewell().await?;
        }
        let due = self.agenda.extract_if(.., |(due, _)| *due <= day);
        for (_, task) in due.collect::<Vec<_>>() {
            match task {
                Task::Bill(prescription) => self.bill(prescription).await?,
                Task::Collect(invoice, prescription) => self.collect(invoice, prescription).await?,
                Task::Receive(medicine, units) => self.receive(medicine, units).await?,
                Task::TakeBack(invoice) => self.take_back(invoice).await?,
            }
        }
        Ok(())
    }

    /// Takes the first stock in, and later the deliveries and shortages.
    async fn supply(&mut self) -> Result<(), Error> {
        if self.today == 0 {
            self.stock_up().await?;
        }
        let supply = stock::SUPPLY.iter().map(|&(day, name, any)| (day, name, Ok(stock::supplied(any))));
        let prices = stock::PRICES.iter().map(|&(day, name, price)| (day, name, stock::priced(price)));
        for (_, name, details) in supply.chain(prices).filter(|(day, ..)| *day == self.today) {
            let medicine = stock::medicine(name)?.key().clone();
            self.at_work(PHARMACY)?.update_item(medicine, details?, ExpectedVersion::Any).await?;
        }
        Ok(())
    }

    /// Registers new patients.
    async fn register(&mut self) -> Result<(), Error> {
        let newcomers = match self.today {
            0 => FIRST_PATIENTS,
            day => i64::from(day % 14 == 0),
        };
        for _ in 0..newcomers {
            if let Some(person) = people::person(self.done.patients, self.first)? {
                let patient = self.at_work(RECEPTION)?.register_patient(person).await?;
                self.patients.push(patient.patient_id);
                self.done.patients += 1;
            }
        }
        Ok(())
    }

    /// Records a patient's visit to the doctor.
    async fn visit(&mut self, complaint: &Complaint) -> Result<(), Error> {
        let Some(&patient_id) = self.dice.pick(&self.patients) else {
            return Ok(());
        };
        if self.dice.one_in(6) {
            self.weigh(patient_id).await?;
        }
        let visit =
            NewConsultation::of(patient_id).diagnosing(complaint.diseases()?).prescribing(complaint.prescriptions()?);
        let recorded = self.at_work(DOCTOR)?.record_consultation(visit.clone()).await;
        let consultation = match recorded {
            // The patient has this medicine already, so the visit is a check-up.
            Err(Error::Conflict(Conflict::AlreadyPrescribed)) => {
                let mut check_up = visit;
                check_up.prescriptions.clear();
                self.at_work(DOCTOR)?.record_consultation(check_up).await?
            }
            recorded => recorded?,
        };
        self.done.consultations += 1;
        for &prescription in &consultation.prescription_ids {
            self.done.prescriptions += 1;
            // Sometimes the patient reports an allergy on the way out.
            if self.dice.one_in(30) {
                self.at_work(DOCTOR)?.withdraw_prescription(prescription, ExpectedVersion::Any).await?;
            } else {
                self.bill(prescription).await?;
            }
        }
        Ok(())
    }

    /// Enters the weight of a patient.
    async fn weigh(&mut self, id: PatientId) -> Result<(), Error> {
        let Some(before) = self.care.patient(id).await?.record.weight else {
            return Ok(());
        };
        let change = self.dice.pick(&[-0.5, 0.5, 1.0]).copied().unwrap_or_default();
        let details = PatientDetails {
            weight: Patch::Set(sound(Weight::try_from(before.kilograms() + change))?),
            ..PatientDetails::default()
        };
        self.at_work(DOCTOR)?.update_patient(id, details, ExpectedVersion::Any).await?;
        Ok(())
    }

    /// Prescribes a medicine by telephone, without a visit.
    async fn phone_call(&mut self) -> Result<(), Error> {
        let Some(&patient_id) = self.dice.pick(&self.patients) else {
            return Ok(());
        };
        let Some(complaint) = self.dice.pick(ACUTE) else {
            return Ok(());
        };
        for new in complaint.prescriptions()? {
            match self.at_work(DOCTOR)?.prescribe(patient_id, new).await {
                Err(Error::Conflict(Conflict::AlreadyPrescribed)) => {}
                prescribed => {
                    self.done.prescriptions += 1;
                    self.bill(prescribed?.prescription.prescription_id).await?;
                }
            }
        }
        Ok(())
    }

    /// Voids a patient without debts who moves away.
    async fn farewell(&mut self) -> Result<(), Error> {
        for (place, &patient) in self.patients.iter().enumerate().skip(10) {
            match self.at_work(RECEPTION)?.void_patient(patient, ExpectedVersion::Any).await {
                Err(Error::Conflict(Conflict::UnpaidInvoice)) => {}
                voided => {
                    voided?;
                    self.patients.remove(place);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Puts a task on the agenda.
    pub(super) fn later(&mut self, days: i64, task: Task) {
        self.agenda.push((self.today + days, task));
    }

    /// Returns a moment a few minutes later.
    pub(super) fn later_today(&self) -> Result<Timestamp, Error> {
        self.calendar.pass(4)?;
        Ok(self.calendar.now())
    }

    /// Returns the service under the next member of staff, a few minutes later.
    pub(super) fn at_work(&self, who: &'static str) -> Result<CareService, Error> {
        self.calendar.pass(4)?;
        Ok(self.care.acting_as(who))
    }
}
