//! Receivers that are ill, beside one that is well; addresses that are not allowed.

use std::{
    io,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use care_core::{
    model::{ItemDetails, MedicineName, Timestamp},
    store::Seq,
};
use care_relay::{Lookup, NewEndpoint, Relay, Start, State};
use tokio::{sync::oneshot, time::sleep};

use crate::{
    process::Desk,
    receiver::{Reaction, Receiver},
    world::{World, until},
};

const CA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/relay/certificates/ca.pem");

#[tokio::test(flavor = "multi_thread")]
async fn receivers_from_hell_cost_a_healthy_one_nothing() {
    let (world, desk) = (World::start().await, Desk::new());
    let (well, trap) = (Receiver::well().await, Receiver::well().await);
    let at_trap = format!("HTTP/1.1 302 Found\r\nLocation: http://{}/\r\nContent-Length: 0\r\n\r\n", trap.address);
    let second = Duration::from_secs(1);
    let tenth = |number: usize| if number % 10 == 9 { Reaction::Status(400) } else { Reaction::Status(200) };
    let ill = [
        ("hangs", Receiver::start(|_| Reaction::Hang("")).await),
        ("hangs-in-head", Receiver::start(|_| Reaction::Hang("HTTP/1.1 200 OK\r\nX: ")).await),
        ("slow", Receiver::start(move |_| Reaction::Drip("H", 1, second)).await),
        ("endless-head", Receiver::start(|_| Reaction::Drip("HTTP/1.1 200 OK\r\nX: ", 1000, Duration::ZERO)).await),
        ("reset", Receiver::start(|_| Reaction::Reset).await),
        ("redirects", Receiver::start(move |_| Reaction::Raw(at_trap.clone())).await),
        (
            "asks",
            Receiver::start(|_| {
                Reaction::Raw("HTTP/1.1 503 No\r\nRetry-After: 1000000000\r\nContent-Length: 0\r\n\r\n".to_owned())
            })
            .await,
        ),
        ("gone", Receiver::start(|_| Reaction::Status(410)).await),
        ("refuses", Receiver::start(tenth).await),
        ("nonsense", Receiver::start(|_| Reaction::Raw("\0\0\0".to_owned())).await),
    ];
    desk.add("well", &well, &[]);
    for (name, receiver) in &ill {
        desk.add(name, receiver, &[]);
    }
    let news = Receiver::well().await;
    desk.add("news", &news, &["--types", "relay.*"]);
    let relay = desk.start(world.address, &[]);
    let mut lags = Vec::new();
    for number in 1..=100 {
        let before = SystemTime::now();
        world.register(1).await;
        until("the healthy one gets it", || well.count() == number).await;
        lags.push(well.got()[number - 1].at.duration_since(before).unwrap());
        sleep(Duration::from_millis(10)).await;
    }
    lags.sort();
    assert!(lags[98] < Duration::from_secs(1), "{lags:?}");
    assert_eq!(well.seqs(), (1..=100).collect::<Vec<_>>());
    assert_eq!(trap.connections(), 0, "a redirect was followed");

    until("the others hear that one is gone", || news.count() == 1).await;
    let notice = &news.got()[0];
    assert!(notice.id().starts_with("relay-") && notice.id().len() == 32, "{}", notice.id());
    assert!(notice.body.contains(r#""type":"relay.endpoint_disabled""#), "{}", notice.body);
    assert!(notice.body.contains(r#""data":{"endpoint":"gone","reason":"gone","seq":0}"#), "{}", notice.body);
    let listed = desk.run(&["list", "--json"]);
    assert_eq!(listed.status.code(), Some(1));
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains(r#"{"name":"gone","state":"disabled","reason":"gone"}"#), "{listed}");
    assert!(listed.contains(r#"{"name":"hangs","state":"active"}"#), "{listed}");

    // One message at a time: nothing overtakes the message that an ill receiver has not taken.
    let refuses = &ill[8].1;
    assert_eq!(refuses.seqs()[..10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert!(refuses.seqs()[9..].iter().all(|&seq| seq <= 20));
    assert!(ill[4].1.seqs().iter().all(|&seq| seq == 1));
    assert!(desk.does(&["show", "asks"]).contains(" 503 "));
    drop(relay);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_recovers_gets_everything() {
    let (world, desk) = (World::start().await, Desk::new());
    let receiver = Receiver::start(|number| Reaction::Status(if number == 0 { 503 } else { 200 })).await;
    desk.add("recovers", &receiver, &[]);
    world.register(3).await;
    let relay = desk.start(world.address, &[]);
    until("it is asked", || receiver.count() == 1).await;
    until("the failure is stored", || desk.does(&["show", "recovers"]).contains("next attempt: ")).await;
    relay.kill().unwrap();
    let (restarted, relay) = (SystemTime::now(), desk.start(world.address, &[]));
    until("it gets everything", || receiver.count() == 4).await;
    assert_eq!(receiver.seqs(), [1, 1, 2, 3]);
    let got = receiver.got();
    let pause = got[1].at.duration_since(got[0].at).unwrap();
    assert!(pause >= Duration::from_secs(4) && pause < Duration::from_secs(10), "{pause:?}");
    // The restart did not shorten the pause.
    assert!(got[1].at > restarted);
    drop(relay);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_that_was_refused_in_a_row_is_sent_again_whatever_was_passed_over() {
    // Twenty messages, each of which is tried seven times.
    const REFUSALS: usize = 20 * 7;
    let (world, desk) = (World::start().await, Desk::new());
    let receiver = Receiver::start(|number| Reaction::Status(if number < REFUSALS { 422 } else { 200 })).await;
    desk.add("refuses", &receiver, &["--types", "patient.*"]);
    world.register(19).await;
    // An entry of another type stands before the last refusal.
    world.care.add_item(MedicineName::new("Aspirin").unwrap(), ItemDetails::default()).await.unwrap();
    world.register(1).await;
    // Hours pass between two looks at the clock, so no pause takes any time.
    let millis = AtomicI64::new(1_795_341_600_000);
    let clock = move || Timestamp::from_unix_millis(millis.fetch_add(3_600_000, Ordering::Relaxed)).unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let relay = Relay::new(world.care.clone(), State::open(desk.state()).unwrap()).with_clock(clock);
    let running = tokio::spawn(relay.run(async { drop(stopped.await) }));
    until("it is disabled", || desk.run(&["list", "--json"]).status.code() == Some(1)).await;
    desk.does(&["resume", "refuses"]);
    until("all is delivered", || receiver.count() == REFUSALS + 20).await;
    assert_eq!(receiver.seqs()[REFUSALS..], (1..=19).chain([21]).collect::<Vec<_>>());
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_must_be_valid_and_of_the_receiver() {
    let desk = Desk::new();
    for (name, certificate, key, said) in [
        ("good", include_str!("certificates/good.pem"), include_str!("certificates/good.key"), "204 in "),
        ("expired", include_str!("certificates/expired.pem"), include_str!("certificates/expired.key"), "tls in "),
        ("stranger", include_str!("certificates/stranger.pem"), include_str!("certificates/stranger.key"), "tls in "),
    ] {
        let receiver = Receiver::encrypted(certificate, key).await;
        let url = format!("https://{}/hook", receiver.address);
        desk.does(&["add", name, "--url", &url, "--allow-net", "127.0.0.0/8", "--ca", CA]);
        let output = desk.run(&["test", name]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with(said), "{name}: {text}");
        assert_eq!((output.status.success(), receiver.count()), (name == "good", usize::from(name == "good")));
        // Without --ca, the system's certificates count, and this CA is none of them.
        let other = format!("{name}-of-the-system");
        desk.does(&["add", &other, "--url", &url, "--allow-net", "127.0.0.0/8"]);
        assert!(!desk.run(&["test", &other]).status.success());
    }
}

/// A resolver whose answers the test chooses, one after the other; the last one stays.
struct Named(Vec<Vec<IpAddr>>, Arc<AtomicUsize>);

#[async_trait::async_trait]
impl Lookup for Named {
    async fn lookup(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        let number = self.1.fetch_add(1, Ordering::Relaxed);
        Ok(self.0[number.min(self.0.len() - 1)].clone())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_judged_by_all_of_its_addresses_at_every_connection() {
    let (world, receiver) = (World::start().await, Receiver::well().await);
    world.register(1).await;
    let address = |text: &str| text.parse::<IpAddr>().unwrap();
    for (lookups, networks, is_reached) in [
        (vec![vec![address("127.0.0.1")]], "10.0.0.0/8", false),
        (vec![vec![address("::ffff:127.0.0.1")]], "10.0.0.0/8", false),
        (vec![vec![address("10.0.0.1"), address("127.0.0.1")]], "10.0.0.0/8", false),
        (vec![vec![address("127.0.0.1")]], "127.0.0.0/8", true),
    ] {
        let (desk, asked, before) = (Desk::new(), Arc::new(AtomicUsize::new(0)), receiver.connections());
        let mut state = State::open(desk.state()).unwrap();
        let url = format!("http://hook.example:{}/", receiver.address.port());
        let (networks, start) = (vec![networks.parse().unwrap()], Start::At(Seq::ZERO));
        state.add(&NewEndpoint { networks, start, ..NewEndpoint::new("named", url) }).unwrap();
        let relay = Relay::new(world.care.clone(), state).with_lookup(Named(lookups, Arc::clone(&asked)));
        let running = tokio::spawn(relay.run(std::future::pending()));
        until("the name is resolved", || asked.load(Ordering::Relaxed) > 0).await;
        until("the outcome is stored", || desk.does(&["show", "named"]).lines().any(|line| line.ends_with(" ms")))
            .await;
        assert_eq!(receiver.connections() > before, is_reached);
        running.abort();
        // Its end closes the file.
        drop(running.await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_moves_between_two_attempts_is_judged_again() {
    let (world, receiver, desk) = (World::start().await, Receiver::well().await, Desk::new());
    world.register(1).await;
    let mut state = State::open(desk.state()).unwrap();
    let url = format!("http://hook.example:{}/", receiver.address.port());
    let (networks, start) = (vec!["127.0.0.2".parse().unwrap()], Start::At(Seq::ZERO));
    state.add(&NewEndpoint { networks, start, ..NewEndpoint::new("moves", url) }).unwrap();
    // Nothing listens at the first address, which is named; a receiver does at the second one, which is not.
    let lookups = ["127.0.0.2", "127.0.0.1"].map(|text| vec![text.parse::<IpAddr>().unwrap()]);
    let named = Named(lookups.to_vec(), Arc::default());
    let running = tokio::spawn(Relay::new(world.care.clone(), state).with_lookup(named).run(std::future::pending()));
    let outcomes = |word: &str| desk.does(&["show", "moves"]).contains(word);
    until("the first attempt finds nothing", || outcomes(" no-connection ")).await;
    until("the second one is refused", || outcomes(" address-refused ")).await;
    assert_eq!(receiver.connections(), 0);
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn no_spelling_of_an_address_gets_past_add_or_test() {
    let (desk, receiver) = (Desk::new(), Receiver::well().await);
    let port = receiver.address.port();
    for (number, host) in
        ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "017700000001", "127.0.0.1.", "[::ffff:127.0.0.1]", "[::1]", "0"]
            .into_iter()
            .enumerate()
    {
        let (name, url) = (format!("n{number}"), format!("https://{host}:{port}/"));
        assert!(!desk.run(&["add", &name, "--url", &url]).status.success(), "{host}");
        assert!(!desk.run(&["add", &name, "--url", &url, "--allow-net", "10.0.0.0/8"]).status.success(), "{host}");
    }
    desk.does(&["add", "name", "--url", &format!("https://localhost:{port}/")]);
    desk.does(&["add", "dot", "--url", &format!("https://localhost.:{port}/")]);
    for name in ["name", "dot"] {
        let output = desk.run(&["test", name]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!output.status.success(), "{text}");
        // Not every resolver knows the name with the full stop.
        assert!(text.starts_with("address-refused in ") || name == "dot", "{text}");
    }
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_is_used_where_it_is_named_and_nowhere_else() {
    let (desk, proxy, receiver) = (Desk::new(), Receiver::well().await, Receiver::well().await);
    desk.add("direct", &receiver, &[]);
    let named = format!("http://{}", proxy.address);
    let of_the_environment = [("HTTP_PROXY", &*named), ("http_proxy", &*named), ("ALL_PROXY", &*named)];
    let output = desk.run_with(&["test", "direct"], &of_the_environment);
    assert!(output.status.success() && proxy.connections() == 0, "{output:?}");
    // The proxy resolves the name, and the policy is its business.
    let url = "http://name.invalid/hook";
    desk.does(&["add", "proxied", "--url", url, "--allow-net", "10.0.0.0/8", "--proxy", &named]);
    assert!(desk.does(&["test", "proxied"]).starts_with("204 in "));
    assert!(proxy.got()[0].head.starts_with("POST http://name.invalid/hook HTTP/1.1\r\n"), "{}", proxy.got()[0].head);
    assert_eq!(receiver.count(), 1);
}
