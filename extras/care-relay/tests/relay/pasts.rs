//! Databases that are replaced by others.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use care_core::{
    model::{ItemDetails, MedicineName, PatientDetails},
    service::CareService,
    store::{MemoryStore, Seq},
};
use care_relay::{End, EventPage, EventSource, NewEndpoint, Relay, RelayError, SourceError, Start, State};
use care_store_sqlite::{DatabaseCopy, SqliteStore};
use tempfile::tempdir;
use tokio::{sync::oneshot, task::JoinHandle};

use crate::{
    process::Desk,
    receiver::{Reaction, Receiver},
    world::until,
};

/// A source whose database the test replaces.
#[derive(Clone)]
struct Replaced(Arc<Mutex<CareService>>);

impl Replaced {
    fn now(&self) -> CareService {
        self.0.lock().unwrap().clone()
    }
}

#[async_trait::async_trait]
impl EventSource for Replaced {
    async fn events(&self, after: Seq, limit: usize, wait: Duration) -> Result<EventPage, SourceError> {
        let care = self.now();
        let page = EventSource::events(&care, after, limit, wait.min(Duration::from_millis(50))).await?;
        // The server ends with its database, so an answer of the old one does not come.
        if self.now().epoch() == care.epoch() { Ok(page) } else { Err(SourceError("it restarts".to_owned())) }
    }

    async fn end(&self) -> Result<End, SourceError> {
        EventSource::end(&self.now()).await
    }
}

/// A relay in this process.
struct Running {
    stop: oneshot::Sender<()>,
    relay: JoinHandle<Result<(), RelayError>>,
}

impl Running {
    fn start(source: Replaced, desk: &Desk) -> Self {
        let relay = Relay::new(source, State::open(desk.state()).unwrap());
        let (stop, stopped) = oneshot::channel();
        Self { stop, relay: tokio::spawn(relay.run(async { stopped.await.unwrap_or_default() })) }
    }

    /// Ends the relay. Afterwards its file is free for another one.
    async fn stop(self) {
        drop(self.stop);
        self.relay.await.unwrap().unwrap();
    }
}

async fn register(care: &CareService, count: usize) {
    for _ in 0..count {
        care.register_patient(PatientDetails::default()).await.unwrap();
    }
}

async fn add_medicines(care: &CareService, names: &[&str]) {
    for name in names {
        care.add_item(MedicineName::new(*name).unwrap(), ItemDetails::default()).await.unwrap();
    }
}

async fn with_patients(count: usize) -> CareService {
    let care = CareService::new(MemoryStore::new());
    register(&care, count).await;
    care
}

