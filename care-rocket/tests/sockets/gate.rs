//! A store that keeps writes waiting.

use std::{
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    time::Duration,
};

use async_trait::async_trait;
use care_core::{
    error::Error,
    rest::Api,
    store::{Act, Decision, Journal as _, MemoryStore, Seq},
};
use care_testkit::{Hooks, Wrap};
use futures_channel::oneshot;

use crate::world::{api_on, fill};

/// A gate that holds writes back, and lets the first one through that came after it was closed.
pub(crate) struct Gate {
    arrived: Receiver<()>,
    open: oneshot::Sender<()>,
}

struct GatedStore {
    inner: MemoryStore,
    closed: Arc<Mutex<Option<ClosedGate>>>,
}

struct ClosedGate {
    arriving: Sender<()>,
    opened: oneshot::Receiver<()>,
}

/// Returns the usual world, in which the next write waits at the gate.
pub(crate) fn gated_api() -> (Api, Gate) {
    let closed = Arc::<Mutex<_>>::default();
    let api = api_on(Wrap(GatedStore { inner: MemoryStore::new(), closed: Arc::clone(&closed) }));
    fill(&api);
    let (arriving, arrived) = channel();
    let (open, opened) = oneshot::channel();
    *closed.lock().unwrap() = Some(ClosedGate { arriving, opened });
    (api, Gate { arrived, open })
}

impl Gate {
    pub(crate) fn wait_for_a_write(&self) {
        self.arrived.recv_timeout(Duration::from_secs(10)).unwrap();
    }

    pub(crate) fn open(self) {
        // The send fails when the write has been dropped; the test notices that by itself.
        let _ = self.open.send(());
    }
}

#[async_trait]
impl Hooks for GatedStore {
    type Store = MemoryStore;

    fn store(&self) -> &Self::Store {
        &self.inner
    }

    async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        let closed = self.closed.lock().unwrap().take();
        if let Some(ClosedGate { arriving, opened }) = closed {
            arriving.send(()).unwrap();
            opened.await.unwrap();
        }
        self.inner.transact(act, decision).await
    }
}
