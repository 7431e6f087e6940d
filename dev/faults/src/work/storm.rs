//! Many clients at once. Each goes through the whole flow with patients of its own, as fast as it can.

use std::{
    mem,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;

use crate::{Answer, Attempt, Ending, Failure, Outcome, Over, Port, Request, Result, ask, beside, lock};

/// The medicine that every client changes.
const HOT: &str = "Ibuprofen";
/// The path of the movements of its units.
const MOVEMENTS: &str = "/inventory/Ibuprofen/movements";

/// The shared state of the clients of one clinic.
#[derive(Debug)]
pub(crate) struct Storm {
    /// The next number for a patient, phone, price or key. None is used twice.
    next: AtomicU64,
    over: AtomicBool,
    acknowledged: AtomicU64,
    /// Whether clients continue however often they are refused for now, reads included.
    outlasts: bool,
    /// The number that is noted with each answer, see [`Attempt::position`].
    pub(crate) position: Arc<AtomicUsize>,
}

/// The clients' knowledge once a storm is over.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Everything that they asked for.
    pub(super) asked: Vec<Attempt>,
    /// The forbidden answers.
    pub(super) failure: Option<Failure>,
}

impl Default for Storm {
    fn default() -> Self {
        Self::starting_at(1000)
    }
}

impl Storm {
    /// Makes a storm whose numbers start here.
    pub(crate) fn starting_at(next: u64) -> Self {
        Self {
            next: AtomicU64::new(next),
            over: AtomicBool::new(false),
            acknowledged: AtomicU64::new(0),
            outlasts: false,
            position: Arc::default(),
        }
    }

    /// Makes a storm that continues through outages behind the servers.
    #[cfg(feature = "postgres")]
    pub(crate) fn through_outages() -> Self {
        Self { outlasts: true, ..Self::default() }
    }

    /// Tells the clients to stop.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Returns how many writes were acknowledged since the clinic was opened.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::Relaxed)
    }

    /// Runs a client on each port until [`end`](Self::end) is called or the server no longer answers, and runs
    /// `meanwhile` at the same time.
    pub(super) fn run_clients<T>(
        &self,
        ports: Vec<Box<dyn Port + '_>>,
        dice: &mut Dice,
        meanwhile: impl FnOnce() -> T,
    ) -> Result<(Account, T)> {
        self.over.store(false, Ordering::Relaxed);
        let clients = ports.into_iter().map(|port| {
            let dice = Dice::new(dice.roll(u64::MAX));
            Mutex::new(Client { storm: self, port, dice, account: Account::default(), tired: 0 })
        });
        let clients: Vec<_> = clients.collect();
        let write = |number, _: &Over| {
            let mut client = lock(&clients[number as usize]);
            while client.goes_on() {
                client.patient();
            }
            Ok(mem::take(&mut client.account))
        };
        let (accounts, done) = beside(clients.len(), write, || Ok(meanwhile()))?;
        let mut all = Account::default();
        for account in accounts {
            all.asked.extend(account.asked);
            all.failure = all.failure.take().or(account.failure);
        }
        Ok((all, done))
    }

    /// Returns a number that was never returned before.
    pub(crate) fn serial(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }
}

/// The number of refusals in a row after which a client gives up, unless the storm continues through outages.
const TIRED: u32 = 8;
/// Pause between a refusal and the next request of a client that continues.
const PAUSE: Duration = Duration::from_millis(5);

struct Client<'a> {
    storm: &'a Storm,
    port: Box<dyn Port + 'a>,
    dice: Dice,
    account: Account,
    /// The number of refusals in a row.
    tired: u32,
}

