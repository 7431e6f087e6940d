//! The service in a Poem program that signs people in itself: each request runs in the name of its session. It stops
//! without cutting a request in two.
//!
//! ```text
//! cargo run -p care-poem --example sessions
//! curl -c jar -d 'name=ada&password=a-long-password' http://127.0.0.1:PORT/login
//! curl -b jar -H 'Content-Type: application/json' -d '{"name":"Ben Example"}' http://127.0.0.1:PORT/1.0.0/patient
//! curl -b jar http://127.0.0.1:PORT/name-of/1
//! ```

use std::{collections::HashMap, error::Error, sync::Arc, sync::Mutex, time::Duration};

use care_poem::care_core::{Api, CareService, MemoryStore, keys::Principal, model::PatientId, model::Scopes};
use futures_util::FutureExt as _;
use poem::{
    EndpointExt, Request, Response, Route, Server, get, handler,
    http::{StatusCode, header},
    listener::{Acceptor, Listener, TcpListener},
    post,
    web::{Data, Form, Path},
};
use tokio::{signal::unix, sync::oneshot, time::sleep};

/// The people who are signed in, by the secret in their cookie.
#[derive(Default)]
struct Sessions(Mutex<HashMap<String, Principal>>);

impl Sessions {
    /// Returns whose request this is.
    fn of(&self, request: &Request) -> Option<Principal> {
        let cookies = request.headers().get(header::COOKIE)?.to_str().ok()?;
        let secret = cookies.split("; ").find_map(|cookie| cookie.strip_prefix("session="))?;
        self.0.lock().ok()?.get(secret).cloned()
    }
}

#[handler]
fn login(Form(form): Form<HashMap<String, String>>, Data(sessions): Data<&Arc<Sessions>>) -> Response {
    let is = |name: &str, value: &str| form.get(name).is_some_and(|given| given == value);
    let mut secret = [0; 16];
    // A program of yours looks at hashes of passwords.
    if !is("name", "ada") || !is("password", "a-long-password") || getrandom::fill(&mut secret).is_err() {
        return StatusCode::UNAUTHORIZED.into();
    }
    let secret = u128::from_ne_bytes(secret).to_string();
    let cookie = format!("session={secret}; HttpOnly; SameSite=Strict; Path=/");
    // A user with a name of the service's own actors is refused.
    let Ok(principal) = Principal::new("ada", Scopes::ALL) else { return StatusCode::UNPROCESSABLE_ENTITY.into() };
    if let Ok(mut sessions) = sessions.0.lock() {
        sessions.insert(secret, principal);
    }
    Response::builder().header(header::SET_COOKIE, cookie).body("signed in\n")
}

/// Returns the name of a patient: the program calls the service as a library, and refuses as it does.
#[handler]
async fn name_of(
    request: &Request,
    Path(id): Path<i64>,
    Data(api): Data<&Api>,
    Data(care): Data<&CareService>,
) -> Response {
    let found = async { care.patient(PatientId::try_from(id)?).await };
    match found.await {
        Ok(patient) => patient.name.as_ref().map_or("nameless", |name| name.as_str()).to_owned().into(),
        Err(error) => care_poem::problem(api, request, error),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let care = CareService::new(MemoryStore::new());
    let api = Api::new(care.clone()).with_host_principals("Session")?;
    let sessions = Arc::<Sessions>::default();
    // Bodies that are still on their way when the grace is nearly over are answered 408.
    let (stop, stopped) = oneshot::channel::<()>();
    let late = stopped.then(|_| sleep(Duration::from_secs(4))).map(drop);
    let service = care_poem::endpoint(api.clone()).give_up_after(late);
    let known = Arc::clone(&sessions);
    let routes = Route::new().at("/login", post(login)).at("/name-of/:id", get(name_of));
    let app = service.mount(routes).data(sessions).data(api).data(care.clone()).before(move |mut request: Request| {
        if let Some(principal) = known.of(&request) {
            request.extensions_mut().insert(principal);
        }
        async { Ok(request) }
    });

    let acceptor = TcpListener::bind("127.0.0.1:0").into_acceptor().await?;
    for address in acceptor.local_addr().iter().filter_map(|it| it.as_socket_addr()) {
        println!("listening on http://{address}");
    }
    let mut terminated = unix::signal(unix::SignalKind::terminate())?;
    let signal = async move {
        terminated.recv().await;
        // Long polls end now, everything else within the grace.
        care.stop_waiting();
        let _ = stop.send(());
    };
    let server = Server::new_with_acceptor(acceptor);
    Ok(server.run_with_graceful_shutdown(app, signal, Some(Duration::from_secs(5))).await?)
}
