//! The service in a Rocket program that signs people in itself: each request runs in the name of its token, and the
//! journal names that person. Rocket stops gracefully; long polls end at once.
//!
//! ```text
//! cargo run -p care-rocket --example tokens
//! TOKEN=$(curl -d 'name=ada&password=a-long-password' http://127.0.0.1:PORT/login)
//! curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"name":"Ben Example"}' \
//!   http://127.0.0.1:PORT/1.0.0/patient
//! curl http://127.0.0.1:PORT/name-of/1
//! ```

use std::{collections::HashMap, error::Error, sync::Arc, sync::Mutex};

use care_rocket::{
    Problem,
    care_core::{Api, CareService, MemoryStore, keys::Principal, model::PatientId, model::Scopes},
};
use rocket::{
    Config, FromForm, Request, State,
    data::{Limits, ToByteUnit},
    fairing::AdHoc,
    figment::Figment,
    form::Form,
    get,
    http::Status,
    post, routes,
};

/// The people who are signed in, by their tokens.
#[derive(Default)]
struct Tokens(Mutex<HashMap<String, Principal>>);

impl Tokens {
    /// Returns whose request this is.
    fn of(&self, request: &Request<'_>) -> Option<Principal> {
        let token = request.headers().get_one("authorization")?.strip_prefix("Bearer ")?;
        self.0.lock().ok()?.get(token).cloned()
    }
}

#[derive(FromForm)]
struct Login<'r> {
    name: &'r str,
    password: &'r str,
}

#[post("/login", data = "<login>")]
fn login(login: Form<Login<'_>>, tokens: &State<Arc<Tokens>>) -> Result<String, Status> {
    let mut secret = [0; 16];
    // A program of yours looks at hashes of passwords.
    if login.name != "ada" || login.password != "a-long-password" || getrandom::fill(&mut secret).is_err() {
        return Err(Status::Unauthorized);
    }
    let token = u128::from_ne_bytes(secret).to_string();
    // A user with a name of the service's own actors is refused.
    let principal = Principal::new(login.name, Scopes::ALL).map_err(|_| Status::UnprocessableEntity)?;
    if let Ok(mut tokens) = tokens.0.lock() {
        tokens.insert(token.clone(), principal);
    }
    Ok(token)
}

/// Returns the name of a patient: the program calls the service as a library, and refuses as it does.
#[get("/name-of/<id>")]
async fn name_of(id: i64, care: &State<CareService>) -> Result<String, Problem> {
    let id = PatientId::try_from(id).map_err(|broken| broken.at("id"))?;
    let patient = care.patient(id).await?;
    Ok(patient.name.as_ref().map_or("nameless", |name| name.as_str()).to_owned())
}

#[rocket::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let care = CareService::new(MemoryStore::new());
    let api = Api::new(care.clone()).with_host_principals("Bearer")?;
    let (tokens, polls) = (Arc::<Tokens>::default(), care.clone());
    let known = Arc::clone(&tokens);

    // Port 0 is any that is free. A grace of a few seconds lets bodies that are on their way arrive.
    let config = Figment::from(Config::default()).merge(("port", 0)).merge(("log_level", "off"));
    let config = config.merge(("shutdown.grace", 4)).merge(("limits", Limits::default().limit("form", 1.kibibytes())));
    rocket::custom(config)
        .manage(care)
        .manage(tokens)
        .mount("/", routes![login, name_of])
        .attach(AdHoc::on_request("Tokens", move |request, _| {
            if let Some(principal) = known.of(request) {
                care_rocket::set_principal(request, principal);
            }
            Box::pin(async {})
        }))
        .attach(care_rocket::mount(api))
        .attach(AdHoc::on_liftoff("Address", |rocket| {
            println!("listening on http://{}:{}", rocket.config().address, rocket.config().port);
            Box::pin(async {})
        }))
        .attach(AdHoc::on_shutdown("Polls", move |_| Box::pin(async move { polls.stop_waiting() })))
        .launch()
        .await?;
    Ok(())
}
