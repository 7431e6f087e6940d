//! For every operation, an ordinary request and the most expensive one that the limits allow.

use care_core::operation::Operation;

use super::heavy::{CHANGED, FREE, ORDINARY, PRESCRIBED, VISITED, ordinary_patient, ordinary_visit, trim};
use crate::{Failure, Port, Request, abuse::Sizes, ask, bodies, post as posted};

/// A request to measure, and the ordinary request to compare it with.
pub(crate) struct Pair {
    pub(crate) operation: Operation,
    /// The reason for its cost.
    pub(crate) what: &'static str,
    /// The numbers of ordinary and of expensive requests that are measured at a time.
    pub(crate) most: (u64, u64),
    pub(crate) ordinary: Make,
    /// Makes an ordinary request with about as many bytes as the expensive one, or one that is answered with as many.
    pub(crate) alike: Make,
    pub(crate) dearest: Make,
    /// The number of ordinary requests that do the work of the expensive one.
    pub(crate) parts: fn(&Sizes) -> u64,
}

/// Prepares the clinic for a request, and makes it. Each request gets a different number.
pub(crate) type Make = fn(&mut Maker<'_>, u64) -> Result<Request, Failure>;

/// The parts that requests are made of.
pub(crate) struct Maker<'a> {
    pub(crate) port: &'a mut dyn Port,
    pub(crate) sizes: &'a Sizes,
    /// The last journal entry before the measurement began.
    pub(crate) last: u64,
    /// An entry from soon after a medicine's tracking began.
    pub(crate) tracked: u64,
    /// Whether the next request is the first of its batch.
    pub(crate) is_first: bool,
}

