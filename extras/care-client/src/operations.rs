//! The operations: a method for each. Most follow from the table of operations; those that are called in several ways,
//! or whose parameters are no record, stand here.

use std::time::Duration;

use care_core::{
    model::{
        self, FindText, InvoiceId, MedicineName, Note, Patient, PatientDetails, PatientHistory, PatientId,
        PaymentMethod, PrescriptionDetails, StockDetails, UnitName,
    },
    operation::Operation,
    service::{self, BacktestQuery, NewPrescription, OpeningLot, TriedSettings},
    stock::{Backtest, LotCount},
    store::{self, Filter as _, Seq},
    wire,
};
use serde_json::Value;

use crate::{Call, CareClient, Event, JournalEntry, News, Pages, Prescription, Stock};

/// Defines the method of an operation, as its row in the table says.
macro_rules! method {
    ([$($doc:tt)*] $operation:ident { }) => {};
    ([$($doc:tt)*] $operation:ident { pages $name:ident($filter:ident: &$of:ty) -> $item:ty }) => {
        $($doc)*
        pub fn $name(&self, $filter: &$of) -> Pages<$item> {
            Pages::new(self, Operation::$operation, $filter.parameters())
        }
    };
    ([$($doc:tt)*] $operation:ident { asks $name:ident($query:ident: &$of:ty) -> $answer:ty }) => {
        $($doc)*
        pub fn $name(&self, $query: &$of) -> Call<$answer> {
            Call::new(self, Operation::$operation, &[]).asking($query)
        }
    };
    ([$($doc:tt)*] $operation:ident {
        $name:ident($($of:ident: $place:ty)? $(; $new:ident: $body:ty)?) -> $answer:ty
    }) => {
        $($doc)*
        pub fn $name(&self, $($of: $place,)? $($new: $body)?) -> Call<$answer> {
            let call = Call::new(self, Operation::$operation, &[$(&$of.to_string())?]);
            $(let call = call.body($new);)?
            call
        }
    };
}

/// Defines the methods that follow from the table.
macro_rules! methods {
    ($($(#[$doc:meta])+ $operation:ident $id:literal $method:ident $path:literal $facts:tt run $run:tt
        client $client:tt)*) => {
        /// The operations that follow from the table.
        impl CareClient {
            $(method! { [$(#[$doc])+] $operation $client })*
        }
    };
}

care_core::operations!(methods);

impl CareClient {
    /// Registers a patient under a number that the service assigns.
    pub fn register_patient(&self, details: &PatientDetails) -> Call<Patient> {
        Call::new(self, Operation::AddPatient, &[]).body(details)
    }

    /// Registers a patient under this number.
    pub fn register_patient_as(&self, id: PatientId, details: &PatientDetails) -> Call<Patient> {
        self.register_patient(details).member("patientId", &id)
    }

    /// Changes the fields that the details set; the others keep their values.
    pub fn update_patient(&self, id: PatientId, details: &PatientDetails) -> Call<Patient> {
        Call::new(self, Operation::UpdatePatient, &[]).body(details).member("patientId", &id)
    }

    /// Finds the patients that match a text, the best first, in one page of 1 to 50; of a
    /// [similar](FindText::similar) text those with names that resemble it.
    pub fn find_patients(&self, text: &FindText) -> Pages<Patient> {
        let similar = text.is_similar().then(|| ("similar", "true".to_owned()));
        let find = ("find", text.as_str().to_owned());
        Pages::new(self, Operation::ListPatients, [find].into_iter().chain(similar).collect())
    }

    /// Prescribes a medicine. [`Answer::id`](crate::Answer::id) is the prescription's number.
    pub fn prescribe(&self, id: PatientId, new: &NewPrescription) -> Call<Prescription> {
        Call::new(self, Operation::AddPrescription, &[]).body(new).member("patientId", &id)
    }

    /// Changes the fields of the patient's prescription of this medicine that the details set; the others keep their
    /// values.
    pub fn update_prescription(
        &self,
        id: PatientId,
        medicine: &MedicineName,
        details: &PrescriptionDetails,
    ) -> Call<Prescription> {
        let call = Call::new(self, Operation::UpdatePrescription, &[]).body(details);
        call.member("patientId", &id).member("medicine", medicine)
    }

    /// Pays an invoice by a method.
    pub fn pay_invoice_by(&self, id: InvoiceId, method: PaymentMethod) -> Call<PatientHistory> {
        self.pay_invoice(id).member("method", &method)
    }

    /// Starts tracking a medicine, counted in this unit, with the units that are there now.
    pub fn start_stock(
        &self,
        medicine: &MedicineName,
        unit: &UnitName,
        details: &StockDetails,
        opening: &[OpeningLot],
    ) -> Call<Stock> {
        let call = Call::new(self, Operation::StartStock, &[medicine.as_str()]).body(details);
        // The unit has a parameter of its own, so callers need not repeat it in the details.
        call.member("unit", unit).member("opening", opening)
    }

    /// Corrects the stock to what was counted.
    pub fn count_stock(&self, medicine: &MedicineName, lines: &[LotCount], note: Option<&Note>) -> Call<Stock> {
        let call = Call::new(self, Operation::CountStock, &[medicine.as_str()]);
        call.member("lines", lines).member("note", &note)
    }

    /// Replays ordering policies against the history of a medicine. Only the ordering settings of the details matter.
    pub fn backtest(&self, query: &BacktestQuery, details: &StockDetails) -> Call<Backtest> {
        Call::new(self, Operation::BacktestRestock, &[]).asking(query).asking(&TriedSettings(details.clone()))
    }

    /// Lists the journal entries after this one, in commit order. With a wait, the service holds the first page back
    /// until there is an entry, for 30 seconds at most.
    pub fn journal(&self, after: Seq, wait: Duration) -> Pages<JournalEntry> {
        Pages::new(self, Operation::ListJournal, waiting(wait)).starting_behind(after.value().to_string())
    }

    /// Lists the events after this journal entry, in commit order: what changed, without any value. With a wait, the
    /// service holds the first page back until there is an entry, for 30 seconds at most. A follower goes on after the
    /// `seq` of the page, even if it has no items.
    pub fn events(&self, after: Seq, wait: Duration) -> Pages<Event> {
        Pages::new(self, Operation::ListEvents, waiting(wait)).starting_behind(after.value().to_string())
    }

    /// Waits until there is an entry after this one, for 30 seconds at most, and returns the number of the last entry.
    pub fn news(&self, after: Seq, wait: Duration) -> Call<News> {
        let call = Call::new(self, Operation::GetNews, &[]);
        call.query("after", Some(after.value())).query("wait", Some(wait.as_secs()))
    }
}

/// Returns the parameter by which a list waits for news.
fn waiting(wait: Duration) -> Vec<(&'static str, String)> {
    let wait = (!wait.is_zero()).then(|| ("wait", wait.as_secs().to_string()));
    wait.into_iter().collect()
}
