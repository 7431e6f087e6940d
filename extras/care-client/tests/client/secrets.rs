//! The key appears in no log, no error and no `Debug` output.

use std::{
    io::Write,
    sync::{Arc, Mutex},
};

use care_core::model::{Name, PatientDetails, PatientId};
use tracing_subscriber::fmt::MakeWriter;

use crate::{
    cutter::Cutter,
    world::{KEY, World, at},
};

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_and_what_is_sent_are_shown_nowhere() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone());
    tracing::subscriber::set_global_default(subscriber.finish()).unwrap();
    tracing_log::LogTracer::init().unwrap();

    let world = World::start().await;
    let cutter = Cutter::before(world.address, 2).await;
    let (client, cut) = (world.client(), at(cutter.address, KEY));
    let details = PatientDetails { name: Name::new("Canary Example").unwrap().into(), ..PatientDetails::default() };
    let mut shown = vec![format!("{client:?}"), format!("{:?}", client.register_patient(&details))];
    let added = client.register_patient(&details).await.unwrap().record;
    shown.push(format!("{:?}", client.patients(&care_core::store::PatientFilter::default())));
    for failed in [
        client.patient(PatientId::try_from(99).unwrap()).await.unwrap_err(),
        at(world.address, "canary-of-another").patient(added.patient_id).await.unwrap_err(),
        client.register_patient_as(added.patient_id, &details).await.unwrap_err(),
    ] {
        shown.push(format!("{failed} {failed:?}"));
    }
    for _ in 0..4 {
        let update = cut.update_patient(added.patient_id, &details).await;
        shown.extend(update.err().map(|failed| format!("{failed} {failed:?}")));
    }
    assert!(cutter.lost() >= 2);
    let logged = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(!logged.is_empty(), "nothing was logged, so nothing was tried");
    for text in shown.iter().chain([&logged]) {
        let found = text.lines().find(|line| line.to_lowercase().contains("canary"));
        assert_eq!(found, None);
    }
}