impl Maker<'_> {
    fn make(&mut self, path: &str, body: &str) -> Result<u64, Failure> {
        let made = posted(self.port, path, body)?.number();
        Ok(made.unwrap_or_default().unsigned_abs())
    }

    /// Prescribes for a patient, and returns the prescription's number.
    fn prescribed(&mut self, patient: u64, body: &str) -> Result<u64, Failure> {
        self.make("/patient", body)?;
        self.make("/prescriptions", &prescription(patient, "Ibuprofen"))
    }

    /// Creates an ordinary patient.
    fn ordinary(&mut self, number: u64) -> Result<u64, Failure> {
        self.make("/patient", &ordinary_patient(number))
    }

    /// Issues the invoice of a prescription.
    fn invoice(&mut self, prescription: u64) -> Result<u64, Failure> {
        self.make(&format!("/prescriptions/{prescription}/invoice"), "{}")
    }

    /// Returns an unpaid invoice of an ordinary patient.
    fn unpaid(&mut self, number: u64) -> Result<u64, Failure> {
        let prescription = self.prescribed(number, &ordinary_patient(number))?;
        self.invoice(prescription)
    }

    /// Withdraws prescriptions of the patient with many, before a batch, so that there is room for more.
    fn trim(&mut self) -> Result<(), Failure> {
        match self.is_first {
            true => trim(self.port, PRESCRIBED, self.sizes.active().saturating_sub(self.sizes.at_once)),
            false => Ok(()),
        }
    }

    /// Creates a patient with this many active prescriptions.
    fn voidable(&mut self, patient: u64, active: u64) -> Result<(), Failure> {
        self.make("/patient", &bodies::patient(patient))?;
        for from in (0..active).step_by(30) {
            self.make("/consultations", &bodies::consultation(patient, from, 30.min(active - from), 1))?;
        }
        Ok(())
    }

    /// Returns an update of the supply of an ordinary patient's prescription.
    fn supply(&mut self, number: u64) -> Result<Request, Failure> {
        let prescription = self.prescribed(number, &ordinary_patient(number))?;
        put(format!("/prescriptions/{prescription}/supply"), r#"{"quantity":2,"everyDays":30}"#)
    }

    /// Creates a prescription for a patient whose fields all have their maximum length.
    fn wide(&mut self, number: u64) -> Result<u64, Failure> {
        self.prescribed(number, &bodies::patient(number))
    }

    /// Adds a medicine, and returns the path of its stock.
    fn untracked(&mut self, number: u64) -> Result<String, Failure> {
        self.make(&medicine(number), "{}")?;
        Ok(medicine(number) + "/stock")
    }

    /// Starts tracking a new medicine with this many lots, and returns its path.
    fn tracked(&mut self, medicine: String, lots: u64) -> Result<String, Failure> {
        self.make(&medicine, "{}")?;
        self.make(&format!("{medicine}/stock"), &opening(lots))?;
        Ok(medicine)
    }

    /// Creates a prescription, and returns the request that withdraws it.
    fn withdrawal(&mut self, body: &str) -> Result<Request, Failure> {
        delete(format!("/prescriptions/{}", self.make("/prescriptions", body)?))
    }

    /// Receives units into a lot, and returns the request that reverses it.
    fn reversal(&mut self, receipt: &str) -> Result<Request, Failure> {
        let movement = self.make("/inventory/Tracked/movements", receipt)?;
        post(format!("/movements/{movement}/reversal"), "{}")
    }

    /// Returns a paid invoice of an ordinary patient.
    fn paid(&mut self, number: u64) -> Result<u64, Failure> {
        let invoice = self.unpaid(number)?;
        ask(self.port, payment(invoice)?)?;
        Ok(invoice)
    }

    /// Returns a paid invoice whose units were taken from as many lots as a medicine can have.
    fn handed_out(&mut self, number: u64) -> Result<u64, Failure> {
        let patient = self.make("/patient", &bodies::patient(number))?;
        self.tracked(medicine(number), 64)?;
        let body = format!(r#"{{"patientId":{patient},"medicine":"Medicine-{number}","quantity":64}}"#);
        let prescription = self.make("/prescriptions", &body)?;
        let invoice = self.invoice(prescription)?;
        ask(self.port, payment(invoice)?)?;
        Ok(invoice)
    }

    /// Returns the receipt of a payment.
    fn receipt(&mut self, number: u64) -> Result<u64, Failure> {
        let invoice = self.paid(number)?;
        let page = ask(self.port, Request::get(format!("/receipts?invoiceId={invoice}")))?.document()?;
        Ok(page["items"][0]["receiptId"].as_u64().unwrap_or_default())
    }

    /// Returns the payment for one of a patient's very many visits.
    fn visit(&mut self, number: u64) -> Result<Request, Failure> {
        self.make("/consultations", &bodies::consultation(VISITED, number, 1, 1))?;
        let list = format!("/prescriptions?patientId={VISITED}&state=active&limit=500");
        let page = ask(self.port, Request::get(list))?.document()?;
        let last = page["items"].as_array().and_then(|items| items.last()?["prescriptionId"].as_u64());
        payment(self.invoice(last.unwrap_or_default())?)
    }
}

fn get(path: impl Into<String>) -> Result<Request, Failure> {
    Ok(Request::get(path))
}

fn xml(path: impl Into<String>) -> Result<Request, Failure> {
    Ok(get(path)?.header("Accept", "application/xml"))
}

fn post(path: impl Into<String>, body: impl Into<String>) -> Result<Request, Failure> {
    Ok(Request::new("POST", path).body(body))
}

fn put(path: impl Into<String>, body: impl Into<String>) -> Result<Request, Failure> {
    Ok(Request::new("PUT", path).body(body))
}

fn delete(path: impl Into<String>) -> Result<Request, Failure> {
    Ok(Request::new("DELETE", path))
}

fn payment(invoice: u64) -> Result<Request, Failure> {
    post(format!("/invoice/{invoice}/payment"), "{}")
}

/// Returns the path of a medicine.
fn medicine(number: u64) -> String {
    format!("/inventory/Medicine-{number}")
}

fn prescription(patient: u64, medicine: &str) -> String {
    format!(r#"{{"patientId":{patient},"medicine":"{medicine}"}}"#)
}

/// Returns an update of a prescription.
fn priced(patient: u64, medicine: &str, price: u64) -> String {
    format!(r#"{{"patientId":{patient},"medicine":"{medicine}","price":{price}}}"#)
}

/// Returns a receipt of a unit, with a lot and a note as long as they may be.
fn noted(lot: u64, note: u64) -> String {
    let (lot, note) = (bodies::wide(20, lot), bodies::wide(256, note));
    format!(r#"{{"kind":"receipt","units":1,"lot":"{lot}","note":"{note}"}}"#)
}

fn price(number: u64) -> String {
    format!(r#"{{"price":{}}}"#, number % FREE)
}

/// Returns the longest header line that the server reads, of members that are slow to parse.
fn accept() -> String {
    "text/html;level=1;q=0.001, ".repeat(150) + "application/json;q=0.002"
}

/// Pads a body with white space to the length of another one.
fn padded(body: String, length: usize) -> String {
    let missing = length.saturating_sub(body.len());
    body + &" ".repeat(missing)
}

/// Returns the registration of a patient with a long record, as a client sends it that escapes every character.
fn escaped(body: &str) -> String {
    let escape = |c: char| match c.is_ascii() {
        true => c.to_string(),
        false => c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
    };
    body.chars().map(escape).collect()
}

/// Returns the body that starts tracking with this many lots.
fn opening(lots: u64) -> String {
    let lots: Vec<_> = (0..lots).map(|lot| format!(r#"{{"lot":"{}","units":1}}"#, bodies::wide(20, lot))).collect();
    format!(r#"{{"unit":"tablets","opening":[{}]}}"#, lots.join(","))
}

/// Returns a count of this many lots, each with more units than it was opened with.
fn counted(lots: u64) -> String {
    let lines: Vec<_> = (0..lots).map(|lot| format!(r#"{{"lot":"{}","counted":2}}"#, bodies::wide(20, lot))).collect();
    format!(r#"{{"lines":[{}]}}"#, lines.join(","))
}

/// Returns a change of every setting of a stock.
fn settings(number: u64) -> String {
    format!(
        "{{\"unit\":\"tablets\",\"packUnits\":{},\"supplyUnits\":1,\"keepDays\":1,\"ordered\":1,\"policy\":\"cover\",\
         \"minDays\":7,\"maxDays\":30,\"leadDays\":3,\"reviewDays\":7,\"serviceLevel\":95}}",
        number % 99 + 1
    )
}

fn update(number: u64) -> String {
    escaped(&bodies::patient(VISITED)).replace(&format!("{}", 100_000_000_000_000 + VISITED), &format!("{number}"))
}

const READS: (u64, u64) = (500, 50);
const LISTS: (u64, u64) = (200, 4);
const WRITES: (u64, u64) = (200, 20);
const FEW: (u64, u64) = (100, 3);

/// Lists the pairs, one a line.
macro_rules! pairs {
    (@parts) => { |_| 1 };
    (@parts $parts:expr) => { $parts };
    ($($operation:ident $what:literal $most:expr, $ordinary:expr, $alike:expr, $dearest:expr $(, $parts:expr)?;)*) => {
        pub(crate) const PAIRS: &[Pair] = &[$(Pair {
            operation: Operation::$operation,
            what: $what,
            most: $most,
            ordinary: $ordinary,
            alike: $alike,
            dearest: $dearest,
            parts: pairs!(@parts $($parts)?),
        }),*];
    };
}

#[rustfmt::skip]
pairs! {
    GetInvoice "every field full, as it was long ago, in XML" READS, |_, _| get("/invoice/1"), |_, _| get("/invoice/2"),
        |m, _| xml(format!("/invoice/2?version={}", m.last));
    GetPatient "as it was at first, of one with many entries" READS, |_, _| get("/patient/1"),
        |_, _| get(format!("/patient/{CHANGED}")),
        |m, n| get(format!("/patient/{CHANGED}?version={}", m.last / 2 + n % 100));
    UpdatePatient "every field full and escaped" WRITES,
        |_, n| put("/patient", format!(r#"{{"patientId":{ORDINARY},"phone":{n}}}"#)),
        |_, n| put("/patient", padded(format!(r#"{{"patientId":{ORDINARY},"phone":{n}}}"#), update(n).len())),
        |_, n| put("/patient", update(n));
    GetHistory "many visits and diseases, in XML" LISTS, |_, _| get(format!("/history/{ORDINARY}")),
        |_, _| get(format!("/history/{VISITED}")), |_, _| xml(format!("/history/{VISITED}"));
    GetPrescription "every field full, as it was long ago" READS, |_, _| get("/prescriptions/1"),
        |_, _| get("/prescriptions/2"), |m, _| get(format!("/prescriptions/2?version={}", m.last));
    UpdatePrescription "of a patient with many" WRITES,
        |_, n| put("/prescriptions", priced(ORDINARY, "Ibuprofen 1", n)),
        |_, n| put("/prescriptions", padded(priced(ORDINARY, "Ibuprofen 1", n), 400)),
        |_, n| put("/prescriptions", priced(PRESCRIBED, &bodies::medicine(100_001), n));
    DeletePrescription "of a patient with many" (100, 20),
        |m, n| delete(format!("/prescriptions/{}", m.prescribed(n, &ordinary_patient(n))?)),
        |m, n| { m.ordinary(n)?; m.withdrawal(&prescription(n, &bodies::medicine(n))) },
        |m, n| { m.trim()?; m.withdrawal(&prescription(PRESCRIBED, &bodies::medicine(n))) };
    AddMedicine "a name that is long to compare" WRITES, |_, n| post(medicine(n), price(n)),
        |_, n| post(medicine(n), padded(price(n), bodies::item(n).len())),
        |_, n| post(bodies::item(n), price(n));
    UpdateMedicine "a name that is long to compare" WRITES, |_, n| put("/inventory/Ibuprofen", price(n)),
        |_, n| put("/inventory/Ibuprofen", padded(price(n), bodies::item(1).len())),
        |_, n| put(bodies::item(1), price(n));
    AddPatient "every field full and escaped" WRITES, |_, n| post("/patient", ordinary_patient(n)),
        |_, n| post("/patient", padded(ordinary_patient(n), escaped(&bodies::patient(n)).len())),
        |_, n| post("/patient", escaped(&bodies::patient(n)));
    ListPatients "the largest records, in XML" LISTS, |_, _| get("/patient"), |_, _| get("/patient?limit=500"),
        |_, _| xml("/patient?limit=500");
    ListPatients "all that match one filter and none the other" LISTS, |_, _| get("/patient"),
        |_, _| get("/patient?limit=1"), |_, _| get("/patient?name=%F0%9F%92%89&email=nobody@example.org");
    ListPatients "words that very many have" LISTS, |_, _| get("/patient"), |_, _| get("/patient?find=ada"),
        |_, _| get("/patient?find=a+b+c+d+e+f+g+p");
    DeletePatient "with as many active prescriptions as there may be, beside one with thirty" FEW,
        |m, n| { m.prescribed(n, &ordinary_patient(n))?; delete(format!("/patient/{n}")) },
        |m, n| { m.voidable(n, 30)?; delete(format!("/patient/{n}")) },
        |m, n| { m.voidable(n, m.sizes.active())?; delete(format!("/patient/{n}")) },
        |sizes| sizes.active().div_ceil(30);
    AddConsultation "all that fits, of a patient with many" FEW,
        |m, n| { m.ordinary(n)?; post("/consultations", ordinary_visit(n, 1)) },
        |m, n| { m.ordinary(n)?; post("/consultations", bodies::consultation(n, n * 100, m.sizes.at_once, 25)) },
        |m, n| { m.trim()?; post("/consultations", bodies::consultation(PRESCRIBED, n * 100, m.sizes.at_once, 25)) };
    GetConsultation "every field full, as it was long ago, in XML" READS, |_, _| get("/consultations/1"),
        |_, _| get("/consultations/2"), |m, _| xml(format!("/consultations/2?version={}", m.last));
    ListConsultations "all that match one filter and none the other" LISTS,
        |_, _| get(format!("/consultations?patientId={ORDINARY}")),
        |_, _| get(format!("/consultations?patientId={ORDINARY}&state=open")),
        |_, _| get(format!("/consultations?patientId={VISITED}&state=open"));
    ListConsultations "the largest records, in XML" LISTS, |_, _| get(format!("/consultations?patientId={ORDINARY}")),
        |_, _| get(format!("/consultations?patientId={VISITED}&limit=500")),
        |_, _| xml(format!("/consultations?patientId={VISITED}&limit=500"));
    AddPrescription "of a patient with many" (100, 20),
        |m, n| { m.ordinary(n)?; post("/prescriptions", prescription(n, "Ibuprofen")) },
        |m, n| { m.ordinary(n)?; post("/prescriptions", prescription(n, &bodies::medicine(n))) },
        |m, n| { m.trim()?; post("/prescriptions", prescription(PRESCRIBED, &bodies::medicine(n))) };
    ListPrescriptions "all that match one filter and none the other" LISTS,
        |_, _| get(format!("/prescriptions?patientId={ORDINARY}")),
        |_, _| get(format!("/prescriptions?patientId={ORDINARY}&medicine=absent")),
        |_, _| get(format!("/prescriptions?patientId={PRESCRIBED}&medicine=absent"));
    ListPrescriptions "the largest records, in XML" LISTS, |_, _| get(format!("/prescriptions?patientId={ORDINARY}")),
        |_, _| get(format!("/prescriptions?patientId={PRESCRIBED}&limit=500")),
        |_, _| xml(format!("/prescriptions?patientId={PRESCRIBED}&limit=500"));
    IssueInvoice "of a patient of whom much is known" (100, 20),
        |m, n| post(format!("/prescriptions/{}/invoice", m.prescribed(n, &ordinary_patient(n))?), "{}"),
        |m, n| post(format!("/prescriptions/{}/invoice", m.prescribed(n, &ordinary_patient(n))?), "{}"),
        |m, n| post(format!("/prescriptions/{}/invoice", m.wide(n)?), "{}");
    ListInvoices "all that match one filter and none the other" LISTS,
        |_, _| get(format!("/invoice?patientId={ORDINARY}")),
        |_, _| get(format!("/invoice?patientId={ORDINARY}&state=unpaid")),
        |_, _| get(format!("/invoice?patientId={PRESCRIBED}&state=unpaid"));
    ListInvoices "none of any day, the newest first" LISTS, |_, _| get("/invoice?newest=true"),
        |_, _| get("/invoice?newest=true&limit=1"), |_, _| get("/invoice?newest=true&to=01/01/1900");
    ListInvoices "the largest records, in XML" LISTS, |_, _| get(format!("/invoice?patientId={ORDINARY}")),
        |_, _| get(format!("/invoice?patientId={PRESCRIBED}&limit=500")),
        |_, _| xml(format!("/invoice?patientId={PRESCRIBED}&limit=500"));
    PayInvoice "of a patient with many visits and diseases, beside a look at these" (100, 5),
        |m, n| payment(m.unpaid(n)?),
        |_, _| get(format!("/history/{VISITED}")), |m, n| m.visit(n);
    CancelInvoice "of a patient of whom much is known" (100, 20),
        |m, n| delete(format!("/invoice/{}", m.unpaid(n)?)),
        |m, n| delete(format!("/invoice/{}", m.unpaid(n)?)),
        |m, n| { let p = m.wide(n)?; delete(format!("/invoice/{}", m.invoice(p)?)) };
    RefundInvoice "of all lots that there may be, back into them" (100, 20),
        |m, n| { let invoice = m.paid(n)?; post(format!("/invoice/{invoice}/refund"), r#"{"reason":"returned"}"#) },
        |m, n| post(format!("/invoice/{}/refund", m.paid(n)?), padded(r#"{"reason":"returned"}"#.to_owned(), 1200)),
        |m, n| post(
            format!("/invoice/{}/refund", m.handed_out(n)?),
            format!(r#"{{"reason":"other","restock":true,"reopen":true,"note":"{}"}}"#, bodies::wide(256, 2)),
        );
    GetReceipt "as it was long ago, in XML" READS, |_, _| get("/receipts/1"), |_, _| get("/receipts/1"),
        |m, _| xml(format!("/receipts/1?version={}", m.last));
    ListReceipts "all that match one filter and none the other" LISTS, |_, _| get("/receipts?kind=payment"),
        |_, _| get("/receipts?kind=payment&limit=1"), |_, _| get("/receipts?kind=payment&holder=absent");
    ListReceipts "the most at once, in XML" LISTS, |_, _| get("/receipts"), |_, _| get("/receipts?limit=500"),
        |_, _| xml("/receipts?limit=500");
    CorrectReceipt "a note as long as it may be" WRITES,
        |m, n| { let receipt = m.receipt(n)?; post(format!("/receipts/{receipt}/correction"), r#"{"method":"card"}"#) },
        |m, n| post(
            format!("/receipts/{}/correction", m.receipt(n)?),
            padded(r#"{"method":"card"}"#.to_owned(), 1200),
        ),
        |m, n| post(
            format!("/receipts/{}/correction", m.receipt(n)?),
            format!(r#"{{"method":"card","note":"{}"}}"#, bodies::wide(256, 2)),
        );
    GetTakings "as many receipts as there can be, in XML" LISTS, |_, _| get("/takings"), |_, _| get("/takings"),
        |_, _| xml("/takings?above=0&upto=10000");
    ListMedicines "the largest records, in XML" LISTS, |_, _| get("/inventory"), |_, _| get("/inventory?limit=500"),
        |_, _| xml("/inventory?limit=500");
    GetMedicine "an `Accept` of 4 kB" READS, |_, _| get("/inventory/Ibuprofen"), |_, _| get(bodies::item(1)),
        |_, _| Ok(get(bodies::item(1))?.header("Accept", accept()));
    DeleteMedicine "a name that is long to compare" WRITES,
        |m, n| { m.make(&medicine(n), "{}")?; delete(medicine(n)) },
        |m, n| { m.make(&medicine(n), "{}")?; delete(medicine(n)) },
        |m, n| { m.make(&bodies::item(n), &price(n))?; delete(bodies::item(n)) };
    StartStock "all lots that it may open with" WRITES,
        |m, n| post(m.untracked(n)?, opening(1)),
        |m, n| post(m.untracked(n)?, padded(opening(1), opening(64).len())),
        |m, n| { m.make(&bodies::item(n), "{}")?; post(format!("{}/stock", bodies::item(n)), opening(64)) };
    GetStock "as it was at first, of one that was moved often" READS, |_, _| get("/inventory/Tracked/stock"),
        |_, _| get("/inventory/Tracked/stock"),
        |m, n| get(format!("/inventory/Tracked/stock?version={}", m.tracked + n % 50));
    MoveStock "a note and a lot as long as they may be" WRITES,
        |_, _| post("/inventory/Tracked/movements", r#"{"kind":"receipt","units":1,"lot":"A"}"#),
        |_, _| post(
            "/inventory/Tracked/movements",
            padded(r#"{"kind":"receipt","units":1,"lot":"A"}"#.to_owned(), 1400),
        ),
        |_, _| post("/inventory/Tracked/movements", noted(1, 1));
    ListMovements "all that match one filter and none the other" LISTS, |_, _| get("/movements?medicine=Tracked"),
        |_, _| get("/movements?medicine=Tracked&limit=1"), |_, _| get("/movements?medicine=Tracked&lot=absent");
    ListMovements "the most at once, in XML" LISTS, |_, _| get("/movements?medicine=Tracked"),
        |_, _| get("/movements?limit=500"), |_, _| xml("/movements?limit=500");
    CountStock "all lots that there may be, each with other units" WRITES,
        |m, n| post(m.tracked(medicine(n), 1)? + "/count", counted(1)),
        |m, n| post(m.tracked(medicine(n), 1)? + "/count", padded(counted(1), counted(64).len())),
        |m, n| post(m.tracked(bodies::item(n), 64)? + "/count", counted(64));
    UpdateStock "every setting" WRITES,
        |_, n| put("/inventory/Tracked/stock", format!(r#"{{"packUnits":{}}}"#, n % 99 + 1)),
        |_, n| put("/inventory/Tracked/stock", padded(format!(r#"{{"packUnits":{}}}"#, n % 99 + 1), settings(n).len())),
        |_, n| put("/inventory/Tracked/stock", settings(n));
    ListStock "the most at once, in XML" LISTS, |_, _| get("/stock"), |_, _| get("/stock?limit=500"),
        |_, _| xml("/stock?limit=500");
    ReverseMovement "a note and a lot as long as they may be" WRITES,
        |m, _| m.reversal(r#"{"kind":"receipt","units":1,"lot":"A"}"#),
        |m, _| m.reversal(r#"{"kind":"receipt","units":1,"lot":"A"}"#),
        |m, _| m.reversal(&noted(2, 2));
    GetMovement "as it was long ago, in XML" READS, |_, _| get("/movements/1"), |_, _| get("/movements/1"),
        |m, _| xml(format!("/movements/1?version={}", m.last));
    UpdateSupply "of a prescription whose fields are all full" (100, 20),
        |m, n| m.supply(n),
        |m, n| m.supply(n),
        |m, n| { let p = m.wide(n)?; put(format!("/prescriptions/{p}/supply"), r#"{"quantity":2,"everyDays":30}"#) };
    GetSupply "as it was long ago, in XML" READS, |_, _| get("/prescriptions/2/supply"),
        |_, _| get("/prescriptions/2/supply"), |m, _| xml(format!("/prescriptions/2/supply?version={}", m.last));
    BacktestRestock "in XML" LISTS, |_, _| get("/restock/backtest?medicine=Tracked"),
        |_, _| get("/restock/backtest?medicine=Tracked"), |_, _| xml("/restock/backtest?medicine=Tracked");
    ListEvents "the largest entries, in XML" LISTS, |_, _| get("/events"), |_, _| get("/events?limit=500"),
        |_, _| xml("/events?limit=500");
    GetNews "an `Accept` of 4 kB" READS, |_, _| get("/news"), |_, _| get("/news"),
        |_, _| Ok(get("/news")?.header("Accept", accept()));
    GetToday "as many records as a part can have, in XML" LISTS, |_, _| get("/today"),
        |_, _| get("/today?part=withoutInvoice"), |_, _| xml("/today?part=withoutInvoice");
    GetToday "every part" LISTS, |_, _| get("/today?part=taken"), |_, _| get("/today?part=expiring"),
        |_, _| get("/today");
    GetKey "an `Accept` of 4 kB" READS, |_, _| get("/key"), |_, _| get("/key"),
        |_, _| Ok(get("/key")?.header("Accept", accept()));
    EndStock "a name that is long to compare" WRITES,
        |m, n| delete(m.tracked(medicine(n), 0)? + "/stock"),
        |m, n| delete(m.tracked(medicine(n), 0)? + "/stock"),
        |m, n| delete(m.tracked(bodies::item(n), 0)? + "/stock");
    GetRestock "all years, as many items as there can be, in XML" LISTS, |_, _| get("/restock"),
        |_, _| get("/restock?limit=5000"), |_, _| xml("/restock?from=01/01/1900&to=31/12/9999&limit=5000");
    ListJournal "the largest entries, in XML" LISTS, |_, _| get("/journal"), |_, _| get("/journal?limit=500"),
        |_, _| xml("/journal?limit=500");
    GetOpenapi "an `Accept` of 4 kB" READS, |_, _| get("/openapi.json"), |_, _| get("/openapi.json"),
        |_, _| Ok(get("/openapi.json")?.header("Accept", accept()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_measured() {
        for operation in Operation::all() {
            assert!(PAIRS.iter().any(|pair| pair.operation == operation), "{} has no pair", operation.id());
        }
    }
}