impl Client<'_> {
    fn goes_on(&self) -> bool {
        self.account.failure.is_none() && self.tired < TIRED && !self.storm.over.load(Ordering::Relaxed)
    }

    fn position(&self) -> usize {
        self.storm.position.load(Ordering::SeqCst)
    }

    /// Goes through the flow with a new patient, until something is not acknowledged.
    fn patient(&mut self) -> Option<()> {
        let id = self.storm.serial();
        let birth = self.dice.pick(["", r#","birthDate":"29/02/1960""#, r#","age":36"#]).unwrap_or_default();
        let allergies = self.dice.pick(["", r#","allergies":"Penicillin""#]).unwrap_or_default();
        let registration = format!(r#"{{"patientId":{id},"name":"Storm","phone":{id}{birth}{allergies}}}"#);
        self.post("/patient", &registration, &format!("Patient {id}"))?;
        if self.dice.one_in(4) {
            self.must_be_refused(Request::new("POST", "/patient").body(&registration), 409)?;
        }
        let phone = self.storm.serial();
        let update = format!(r#"{{"patientId":{id},"phone":{phone}}}"#);
        self.change(Request::new("PUT", "/patient").body(update), vec![format!("phone {phone}")])?;
        self.must_show(&format!("/patient/{id}"), "phone", phone)?;
        let visit = format!(
            r#"{{"patientId":{id},"diseases":["Gout"],"prescriptions":[{{"medicine":"{HOT}"}},{{"medicine":"Metformin","isRegular":true}}]}}"#
        );
        let visit = self.post("/consultations", &visit, "Consultation")?;
        let prescriptions = visit.document().ok()?["prescriptionIds"].as_array()?.clone();
        for (place, prescription) in prescriptions.iter().filter_map(serde_json::Value::as_i64).enumerate() {
            self.bill(prescription, place == 0)?;
        }
        if self.dice.one_in(4) {
            self.shelf()?;
        }
        let price = self.storm.serial();
        let update = format!(r#"{{"patientId":{id},"medicine":"Metformin","price":{price}}}"#);
        self.change(Request::new("PUT", "/prescriptions").body(update), vec![format!("Prescription price {price}")])?;
        if self.dice.one_in(2) {
            let more = format!(r#"{{"patientId":{id},"medicine":"Paracetamol"}}"#);
            let number = self.post("/prescriptions", &more, "Prescription")?.number()?;
            let gone = format!("removed Prescription {number}");
            self.change(Request::new("DELETE", format!("/prescriptions/{number}")), vec![gone])?;
        }
        if self.dice.one_in(4) {
            let price = self.storm.serial();
            let hot = Request::new("PUT", format!("/inventory/{HOT}")).body(format!(r#"{{"price":{price}}}"#));
            self.change(hot, vec![format!("Item price {price}")])?;
        }
        self.must_show(&format!("/history/{id}"), "visits", 1)?;
        if self.dice.one_in(2) && !self.storm.outlasts {
            self.head()?;
        }
        Some(())
    }

    /// Reads the head of the journal after an acknowledged write. Its entry must keep its link, whatever comes.
    fn head(&mut self) -> Option<()> {
        let page = ask(&mut *self.port, Request::get("/journal?limit=1")).ok()?.document().ok()?;
        let (seq, link) = (page["head"]["seq"].as_u64()?, page["head"]["link"].as_str()?);
        let position = self.position();
        let last = self.account.asked.last_mut()?;
        last.marks.push(format!("head {seq}:{link}"));
        last.position = position;
        Some(())
    }

    /// Invoices a prescription and pays. Paying for a tracked medicine dispenses a unit, which may be returned.
    fn bill(&mut self, prescription: i64, is_counted: bool) -> Option<()> {
        let issue = format!("/prescriptions/{prescription}/invoice");
        let mut invoice = self.post(&issue, "{}", "Invoice")?.number()?;
        if self.dice.one_in(4) {
            let gone = format!("removed Invoice {invoice}");
            self.change(Request::new("DELETE", format!("/invoice/{invoice}")), vec![gone])?;
            invoice = self.post(&issue, "{}", "Invoice")?.number()?;
        }
        let payment = format!("/invoice/{invoice}/payment");
        let mut marks = vec![format!("paid {invoice}")];
        marks.extend(is_counted.then(|| format!("handed out for {invoice}")));
        let mut request = Request::new("POST", &payment).body("{}");
        if self.dice.one_in(2) {
            let key = format!("k{}", self.storm.serial());
            marks.push(format!("reply {key}"));
            request = request.key(key);
        }
        let paid = self.change(request, marks)?;
        if self.dice.one_in(4) {
            // A repeated payment counts nothing and writes nothing.
            let again = self.change(Request::new("POST", &payment).body("{}"), Vec::new())?;
            if again.body != paid.body {
                let words = format!("a second payment of {payment} is answered {}, not {}", again.body, paid.body);
                return self.fail(words);
            }
        }
        if is_counted && self.dice.one_in(4) {
            let back = format!(r#"{{"kind":"return","units":1,"invoiceId":{invoice},"lot":"a","note":"sealed"}}"#);
            self.post(MOVEMENTS, &back, "Movement")?;
            self.must_be_refused(Request::new("POST", MOVEMENTS).body(back), 409)?;
        } else if self.dice.one_in(4) {
            self.refund(invoice, is_counted)?;
        }
        Some(())
    }

    /// Refunds a payment, once, with what was handed out for it, and corrects the method of the refund.
    fn refund(&mut self, invoice: i64, is_counted: bool) -> Option<()> {
        let path = format!("/invoice/{invoice}/refund");
        let body = format!(r#"{{"reason":"returned","restock":{is_counted}}}"#);
        let refund = self.post(&path, &body, "Receipt")?.number()?;
        self.account.asked.last_mut()?.marks.push(format!("refunded {invoice}"));
        self.must_be_refused(Request::new("POST", path).body(body), 409)?;
        self.post(&format!("/receipts/{refund}/correction"), r#"{"method":"card"}"#, "Receipt").map(drop)
    }

    /// Receives deliveries, reverses some of them, removes a unit, and counts.
    fn shelf(&mut self) -> Option<()> {
        let lot = self.dice.roll(8);
        // Lots without an expiry date are dispensed in the order of their text: payments never touch these.
        let delivery = format!(r#"{{"kind":"receipt","units":5,"lot":"l{lot}"}}"#);
        let received = self.post(MOVEMENTS, &delivery, "Movement")?.number()?;
        if self.dice.one_in(2) {
            let undo = format!("/movements/{received}/reversal");
            self.post(&undo, "{}", "Movement")?;
            self.must_be_refused(Request::new("POST", undo), 409)?;
        }
        if self.dice.one_in(2) {
            self.post(MOVEMENTS, r#"{"kind":"removal","units":1,"lot":"a","reason":"lost"}"#, "Movement")?;
        }
        let (serial, key) = (self.storm.serial(), format!("k{}", self.storm.serial()));
        let count = format!(r#"{{"lines":[{{"lot":"c","counted":{}}}]}}"#, serial % 1000);
        let count = Request::new("POST", format!("/inventory/{HOT}/count")).body(count);
        let stale = count.clone().header("If-Match", "\"00000000-1-json\"");
        self.change(count.key(&key), vec![format!("reply {key}")])?;
        self.must_be_refused(stale, 412)
    }

    /// Creates a record under a key of its own. `made` is its kind, with its number if the client knows it beforehand.
    fn post(&mut self, path: &str, body: &str, made: &str) -> Option<Answer> {
        let key = format!("k{}", self.storm.serial());
        let marks = vec![format!("reply {key}")];
        let answer = self.change(Request::new("POST", path).body(body).key(&key), marks)?;
        let made = match made.contains(' ') {
            true => made.to_owned(),
            false => format!("{made} {}", answer.number()?),
        };
        let last = self.account.asked.last_mut()?;
        last.marks.push(format!("{key} put {made}"));
        Some(answer)
    }

    /// Sends a write, and returns the answer if it was acknowledged.
    fn change(&mut self, request: Request, marks: Vec<String>) -> Option<Answer> {
        let sent = Instant::now();
        let ending = self.port.ask(&request);
        let outcome = match ending.status() {
            Some(200 | 201 | 204) => {
                self.tired = 0;
                self.storm.acknowledged.fetch_add(1, Ordering::Relaxed);
                Outcome::Done
            }
            Some(503 | 507) => {
                match self.storm.outlasts {
                    true => thread::sleep(PAUSE),
                    false => self.tired += 1,
                }
                Outcome::Refused
            }
            Some(500) => Outcome::Unknown,
            Some(_) => return self.fail(format!("{} {} is answered {ending:?}", request.method, request.path)),
            None => {
                self.tired = TIRED;
                Outcome::Unknown
            }
        };
        let position = self.position();
        if !matches!(ending, Ending::Gone) {
            self.account.asked.push(Attempt { request, marks, outcome, sent, position });
        }
        ending.answer().filter(|_| outcome == Outcome::Done)
    }

    /// Sends a request that must be refused with this status.
    fn must_be_refused(&mut self, request: Request, status: u16) -> Option<()> {
        let answer = self.port.ask(&request).answer()?;
        match answer.status == status || answer.status >= 500 {
            true => Some(()),
            false => self.fail(format!("{} {} once more is answered {answer:?}", request.method, request.path)),
        }
    }

    /// Reads a field that must have the acknowledged value.
    fn must_show(&mut self, path: &str, field: &str, value: u64) -> Option<()> {
        let answer = self.port.ask(&Request::get(path)).answer()?;
        if self.storm.outlasts && matches!(answer.status, 503 | 507) {
            return None;
        }
        let shown = answer.document().ok();
        if answer.status != 200 || shown.and_then(|shown| shown[field].as_u64()) != Some(value) {
            return self.fail(format!("{path} must show {field} {value}, but: {answer:?}"));
        }
        Some(())
    }

    fn fail<T>(&mut self, words: String) -> Option<T> {
        self.account.failure.get_or_insert(Failure::new(words));
        None
    }
}
