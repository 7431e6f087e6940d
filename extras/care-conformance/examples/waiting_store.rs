//! A store that waits: every load, commit and look at the keys takes a while, as over a network.
//!
//! It takes a decision step by step and waits in between, so a current-thread runtime serves other requests meanwhile.
//! Its records, journal and keys are those of a `MemoryStore`.
//!
//! ```text
//! cargo run -p care-conformance --example waiting_store
//! cargo test -p care-conformance --example waiting_store
//! ```

use std::{
    env,
    error::Error as StdError,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use axum::Router;
use care_core::{
    error::{Error, StoreError},
    keys::{KeyManager, NewKey, Scopes, StoredKeys},
    model::{ApiKey, KeyName, PatientDetails},
    rest::{Api, ApiService},
    service::CareService,
    store::{
        Act, ApiKeys, CommitNotifier, Deciding, Decision, Entry, Epoch, Journal, Key, KeyDecision, Limit, Lookup,
        MemoryStore, Portion, Query, Question, Record, Records, ReplayError, Seq, Step, Versioned,
    },
};
use tokio::{net::TcpListener, sync::RwLock, time::sleep};

const DELAY: Duration = Duration::from_millis(10);

struct WaitingStore {
    inner: MemoryStore,
    /// The time that each load, commit and look at the keys takes.
    delay: Duration,
    /// Held while a question or a decision is under way, so that each is answered from one state of the records.
    turn: RwLock<()>,
    /// The number of the last entry that was replayed here. The memory store replays the entries of decisions, too.
    replayed: AtomicU64,
}

impl WaitingStore {
    fn new(delay: Duration) -> Self {
        Self { inner: MemoryStore::default(), delay, turn: RwLock::default(), replayed: AtomicU64::new(0) }
    }

    async fn load(&self, keys: &[Key]) -> Result<Vec<Lookup>, Error> {
        sleep(self.delay).await;
        let mut found = Vec::new();
        self.inner
            .read(&mut |seen| {
                found = keys.iter().map(|key| seen.lookup(key)).collect::<Result<_, _>>()?;
                Ok(())
            })
            .await?;
        Ok(found)
    }
}

#[async_trait]
impl Records for WaitingStore {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        let _turn = self.turn.read().await;
        let mut asking = Deciding::new(question);
        loop {
            match asking.step() {
                Step::Need(keys) => {
                    let found = self.load(&keys).await?;
                    keys.into_iter().zip(found).for_each(|(key, found)| asking.enter(key, found));
                }
                Step::Done(()) => return Ok(()),
                Step::Refused(error) => return Err(error),
            }
        }
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        sleep(self.delay).await;
        self.inner.list(query, limit).await
    }
}

#[async_trait]
impl Journal for WaitingStore {
    fn epoch(&self) -> Epoch {
        self.inner.epoch()
    }

    async fn transact(&self, act: Act, mut decision: Decision) -> Result<Option<Seq>, Error> {
        let _turn = self.turn.write().await;
        act.in_time()?;
        let mut deciding = Deciding::of(&mut decision);
        let plan = loop {
            match deciding.step() {
                Step::Need(keys) => {
                    act.in_time()?;
                    let found = self.load(&keys).await?;
                    keys.into_iter().zip(found).for_each(|(key, found)| deciding.enter(key, found));
                }
                Step::Done(plan) => break plan,
                Step::Refused(error) => return Err(error),
            }
        };
        if plan.is_empty() {
            return Ok(None);
        }
        sleep(self.delay).await;
        let entry = act.enter(self.inner.head().await?, plan)?;
        let seq = entry.seq;
        // The memory store commits without waiting, so a future that is dropped has committed all of it or nothing.
        self.inner.replay(vec![entry]).await.map_err(|error| match error {
            ReplayError::Store(error) => error,
            error => StoreError::new(care_core::error::StoreErrorKind::Broken, error),
        })?;
        Ok(Some(seq))
    }

    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        let _turn = self.turn.write().await;
        sleep(self.delay).await;
        let last = entries.last().map(|entry| entry.seq.value());
        self.inner.replay(entries).await?;
        if let Some(last) = last {
            self.replayed.store(last, Ordering::SeqCst);
        }
        Ok(())
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        sleep(self.delay).await;
        self.inner.journal(after, limit).await
    }

    fn add_notifier(&self, notifier: CommitNotifier) {
        self.inner.add_notifier(notifier);
    }
}

#[async_trait]
impl ApiKeys for WaitingStore {
    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        sleep(self.delay).await;
        self.inner.api_keys().await
    }

    async fn decide_keys(&self, decision: KeyDecision) -> Result<(), StoreError> {
        sleep(self.delay).await;
        self.inner.decide_keys(decision).await
    }

    async fn replayed(&self) -> Result<Seq, StoreError> {
        sleep(self.delay).await;
        Ok(Seq::new(self.replayed.load(Ordering::SeqCst)))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn StdError>> {
    let (routes, key) = clinic().await?;
    println!("key {key}");
    // Port 0 is any that is free.
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let listener = TcpListener::bind(address).await?;
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, routes).await?;
    Ok(())
}

/// Returns the service on a waiting store with one patient, and a key that the store keeps.
async fn clinic() -> Result<(Router, String), Box<dyn StdError>> {
    let store = Arc::new(WaitingStore::new(DELAY));
    let care = CareService::new(Arc::clone(&store));
    let details = PatientDetails::named("Ada Example")?;
    care.register_patient(details).await?;
    let new = NewKey::new(KeyName::new("front desk")?, Scopes::ALL);
    let key = KeyManager::new(Arc::clone(&store) as Arc<dyn ApiKeys>).issue(new).await?;
    let api = Api::new(care).with_base_path("/care/1.0.0")?.with_keys(StoredKeys::new(store));
    Ok((Router::new().fallback_service(ApiService::new(api)), key.as_str().to_owned()))
}

#[cfg(test)]
mod tests {
    use care_conformance::store::StoreFixture;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
    };

    use super::*;

    care_conformance::store_suite!(OnOneThread);

    struct OnOneThread;

    impl StoreFixture for OnOneThread {
        type Store = WaitingStore;

        fn open(&self) -> WaitingStore {
            WaitingStore::new(DELAY)
        }

        fn keys<'a>(&self, store: &'a Self::Store) -> Option<&'a dyn ApiKeys> {
            Some(store)
        }

        fn reopen(&self, _: WaitingStore) -> Option<WaitingStore> {
            None
        }

        fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
            // The suite loads more than 10,000 times. A paused clock ends a wait when nothing else can run.
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
            runtime.expect("a runtime is made").block_on(future)
        }

        // A reader waits for the decision whose turn it is.
        fn reads_pass_decisions(&self) -> bool {
            false
        }
    }

    /// Returns the whole answer to a GET of the patient with this key.
    async fn get(address: std::net::SocketAddr, key: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = "GET /care/1.0.0/patient/1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
        stream.write_all(format!("{head}api_key: {key}\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test(flavor = "current_thread")]
    async fn it_serves_with_stored_keys_on_one_thread() {
        let (routes, key) = clinic().await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, routes).await });
        let patient = get(address, &key).await;
        assert!(patient.starts_with("HTTP/1.1 200 OK\r\n"), "{patient}");
        assert!(patient.contains(r#""name":"Ada Example""#), "{patient}");
        let nobody = get(address, "example-key").await;
        assert!(nobody.starts_with("HTTP/1.1 401 "), "{nobody}");
    }
}
