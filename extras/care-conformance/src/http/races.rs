//! Many clients that want the same units at the same moment, each over a connection of its own.

use care_core::{
    model::{MedicineKey, MedicineName, MovementKind, PatientDetails, PatientId},
    service::NewPrescription,
    store::{Limit, MovementFilter, Seq},
};
use futures_executor::block_on;

use super::{RunningTarget, Setting, Target, World, judge::answer::Answer, text::request::Request};

/// The number of clients that want the same units.
const CLIENTS: i64 = 200;
/// The number of the first of their patients.
const FIRST: i64 = 1001;

/// A world with stock, and a frontend that serves it.
struct Pharmacy {
    world: World,
    started: RunningTarget,
}

impl Pharmacy {
    /// Opens a pharmacy with 3 units of `Metformin`.
    fn open(target: &dyn Target) -> Self {
        let world = target.world(&Setting { tracked_stock: true, ..Setting::default() });
        let started = target.start(world.api());
        Self { world, started }
    }

    /// Prescribes this quantity of the medicine to each of these patients, and returns the prescriptions' numbers.
    fn prescribe(&self, patients: i64, quantity: i64) -> Vec<i64> {
        let care = self.world.care();
        let prescribe = |number: i64| {
            let patient = PatientId::try_from(number).expect("a patient's number");
            let new = NewPrescription { quantity: quantity.try_into().ok(), ..NewPrescription::of(medicine()) };
            block_on(async {
                care.register_patient_as(patient, PatientDetails::default()).await.expect("a new patient");
                care.prescribe(patient, new).await.expect("a new prescription").prescription.prescription_id.value()
            })
        };
        (FIRST..FIRST + patients).map(prescribe).collect()
    }

    /// Sends these requests at once, and returns the answers.
    fn at_once(&self, requests: &[Request]) -> Vec<Answer> {
        self.started.at_once(requests).expect("every client is answered")
    }

    /// Checks that all records agree with the ledger. Returns how many units there are, and how many are reserved.
    fn shelf(&self) -> (i64, i64) {
        self.world.verify().expect("records and ledger agree");
        let stock = block_on(self.world.care().stock(key())).expect("the stock").record;
        (stock.levels().on_hand, stock.levels().reserved)
    }

    /// Counts the movements of this kind.
    fn moved(&self, kind: MovementKind) -> usize {
        let filter = MovementFilter { medicine: Some(key()), kind: Some(kind), ..MovementFilter::default() };
        block_on(self.world.care().movements(filter, None, Limit::items(1000))).expect("the ledger").items.len()
    }
}

fn medicine() -> MedicineName {
    MedicineName::new("Metformin").expect("a name")
}

fn key() -> MedicineKey {
    medicine().key().clone()
}

fn post(path: &str, body: Option<&str>, headers: &[(&str, &str)]) -> Request {
    let mut headers: Vec<_> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
    headers.push(("api_key".to_owned(), b"full".to_vec()));
    headers.extend(body.map(|_| ("Content-Type".to_owned(), b"application/json".to_vec())));
    let body = body.map(|body| body.as_bytes().to_vec());
    Request { method: "POST".to_owned(), target: format!("/1.0.0{path}"), headers, body, chunked: false }
}

fn header(answer: &Answer, name: &str) -> String {
    answer.header(name).ok().flatten().unwrap_or_else(|| panic!("no {name}: {}", answer.shown())).to_owned()
}

/// Counts the answers with this status.
fn count(answers: &[Answer], status: u16) -> usize {
    answers.iter().filter(|answer| answer.status == status).count()
}

