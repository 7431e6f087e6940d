//! Values and secrets that must not appear anywhere.

use std::fs;

use care_core::{
    model::{Disease, ItemDetails, MedicineName, PatientDetails},
    service::{NewConsultation, NewPrescription},
};

use crate::{
    process::Desk,
    receiver::{Reaction, Receiver},
    world::{World, until},
};

#[tokio::test(flavor = "multi_thread")]
async fn nothing_clinical_and_no_secret_leaks() {
    let (world, desk) = (World::start().await, Desk::new());
    let (well, ill) = (Receiver::well().await, Receiver::start(|_| Reaction::Reset).await);
    let secret = desk.add("well", &well, &[]);
    desk.add("ill", &ill, &[]);
    let url = format!("http://canary-user:canary-password@{}/canary-path?canary-query", well.address);
    desk.does(&["add", "userinfo", "--url", &url, "--allow-net", "127.0.0.0/8", "--from", "0"]);
    let medicine = MedicineName::new("Medicine One").unwrap();
    world.care.add_item(medicine.clone(), ItemDetails::default()).await.unwrap();
    let details: PatientDetails = PatientDetails::named("Canary Name").unwrap().phone(37_129_999_991).unwrap();
    let patient_id = world.care.register_patient(details).await.unwrap().patient_id;
    let diseases = vec![Disease::new("canary-disease").unwrap()];
    let prescriptions = vec![NewPrescription::of(medicine)];
    let visit = NewConsultation::of(patient_id).diagnosing(diseases).prescribing(prescriptions);
    world.care.record_consultation(visit).await.unwrap();

    let relay = desk.start(world.address, &["--metrics", "127.0.0.1:0"]);
    until("all is delivered", || well.count() == 6 && ill.count() > 0).await;
    let (list, show) = (desk.does(&["list", "--json"]), desk.does(&["show", "userinfo"]));
    let figures = crate::commands::asked(relay.metrics().unwrap(), "/metrics");
    let bodies: String = well.got().iter().map(|got| got.body.clone()).collect();
    let log = relay.log.text();
    assert!(relay.terminate().unwrap().status.success());
    let named = [("list", list), ("show", show), ("figures", figures), ("bodies", bodies), ("log", log)];
    for (place, text) in &named {
        let text = text.to_lowercase();
        for canary in ["canary", "37129999991", "/hook", &secret[6..].to_lowercase()] {
            assert!(!text.contains(canary), "{canary} in {place}: {text}");
        }
    }
    // The file holds URLs and secrets, and nothing clinical.
    let files = fs::read_dir(desk.directory.path()).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
    let held = String::from_utf8_lossy(&files.collect::<Vec<_>>().concat()).to_lowercase();
    assert!(held.contains("canary-path"));
    for canary in ["canary name", "canary-disease", "37129999991", "canary-of-a-key", "medicine one"] {
        assert!(!held.contains(canary), "{canary}");
    }
}
