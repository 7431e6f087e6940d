//! The service inside a Rocket application that has routes, state and a fairing of its own.
//!
//! Everything below `/care/1.0.0` is the service's; the rest stays the application's. Both use the same data, so the
//! application's own page can show the patients at the cash desk.
//!
//! ```text
//! cargo run -p care-rocket --example rocket_app
//! curl -H 'api_key: example-key' http://127.0.0.1:PORT/care/1.0.0/patient/1
//! curl http://127.0.0.1:PORT/waiting
//! ```

use std::error::Error;

use care_rocket::care_core::{
    keys::{KeyRing, Scopes},
    model::{InvoiceState, MedicineName, PatientDetails},
    rest::Api,
    service::{CareService, NewPrescription},
    store::{InvoiceFilter, MemoryStore},
};
use rocket::{Config, State, fairing::AdHoc, figment::Figment, get, http::Status, response::status::Custom, routes};

/// Returns a page of the application, made with the service as a library.
#[get("/waiting")]
async fn waiting(care: &State<CareService>) -> Result<String, Custom<&'static str>> {
    let unpaid = InvoiceFilter { state: Some(InvoiceState::Unpaid), ..InvoiceFilter::default() };
    match care.invoices(unpaid, None, 100).await {
        Ok(page) => Ok(format!("{} invoices wait for payment\n", page.items.len())),
        Err(_) => Err(Custom(Status::ServiceUnavailable, "try again later\n")),
    }
}

#[rocket::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let care = CareService::new(MemoryStore::new());
    // A patient who has something to pay.
    let ada = care.register_patient(PatientDetails::named("Ada Example")?).await?;
    let medicine = NewPrescription::of(MedicineName::new("Ibuprofen 400")?);
    let prescribed = care.prescribe(ada.patient_id, medicine).await?;
    care.issue_invoice(prescribed.prescription.prescription_id).await?;
    let keys = KeyRing::new().with_key("example-key", "front desk", Scopes::ALL);
    let api = Api::new(care.clone()).with_base_path("/care/1.0.0")?.with_keys(keys);

    // Port 0 is any that is free; ROCKET_PORT asks for another.
    let config = Figment::from(Config::default())
        .merge(("port", 0))
        .merge(("log_level", "off"))
        .merge(rocket::figment::providers::Env::prefixed("ROCKET_"));
    rocket::custom(config)
        .manage(care)
        .mount("/", routes![waiting])
        .attach(AdHoc::on_response("Application", |_, response| {
            Box::pin(async move {
                response.set_raw_header("X-Application", "example");
            })
        }))
        .attach(care_rocket::mount(api))
        .attach(AdHoc::on_liftoff("Address", |rocket| {
            Box::pin(async move {
                let Config { address, port, .. } = rocket.config();
                println!("listening on http://{address}:{port}");
            })
        }))
        .launch()
        .await?;
    Ok(())
}
