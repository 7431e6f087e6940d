//! Addresses, the client beneath, and what answers and refusals say of themselves.

use std::{env, process::Command};

use care_client::{CareClient, ClientError, reqwest};
use care_core::{
    model::{MedicineName, PatientDetails, PatientId},
    service::NewPrescription,
};

use crate::world::{KEY, World};

/// Says to a copy of this process that it has no certificates.
const BARE: &str = "CARE_CLIENT_TEST_BARE";

#[test]
fn an_address_says_how_it_must_begin() {
    for address in ["care.example.org", "ftp://care.example.org", "", "https://care.example.org/?a=b"] {
        let refused = CareClient::new(address, KEY).unwrap_err();
        assert!(matches!(refused, ClientError::Address), "{address}");
        assert!(refused.to_string().contains("must begin with http:// or https://"), "{refused}");
    }
}

#[test]
fn without_tls_no_certificates_are_needed() {
    if env::var_os(BARE).is_none() {
        let mut bare = Command::new(env::current_exe().unwrap());
        bare.args(["--exact", "addresses::without_tls_no_certificates_are_needed"]).env(BARE, "1");
        let ended = bare.env("SSL_CERT_FILE", "/nowhere").env("SSL_CERT_DIR", "/nowhere").output().unwrap();
        assert!(ended.status.success(), "{ended:?}");
        return;
    }
    assert!(CareClient::new("http://care.example.org/1.0.0", KEY).is_ok());
    let encrypted = CareClient::new("https://care.example.org/1.0.0", KEY);
    assert!(matches!(encrypted, Err(ClientError::Setup(_))), "the system has certificates all the same");
}

#[tokio::test]
async fn what_is_made_says_its_number_through_a_client_of_the_callers() {
    let world = World::start().await;
    let http = reqwest::Client::builder().tls_backend_preconfigured(unused_tls()).build().unwrap();
    let care = CareClient::over(http, &format!("http://{}/1.0.0/", world.address), KEY).unwrap();
    let ada = care.register_patient(&PatientDetails::named("Ada Example").unwrap()).await.unwrap();
    assert_eq!(ada.patient_id, PatientId::FIRST);
    let new = NewPrescription::of(MedicineName::new("Ibuprofen 400").unwrap());
    let prescribed = care.prescribe(ada.patient_id, &new).await.unwrap();
    let invoice = care.issue_invoice(prescribed.id().unwrap()).await.unwrap();
    assert_eq!(care.pay_invoice(invoice.id().unwrap()).await.unwrap().visits, 1);
    let refused = care.invoice(99.try_into().unwrap()).await.unwrap_err();
    assert_eq!(refused.to_string(), "404: There is no such record");
    let details = serde_json::from_value(serde_json::json!({ "age": 200 })).unwrap();
    let refused = care.update_patient(ada.patient_id, &details).await.unwrap_err();
    assert_eq!(refused.to_string(), "422: Some values are not allowed; age must be 0 to 150");
}

/// Returns TLS settings that no request uses.
fn unused_tls() -> rustls::ClientConfig {
    let config = rustls::ClientConfig::builder_with_provider(rustls::crypto::ring::default_provider().into());
    let config = config.with_safe_default_protocol_versions().unwrap();
    config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth()
}
