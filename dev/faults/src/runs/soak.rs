//! A long run: a server keeps answering as at first, and does not grow.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;

use super::memory::{Growth, Sample};
use crate::{
    Answer, Clinic, Ending, Failure, Finding, Outcome, Port, Request, Result, Run, Server, Wire, ask, ensure, lock,
    mib, post,
};

/// The number of clients, each with a connection that it keeps.
const CLIENTS: usize = 8;
/// The number of reads before each request of the storm.
const READS: u64 = 9;
/// The number of times that memory is measured.
const SAMPLES: u64 = 200;
/// The number of patients that no client changes.
const PATIENTS: u64 = 20;
/// The longest time without an answer to any client.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends this many requests, nine in ten of them reads whose answers are known and one in ten from a storm, and watches
/// the servers' memory.
pub(crate) fn soak(run: &Run) -> Result<Vec<Finding>> {
    let (mut requests, mut acknowledged, mut found) = (0, 0, "every answer as expected, 0 lost".to_owned());
    for (number, (name, program)) in run.programs.iter().enumerate() {
        let mut clinic = Clinic::new()?;
        let server = clinic.serve(program)?;
        let views = views(&mut server.port())?;
        let (mut dice, asked, failure) = (run.dice(), AtomicU64::new(0), Mutex::default());
        let readers = (0..CLIENTS).map(|_| {
            let (wire, dice) = (server.port(), Dice::new(dice.roll(u64::MAX)));
            Box::new(Reader { wire, views: &views, dice, asked: &asked, failure: &failure }) as Box<dyn Port + '_>
        });
        let readers = readers.collect();
        let done = clinic.beside(readers, &mut dice, |_, _| watch(&server, &asked, &failure, run.each()));
        failure.into_inner().unwrap_or_default().map_or(Ok(()), Err)?;
        let samples = done?;
        let cost = clinic.asked.iter().find(|asked| asked.outcome != Outcome::Done);
        ensure!(cost.is_none(), "not acknowledged: {cost:?}");
        server.kill()?;
        clinic.prove()?;
        let growth = Growth::of(&samples).hold()?;
        let last = samples.last().ok_or_else(|| Failure::new("nothing was sampled"))?;
        requests += last.requests;
        acknowledged += clinic.storm.acknowledged();
        let separator = if number == 0 { ";" } else { "," };
        let (memory, slope) = (mib(last.bytes), growth.slope);
        found += &format!("{separator} {name} {memory:.0} MiB in the end and {slope:+.1} bytes a request");
    }
    let mut finding = Finding::new(format!("{requests} requests; {acknowledged} writes acknowledged")).found(found);
    finding.bar(acknowledged * 20 > requests, || format!("only {acknowledged} writes were acknowledged"));
    Ok(vec![finding])
}

/// Measures memory at regular request counts.
fn watch(server: &Server, count: &AtomicU64, failure: &Mutex<Option<Failure>>, requests: u64) -> Result<Vec<Sample>> {
    let step = (requests / SAMPLES).max(1);
    let mut samples = Vec::new();
    let mut next = 0;
    let (mut seen, mut since) = (0, Instant::now());
    while next <= requests {
        let asked = count.load(Ordering::Relaxed);
        if asked >= next {
            samples.push(Sample { requests: asked, bytes: server.memory()? });
            next = (asked / step + 1) * step;
        }
        if asked > seen {
            (seen, since) = (asked, Instant::now());
        }
        ensure!(since.elapsed() < PATIENCE && lock(failure).is_none(), "after {asked} requests no client is answered");
        thread::sleep(Duration::from_millis(1));
    }
    Ok(samples)
}

/// A read, and the answer that it must always get.
#[derive(Debug)]
struct View {
    request: Request,
    status: u16,
    /// The body, unless it differs each time, as a refusal's does.
    body: Option<String>,
}

/// Registers patients that no client changes, and reads them in every way.
fn views(wire: &mut Wire) -> Result<Vec<View>> {
    let json = |path: &str| Request::get(path);
    let xml = |path: &str| json(path).header("Accept", "application/xml");
    for id in 1..=PATIENTS {
        let patient = format!(r#"{{"patientId":{id},"name":"Soak <&> {id}","email":"soak@example","phone":{id}}}"#);
        post(wire, "/patient", patient)?;
    }
    let mut views = Vec::new();
    for id in 1..=PATIENTS {
        let (patient, list) = (format!("/patient/{id}"), format!("/patient?limit={}", id % 10 + 1));
        for request in [json(&patient), xml(&patient), json(&list), xml(&list), json("/inventory/Paracetamol")] {
            let answer = ask(wire, request.clone())?;
            if let Some(tag) = answer.tag {
                let unchanged = request.clone().header("If-None-Match", tag);
                views.push(View { request: unchanged, status: 304, body: Some(String::new()) });
            }
            views.push(View { request, status: answer.status, body: Some(answer.body) });
        }
    }
    views.push(View { request: json("/patient/999"), status: 404, body: None });
    Ok(views)
}

/// A port that reads several times before it passes a request on.
struct Reader<'a> {
    wire: Wire,
    views: &'a [View],
    dice: Dice,
    /// The requests of all clients, and the first answer that is not as it must be.
    asked: &'a AtomicU64,
    failure: &'a Mutex<Option<Failure>>,
}

impl Port for Reader<'_> {
    fn ask(&mut self, request: &Request) -> Ending {
        for _ in 0..READS {
            let view = &self.views[self.dice.roll(self.views.len() as u64) as usize];
            let answer = self.wire.ask(&view.request).answer();
            let is_body = |answer: &Answer| view.body.as_ref().is_none_or(|body| *body == answer.body);
            if !answer.as_ref().is_some_and(|answer| answer.status == view.status && is_body(answer)) {
                let words = format!("{:?} is answered {answer:?}", view.request);
                lock(self.failure).get_or_insert(Failure::new(words));
                return Ending::Gone;
            }
            self.asked.fetch_add(1, Ordering::Relaxed);
        }
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.wire.ask(request)
    }
}
