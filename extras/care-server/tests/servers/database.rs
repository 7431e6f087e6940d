//! Acknowledged writes survive.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use care_testkit::{Server, Wire, sent};
use tempfile::tempdir;

use crate::process::Bin;

/// Writers that register patients as fast as they can until the server is gone.
pub(crate) struct Load {
    writers: Vec<JoinHandle<Account>>,
    answered: Arc<AtomicBool>,
}

/// The results of the writers once the server is gone.
#[derive(Debug, Default)]
pub(crate) struct Account {
    pub(crate) acknowledged: BTreeSet<u32>,
    /// When each request was sent whose connection ended without an answer.
    pub(crate) unanswered: Vec<Instant>,
}

impl Load {
    pub(crate) fn on(address: SocketAddr) -> Self {
        let answered = Arc::new(AtomicBool::new(false));
        let writers = (0..8).map(|writer| {
            let answered = Arc::clone(&answered);
            thread::spawn(move || {
                let mut account = Account::default();
                let mut wire = None;
                for id in (1..100_000).map(|count| count * 8 + writer) {
                    let body = format!(r#"{{"patientId": {id}}}"#);
                    let request = sent("POST", "/1.0.0/patient").body(&body);
                    let kept = wire.take().or_else(|| Wire::try_open(address).ok());
                    let Some(mut connection) = kept else {
                        break;
                    };
                    let begun = Instant::now();
                    connection.send(request.written());
                    let Ok(answer) = connection.try_answer() else {
                        account.unanswered.push(begun);
                        break;
                    };
                    assert_eq!(answer.status, 201, "{answer:?}");
                    answered.store(true, Ordering::Release);
                    account.acknowledged.insert(id);
                    if answer.header("connection") != Some("close") {
                        wire = Some(connection);
                    }
                }
                account
            })
        });
        Self { writers: writers.collect(), answered }
    }

    /// Waits until the writers have started, and a little longer.
    pub(crate) fn run(&self) {
        for _ in 0..1000 {
            if self.answered.load(Ordering::Acquire) {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        thread::sleep(Duration::from_millis(300));
    }

    /// Returns the results of the writers, once the server is gone.
    pub(crate) fn account(self) -> Account {
        let mut all = Account::default();
        for writer in self.writers {
            let Account { acknowledged, unanswered } = writer.join().unwrap();
            all.acknowledged.extend(acknowledged);
            all.unanswered.extend(unanswered);
        }
        assert!(!all.acknowledged.is_empty());
        all
    }
}

/// Returns the numbers of all patients on the server.
pub(crate) fn patients(server: &Server) -> BTreeSet<u32> {
    let mut wire = server.wire();
    let mut numbers = BTreeSet::new();
    let mut target = "/1.0.0/patient?limit=500".to_owned();
    for _ in 0..1000 {
        let page = sent("GET", &target).over(&mut wire);
        assert_eq!(page.status, 200, "{page:?}");
        for part in page.body.split(r#""patientId":"#).skip(1) {
            let digits = part.split(|c: char| !c.is_ascii_digit()).next().unwrap();
            numbers.insert(digits.parse().unwrap());
        }
        let Some(link) = page.header("link") else {
            return numbers;
        };
        link.trim_start_matches('<').split('>').next().unwrap().clone_into(&mut target);
    }
    panic!("the pages have no end");
}

on_both! {
    fn nothing_acknowledged_is_lost_when_it_is_killed(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &[]);
        let load = Load::on(server.address);
        load.run();
        server.kill().unwrap();
        let account = load.account();
        let server = bin.start(directory.path(), &[]);
        assert!(patients(&server).is_superset(&account.acknowledged));
    }

    fn servers_that_share_see_each_others_writes(bin: Bin) {
        let directory = tempdir().unwrap();
        let args = ["--shared"];
        let servers = [bin, Bin::POEM, Bin::ROCKET].map(|bin| bin.start(directory.path(), &args));
        for round in 0..10 {
            for (index, writer) in servers.iter().enumerate() {
                let id = round * servers.len() + index + 1;
                let patient = format!(r#"{{"patientId": {id}}}"#);
                let answer = writer.answer(&sent("POST", "/1.0.0/patient").body(&patient));
                assert_eq!(answer.status, 201, "{answer:?}");
                for reader in &servers {
                    let read = sent("GET", &format!("/1.0.0/patient/{id}"));
                    assert_eq!(reader.answer(&read).status, 200);
                }
            }
        }
    }
}
