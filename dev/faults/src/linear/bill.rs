//! A patient's invoices, which are paid and cancelled, and the history that counts the payments.

use care_conformance::Dice;
use serde_json::Value;
use todc_utils::Specification;

use super::history::History;
use crate::{Answer, Port, Request, Result, ensure, post};

/// The number of invoices.
const INVOICES: usize = 5;

/// A request about the invoices or the history, with its answer. Invoices are identified by their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BillCall {
    /// An invoice was paid, now or earlier. The answer counts the visits, if the outcome is not open.
    Pay { place: usize, visits: Option<u64> },
    /// An invoice was cancelled.
    Cancel { place: usize, answered: bool },
    /// A payment or cancellation found a cancelled invoice.
    Gone(usize),
    /// A cancellation found a paid invoice.
    Kept(usize),
    /// The history was missing, although the patient had been registered.
    Absent,
    /// The history was read, with this number of visits.
    Visits(u64),
    /// The invoices were listed.
    List([InvoiceState; INVOICES]),
}

/// The state of an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum InvoiceState {
    Unpaid,
    Paid,
    Cancelled,
}

/// The states of the invoices. The number of visits is the number of paid invoices: both change in one commit.
#[derive(Debug)]
pub(super) struct BillModel;

impl Specification for BillModel {
    type State = [InvoiceState; INVOICES];
    type Operation = BillCall;

    fn init() -> Self::State {
        [InvoiceState::Unpaid; INVOICES]
    }

    fn apply(call: &BillCall, state: &Self::State) -> (bool, Self::State) {
        use InvoiceState::{Cancelled, Paid, Unpaid};
        let count = |state: &Self::State| state.iter().filter(|invoice| **invoice == Paid).count() as u64;
        let mut after = *state;
        let agrees = match *call {
            BillCall::Pay { place, visits } => {
                if state[place] == Unpaid {
                    after[place] = Paid;
                }
                visits.is_none_or(|visits| state[place] != Cancelled && count(&after) == visits)
            }
            BillCall::Cancel { place, answered } => {
                if state[place] == Unpaid {
                    after[place] = Cancelled;
                }
                !answered || state[place] == Unpaid
            }
            BillCall::Gone(place) => state[place] == Cancelled,
            BillCall::Kept(place) => state[place] == Paid,
            BillCall::Absent => false,
            BillCall::Visits(visits) => count(state) == visits,
            BillCall::List(listed) => listed == *state,
        };
        (agrees, if agrees { after } else { *state })
    }
}

/// A patient of the service with invoices, and what its clients were told.
#[derive(Debug)]
pub(super) struct Bill {
    patient: i64,
    invoices: [i64; INVOICES],
    pub(super) history: History<BillModel>,
}

impl Bill {
    /// Registers a patient, and issues the invoices, each for a different medicine.
    pub(super) fn issue(port: &mut dyn Port) -> Result<Self> {
        for place in 0..INVOICES {
            let said = port.ask(&Request::new("POST", format!("/inventory/Bill-{place}")).body("{}"));
            ensure!(matches!(said.status(), Some(200 | 409)), "a medicine is answered {said:?}");
        }
        let mut made = |path: &str, body: String| -> Result<i64> {
            let answer = post(port, path, body)?;
            answer.number().ok_or_else(|| answer.strange())
        };
        let patient = made("/patient", "{}".to_owned())?;
        let mut invoices = [0; INVOICES];
        for (place, invoice) in invoices.iter_mut().enumerate() {
            let body = format!(r#"{{"patientId":{patient},"medicine":"Bill-{place}"}}"#);
            let prescription = made("/prescriptions", body)?;
            *invoice = made(&format!("/prescriptions/{prescription}/invoice"), "{}".to_owned())?;
        }
        Ok(Self { patient, invoices, history: History::default() })
    }

    /// Sends one random request.
    pub(super) fn ask(&self, port: &mut dyn Port, dice: &mut Dice) -> Result<bool> {
        let place = dice.roll(INVOICES as u64) as usize;
        let invoice = self.invoices[place];
        let (request, open) = match dice.roll(8) {
            0..3 => {
                let request = Request::new("POST", format!("/invoice/{invoice}/payment"));
                (request, Some(BillCall::Pay { place, visits: None }))
            }
            3 => {
                let request = Request::new("DELETE", format!("/invoice/{invoice}"));
                (request, Some(BillCall::Cancel { place, answered: false }))
            }
            4..6 => (Request::get(format!("/history/{}", self.patient)), None),
            _ => (Request::get(format!("/invoice?patientId={}", self.patient)), None),
        };
        self.history.ask(port, &request, open, |answer| match (open, answer.status) {
            (Some(BillCall::Pay { .. }), 200) => Ok(BillCall::Pay { place, visits: Some(answer.count("visits")?) }),
            (Some(BillCall::Cancel { .. }), 204) => Ok(BillCall::Cancel { place, answered: true }),
            (Some(BillCall::Cancel { .. }), 409) => Ok(BillCall::Kept(place)),
            (Some(_), 404) => Ok(BillCall::Gone(place)),
            (None, 404) => Ok(BillCall::Absent),
            (None, 200) if answer.body.contains(r#""items""#) => Ok(BillCall::List(self.listed(answer)?)),
            (None, 200) => Ok(BillCall::Visits(answer.count("visits")?)),
            _ => Err(answer.strange()),
        })
    }

    fn listed(&self, answer: &Answer) -> Result<[InvoiceState; INVOICES]> {
        let mut listed = [InvoiceState::Cancelled; INVOICES];
        for item in answer.member("items")?.as_array().into_iter().flatten() {
            let place = self.invoices.iter().position(|invoice| item["invoiceId"].as_i64() == Some(*invoice));
            let state = match item["state"] {
                Value::String(ref state) if state == "paid" => InvoiceState::Paid,
                _ => InvoiceState::Unpaid,
            };
            listed[place.ok_or_else(|| answer.strange())?] = state;
        }
        Ok(listed)
    }
}