#[tokio::test(flavor = "multi_thread")]
async fn another_epoch_pauses_every_endpoint_until_the_operator_says_from_where() {
    let (desk, receiver) = (Desk::new(), Receiver::well().await);
    let mut state = State::open(desk.state()).unwrap();
    let (networks, start) = (vec!["127.0.0.0/8".parse().unwrap()], Start::At(Seq::ZERO));
    state.add(&NewEndpoint { networks, start, ..NewEndpoint::new("clinic", receiver.url()) }).unwrap();
    let source = Replaced(Arc::new(Mutex::new(with_patients(3).await)));
    drop(state);
    let running = Running::start(source.clone(), &desk);
    until("the past is delivered", || receiver.count() == 3).await;

    *source.0.lock().unwrap() = with_patients(5).await;
    let listed = || String::from_utf8(desk.run(&["list", "--json"]).stdout).unwrap();
    let paused = r#"[{"name":"clinic","state":"paused","reason":"another-past"}]"#;
    until("it is paused", || listed().trim() == paused).await;
    assert_eq!(desk.run(&["list"]).status.code(), Some(1));
    assert_eq!(receiver.count(), 3, "something of another past was sent");

    let refused = desk.run(&["resume", "clinic"]);
    assert!(!refused.status.success() && String::from_utf8(refused.stderr).unwrap().contains("--from"));
    desk.does(&["resume", "clinic", "--from", "4"]);
    until("it goes on from there", || receiver.count() == 5).await;
    assert_eq!(receiver.seqs(), [1, 2, 3, 4, 5]);
    let epoch = source.now().epoch().to_string();
    assert!(receiver.got()[3..].iter().all(|got| got.id().starts_with(&epoch)));
    assert_eq!(desk.run(&["list"]).status.code(), Some(0));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_that_has_ended_leaves_its_file_to_the_next_one() {
    let desk = Desk::new();
    let source = Replaced(Arc::new(Mutex::new(with_patients(1).await)));
    for _ in 0..50 {
        Running::start(source.clone(), &desk).stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_that_is_shorter_than_it_was_is_another_past() {
    let (desk, receiver) = (Desk::new(), Receiver::well().await);
    let mut state = State::open(desk.state()).unwrap();
    let (networks, start) = (vec!["127.0.0.0/8".parse().unwrap()], Start::At(Seq::ZERO));
    state.add(&NewEndpoint { networks, start, ..NewEndpoint::new("clinic", receiver.url()) }).unwrap();
    let source = Replaced(Arc::new(Mutex::new(with_patients(4).await)));
    drop(state);
    let running = Running::start(source.clone(), &desk);
    until("the past is delivered", || receiver.count() == 4).await;
    running.stop().await;

    *source.0.lock().unwrap() = with_patients(1).await;
    let running = Running::start(source, &desk);
    until("it is paused", || !desk.run(&["list"]).status.success()).await;
    assert!(desk.does(&["show", "clinic"]).contains("state: paused (another-past)"));
    assert_eq!(receiver.count(), 4);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_backup_pauses_the_endpoint_and_nothing_is_sent_until_it_is_resumed() {
    let (desk, receiver, directory) = (Desk::new(), Receiver::well().await, tempdir().unwrap());
    let (database, older, newer) =
        (directory.path().join("care.db"), directory.path().join("older.db"), directory.path().join("newer.db"));
    let served = || CareService::new(SqliteStore::open(&database).unwrap());
    desk.add("clinic", &receiver, &[]);
    let care = served();
    register(&care, 2).await;
    DatabaseCopy::backup(&database, &older, false).unwrap().put().unwrap();
    register(&care, 1).await;
    DatabaseCopy::backup(&database, &newer, false).unwrap().put().unwrap();
    let follow = |care| Running::start(Replaced(Arc::new(Mutex::new(care))), &desk);
    let running = follow(care);
    until("all is delivered", || receiver.count() == 3).await;
    running.stop().await;

    // The newer backup has the last delivered entry, the older one has not.
    for (backup, advice) in [(&newer, "resume clinic --from 4"), (&older, "the pasts differ")] {
        DatabaseCopy::restore(backup, &database, true).unwrap().put().unwrap();
        let care = served();
        let running = follow(care.clone());
        until("it is paused", || desk.does(&["show", "clinic"]).contains("state: paused (another-past)")).await;
        assert!(desk.does(&["show", "clinic"]).contains(advice), "{}", desk.does(&["show", "clinic"]));
        register(&care, 1).await;
        let (before, from) = (receiver.count(), care.last().await.unwrap().to_string());
        desk.does(&["resume", "clinic", "--from", &from]);
        until("it goes on from there", || receiver.count() == before + 1).await;
        assert_eq!(receiver.got()[before].seq().to_string(), from);
        assert!(receiver.got()[before].id().starts_with(&care.epoch().to_string()));
        running.stop().await;
    }
    assert_eq!(receiver.count(), 5, "an entry of another past was sent");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_advice_is_not_about_what_was_passed_over() {
    let copied_by_hand = |backup: &Path, database: &Path| {
        fs::copy(backup, database).unwrap();
    };
    let restored = |backup: &Path, database: &Path| {
        DatabaseCopy::restore(backup, database, true).unwrap().put().unwrap();
    };
    for put_back in [restored as fn(&Path, &Path), copied_by_hand] {
        let (desk, receiver, directory) = (Desk::new(), Receiver::well().await, tempdir().unwrap());
        let (database, backup) = (directory.path().join("care.db"), directory.path().join("backup.db"));
        let served = || CareService::new(SqliteStore::open(&database).unwrap());
        let follow = |care| Running::start(Replaced(Arc::new(Mutex::new(care))), &desk);
        desk.add("patients", &receiver, &["--types", "patient.*"]);
        let care = served();
        register(&care, 2).await;
        add_medicines(&care, &["a"]).await;
        DatabaseCopy::backup(&database, &backup, false).unwrap().put().unwrap();
        add_medicines(&care, &["b", "c"]).await;
        let running = follow(care);
        until("all is delivered or passed over", || desk.does(&["show", "patients"]).contains("place: 5\n")).await;
        running.stop().await;

        // A read of the relay may still have the database open.
        until("the database is free", || SqliteStore::open(&database).is_ok()).await;
        put_back(&backup, &database);
        let care = served();
        let running = follow(care.clone());
        let shown = || desk.does(&["show", "patients"]);
        until("it is paused", || shown().contains("state: paused (another-past)")).await;
        assert!(shown().contains("resume patients --from 3"), "{}", shown());
        // Their numbers are among those that were passed over.
        register(&care, 2).await;
        desk.does(&["resume", "patients", "--from", "3"]);
        until("it goes on from there", || receiver.count() == 4).await;
        assert_eq!(receiver.seqs(), [1, 2, 4, 5]);
        running.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_advice_is_about_what_was_delivered_up_to_the_restore() {
    for (is_last_restored, advice) in [(true, "--from 4"), (false, "the pasts differ")] {
        let (desk, receiver, directory) = (Desk::new(), Receiver::well().await, tempdir().unwrap());
        let [database, backup, restored] =
            ["care.db", "backup.db", "restored.db"].map(|name| directory.path().join(name));
        let served = |path: &Path| CareService::new(SqliteStore::open(path).unwrap());
        let care = served(&database);
        let source = Replaced(Arc::new(Mutex::new(care.clone())));
        desk.add("known", &receiver, &[]);
        register(&care, 1).await;
        let running = Running::start(source.clone(), &desk);
        until("the first entry is delivered", || receiver.count() == 1).await;
        running.stop().await;

        // When this relay starts, one endpoint has got an entry and the other one nothing.
        desk.add("new", &receiver, &[]);
        let running = Running::start(source.clone(), &desk);
        register(&care, 1).await;
        if !is_last_restored {
            DatabaseCopy::backup(&database, &backup, false).unwrap().put().unwrap();
        }
        register(&care, 1).await;
        if is_last_restored {
            DatabaseCopy::backup(&database, &backup, false).unwrap().put().unwrap();
        }
        let shown = |name| desk.does(&["show", name]);
        let is_at_end = |name| shown(name).contains("place: 3\n");
        until("all is delivered", || is_at_end("known") && is_at_end("new")).await;
        DatabaseCopy::restore(&backup, &restored, false).unwrap().put().unwrap();
        *source.0.lock().unwrap() = served(&restored);
        for name in ["known", "new"] {
            until("it is paused", || shown(name).contains("state: paused (another-past)")).await;
            assert!(shown(name).contains(advice), "{}", shown(name));
        }
        assert_eq!(receiver.count(), 6, "an entry was sent twice");
        running.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_waits_for_its_next_attempt_is_paused_at_once() {
    let desk = Desk::new();
    let later = "HTTP/1.1 503 Later\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n";
    let waits = || Receiver::start(move |_| Reaction::Raw(later.to_owned()));
    let (waiting, news, gone) = (waits().await, waits().await, Receiver::start(|_| Reaction::Status(410)).await);
    desk.add("waiting", &waiting, &[]);
    desk.add("news", &news, &["--types", "relay.*"]);
    desk.add("gone", &gone, &[]);
    let source = Replaced(Arc::new(Mutex::new(with_patients(1).await)));
    let running = Running::start(source.clone(), &desk);
    let shown = |name| desk.does(&["show", name]);
    for name in ["waiting", "news"] {
        until("it waits", || shown(name).contains("next attempt: ")).await;
    }

    *source.0.lock().unwrap() = with_patients(1).await;
    for name in ["waiting", "news"] {
        until("it is paused", || shown(name).contains("state: paused (another-past)")).await;
    }
    assert_eq!((waiting.count(), news.count()), (1, 1), "something was sent before its time");
    running.stop().await;
}
