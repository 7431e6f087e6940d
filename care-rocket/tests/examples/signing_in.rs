//! The behaviour of a program with users of its own, in either framework.

use std::time::Duration;

use care_testkit::{Answer, RawRequest, Server, example, sent};

pub(crate) struct Host(Server);

impl Host {
    pub(crate) fn start(example_name: &str) -> Self {
        Self(Server::start(&mut example(example_name).unwrap()).unwrap())
    }

    fn asks(&self, request: RawRequest) -> Answer {
        request.without_key().over(&mut self.0.wire())
    }

    fn signs_in(&self, form: &str) -> Answer {
        let form = sent("POST", "/login").header("Content-Type", "application/x-www-form-urlencoded").raw_body(form);
        self.asks(form)
    }
}

/// Proves it of a host; `known` makes of the answer to a login the header that later requests bring.
pub(crate) fn serves(host: &Host, known: impl Fn(&Answer) -> (&'static str, String)) {
    assert_eq!(host.signs_in("name=ada&password=wrong").status, 401);
    let login = host.signs_in("name=ada&password=a-long-password");
    assert_eq!(login.status, 200, "{login:?}");
    let (name, value) = known(&login);
    let as_ada = |request: RawRequest| request.header(name, &value);

    let new = || sent("POST", "/1.0.0/patient").body(r#"{"name":"Ben Example"}"#);
    assert_eq!(host.asks(new()).status, 401);
    assert_eq!(host.asks(new().header(name, "session=1; Bearer 1")).status, 401);
    assert_eq!(host.asks(as_ada(new())).status, 201);
    let journal = host.asks(as_ada(sent("GET", "/1.0.0/journal")));
    assert!(journal.body.contains(r#""actor":"ada""#), "{journal:?}");
    assert_eq!(host.asks(sent("GET", "/name-of/1")).body, "Ben Example");

    // The program refuses as the service does.
    let ours = host.asks(sent("GET", "/name-of/99"));
    let services = host.asks(as_ada(sent("GET", "/1.0.0/patient/99")));
    assert_eq!((ours.status, &ours.body), (404, &services.body));
    assert_eq!(ours.header("content-type"), Some("application/problem+json"));
    assert_eq!(ours.header("vary"), services.header("vary"));
    assert_eq!(host.asks(sent("GET", "/name-of/0")).status, 422);
    // The document is there without a further dependency.
    assert_eq!(host.asks(sent("GET", "/1.0.0/openapi.json")).status, 200);

    // A poll ends with the program, and is answered.
    let mut poll = host.0.wire();
    poll.send(as_ada(sent("GET", "/1.0.0/journal?after=1&wait=30").without_key()).written());
    let others = host.asks(as_ada(sent("GET", "/1.0.0/patient/1")));
    assert_eq!(others.status, 200);
    let ended = host.0.terminate().unwrap();
    assert!(ended.status.success() && ended.after < Duration::from_secs(10), "{ended:?}");
    assert_eq!(poll.answer().status, 200);
}