/// Checks that of 200 clients that want an invoice for the last box exactly one gets it, and that 200 payments of that
/// invoice dispense the box once.
///
/// # Panics
/// When the box is sold twice.
/// When the box is sold twice.
pub fn two_hundred_want_the_last_box(target: &dyn Target) {
    let pharmacy = Pharmacy::open(target);
    let prescriptions = pharmacy.prescribe(CLIENTS, 3);
    let issue = |id: &i64| post(&format!("/prescriptions/{id}/invoice"), None, &[]);
    let answers = pharmacy.at_once(&prescriptions.iter().map(issue).collect::<Vec<_>>());
    assert_eq!((count(&answers, 201), count(&answers, 409)), (1, 199));
    let refused = |answer: &&Answer| answer.status == 409;
    for answer in answers.iter().filter(refused) {
        assert!(answer.shown().contains("insufficient-stock"), "{}", answer.shown());
    }
    assert_eq!(pharmacy.shelf(), (3, 3));

    let issued = answers.iter().find(|answer| answer.status == 201).expect("one invoice");
    let place = header(issued, "location");
    let payment = post(&format!("{}/payment", place.trim_start_matches("/1.0.0")), None, &[]);
    let answers = pharmacy.at_once(&vec![payment; prescriptions.len()]);
    assert_eq!(count(&answers, 200), 200);
    assert!(answers.iter().all(|answer| answer.body == answers[0].body), "all clients see the same history");
    assert_eq!((pharmacy.shelf(), pharmacy.moved(MovementKind::Dispense)), ((0, 0), 1));
}

/// Checks that a delivery that is sent 200 times under one key is recorded once.
///
/// # Panics
/// When it is recorded more often.
pub fn a_delivery_repeated_under_one_key_arrives_once(target: &dyn Target) {
    let pharmacy = Pharmacy::open(target);
    let body = r#"{"kind":"receipt","units":20,"lot":"A","expires":"31/12/2030"}"#;
    let delivery = post("/inventory/Metformin/movements", Some(body), &[("Idempotency-Key", "\"delivery\"")]);
    let answers = pharmacy.at_once(&vec![delivery; 200]);
    assert_eq!(count(&answers, 201), 200);
    assert!(answers.iter().all(|answer| answer.body == answers[0].body), "all clients see the same movement");
    assert_eq!((pharmacy.shelf(), pharmacy.moved(MovementKind::Receipt)), ((23, 0), 1));
}

/// Checks that, of many counts with one tag that are sent while others pay, at most one is accepted, and only before
/// every payment.
///
/// # Panics
/// When a count undoes what was dispensed meanwhile.
pub fn a_count_while_others_are_served_is_refused(target: &dyn Target) {
    let pharmacy = Pharmacy::open(target);
    let delivery = post("/inventory/Metformin/movements", Some(r#"{"kind":"receipt","units":57}"#), &[]);
    pharmacy.at_once(&[delivery]);
    let prescriptions = pharmacy.prescribe(20, 1);
    let care = pharmacy.world.care();
    let invoice = |id: i64| {
        let issued = block_on(care.issue_invoice(id.try_into().expect("a number"))).expect("an invoice");
        post(&format!("/invoice/{}/payment", issued.invoice.invoice_id.value()), None, &[])
    };
    let payments: Vec<_> = prescriptions.into_iter().map(invoice).collect();
    let get = Request { method: "GET".to_owned(), ..post("/inventory/Metformin/stock", None, &[]) };
    let shown = pharmacy.at_once(&[get]);
    let tag = header(&shown[0], "etag");
    let counted =
        |tag: &str| post("/inventory/Metformin/count", Some(r#"{"lines":[{"counted":100}]}"#), &[("If-Match", tag)]);
    let requests: Vec<_> = payments.into_iter().flat_map(|payment| [payment, counted(&tag)]).collect();
    let answers = pharmacy.at_once(&requests);
    let (served, refused) = (count(&answers, 200), count(&answers, 412));
    assert_eq!(served + refused, 40, "each is served or stale");
    let before = match served {
        20 => 60,
        21 => 100,
        more => panic!("{more} of 40 were served"),
    };
    assert_eq!((pharmacy.shelf(), pharmacy.moved(MovementKind::Dispense)), ((before - 20, 0), 20));
    // The tag stays stale, and the refusal leaves no trace.
    let last = pharmacy.world.journal(Seq::ZERO).len();
    assert_eq!(count(&pharmacy.at_once(&[counted(&tag)]), 412), 1);
    assert_eq!(pharmacy.world.journal(Seq::ZERO).len(), last);
}
