//! The service inside a Poem application that has routes, state and middleware of its own.
//!
//! Everything below `/care/1.0.0` is the service's; the rest stays the application's. Both use the same data, so the
//! application's own page can show the patients at the cash desk.
//!
//! ```text
//! cargo run -p care-poem --example poem_app
//! curl -H 'api_key: example-key' http://127.0.0.1:PORT/care/1.0.0/patient/1
//! curl http://127.0.0.1:PORT/waiting
//! ```

use std::{env, error::Error};

use care_poem::care_core::{
    keys::{KeyRing, Scopes},
    model::{InvoiceState, MedicineName, PatientDetails},
    rest::Api,
    service::{CareService, NewPrescription},
    store::{InvoiceFilter, MemoryStore},
};
use poem::{
    EndpointExt, Route, Server, get, handler,
    http::StatusCode,
    listener::{Acceptor, Listener, TcpListener},
    middleware::{AddData, SetHeader},
    web::Data,
};

/// Returns a page of the application, made with the service as a library.
#[handler]
async fn waiting(Data(care): Data<&CareService>) -> poem::Result<String> {
    let unpaid = InvoiceFilter { state: Some(InvoiceState::Unpaid), ..InvoiceFilter::default() };
    match care.invoices(unpaid, None, 100).await {
        Ok(page) => Ok(format!("{} invoices wait for payment\n", page.items.len())),
        Err(_) => Err(StatusCode::SERVICE_UNAVAILABLE.into()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let care = CareService::new(MemoryStore::new());
    // A patient who has something to pay.
    let ada = care.register_patient(PatientDetails::named("Ada Example")?).await?;
    let medicine = NewPrescription::of(MedicineName::new("Ibuprofen 400")?);
    let prescribed = care.prescribe(ada.patient_id, medicine).await?;
    care.issue_invoice(prescribed.prescription.prescription_id).await?;
    let keys = KeyRing::new().with_key("example-key", "front desk", Scopes::ALL);
    let api = Api::new(care.clone()).with_base_path("/care/1.0.0")?.with_keys(keys);

    let app = care_poem::endpoint(api)
        .mount(Route::new().at("/waiting", get(waiting)))
        .with(AddData::new(care))
        .with(SetHeader::new().overriding("X-Application", "example"));

    // Port 0 is any that is free.
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let acceptor = TcpListener::bind(address).into_acceptor().await?;
    let addresses = acceptor.local_addr();
    for address in addresses.iter().filter_map(|it| it.as_socket_addr()) {
        println!("listening on http://{address}");
    }
    Server::new_with_acceptor(acceptor).run(app).await?;
    Ok(())
}
