//! Receivers that are ill, beside one that is well.

use std::{
    io,
    net::IpAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant, SystemTime},
};

use care_core::{
    model::{ItemDetails, MedicineName, Timestamp},
    service::CareService,
    store::Seq,
};
use care_relay::{End, EventPage, EventSource, Lookup, NewEndpoint, Relay, SourceError, Start, State};
use tokio::{sync::oneshot, time::sleep};

use crate::{
    process::Desk,
    receiver::{Reaction, Receiver},
    world::{World, until},
};

/// An interim answer, and one that takes the message.
const HINTS: &str = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n";
const TAKEN: &str = "HTTP/1.1 204 No Content\r\n\r\n";
pub(crate) const CA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/relay/certificates/ca.pem");

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
        ("hints", Receiver::start(|_| Reaction::Flood(HINTS)).await),
        ("continues", Receiver::start(|_| Reaction::Flood("HTTP/1.1 100 Continue\r\n\r\n")).await),
        ("many-hints", Receiver::start(|_| Reaction::Raw(format!("{}{TAKEN}", HINTS.repeat(9)))).await),
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
async fn what_comes_before_an_answer_is_bounded() {
    let desk = Desk::new();
    let headed = |length: usize| format!("HTTP/1.1 204 Taken\r\nX: {}\r\n\r\n", "x".repeat(length));
    for (name, reaction, said) in [
        ("eight-hints", Reaction::Raw(format!("{}{TAKEN}", HINTS.repeat(8))), "204 in "),
        ("nine-hints", Reaction::Raw(format!("{}{TAKEN}", HINTS.repeat(9))), "too-long in "),
        ("endless-hints", Reaction::Flood(HINTS), "too-long in "),
        ("endless-continue", Reaction::Flood("HTTP/1.1 100 Continue\r\n\r\n"), "too-long in "),
        ("long-head", Reaction::Raw(headed(15_000)), "204 in "),
        ("too-long-head", Reaction::Raw(headed(17_000)), "too-long in "),
        ("endless-head", Reaction::Drip("HTTP/1.1 200 OK\r\nX: ", 65_536, Duration::ZERO), "too-long in "),
        ("endless-headers", Reaction::Flood("HTTP/1.1 200 OK\r\nX: "), "broken in "),
        ("endless-name", Reaction::Flood("x"), "broken in "),
        ("endless-body", Reaction::Drip("HTTP/1.1 200 OK\r\n\r\n", 65_536, Duration::ZERO), "200 in "),
        (
            "endless-trailers",
            Reaction::Drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ", 65_536, Duration::ZERO),
            "200 in ",
        ),
        (
            "endless-extension",
            Reaction::Drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", 65_536, Duration::ZERO),
            "200 in ",
        ),
    ] {
        let receiver = Receiver::start(move |_| reaction.clone()).await;
        desk.add(name, &receiver, &[]);
        let output = desk.run(&["test", name]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with(said), "{name}: {text}");
    }
}

/// A resolver that keeps its thread until the test ends it.
struct Stuck(Arc<Mutex<mpsc::Receiver<()>>>);

#[async_trait::async_trait]
impl Lookup for Stuck {
    async fn lookup(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        // Its sender is dropped once the relay has been seen to be well.
        let _ = self.0.lock().unwrap().recv_timeout(Duration::from_secs(30));
        Ok(Vec::new())
    }
}

// There is one thread, so a delivery that kept it would keep everything.
#[tokio::test]
async fn a_delivery_that_keeps_its_thread_keeps_neither_the_feed_nor_the_probes() {
    let (world, desk) = (World::start().await, Desk::new());
    world.register(1).await;
    let mut state = State::open(desk.state()).unwrap();
    for number in 0..8 {
        let start = Start::At(Seq::ZERO);
        state.add(&NewEndpoint { start, ..NewEndpoint::new(format!("n{number}"), "https://hook.example/") }).unwrap();
    }
    let (release, stuck) = mpsc::channel();
    let (asked, lookup) = (Arc::new(AtomicUsize::new(0)), Stuck(Arc::new(Mutex::new(stuck))));
    let source = Counted(world.care.clone(), Arc::clone(&asked));
    let relay = Relay::new(source, state).with_lookup(lookup);
    let probe = relay.probe();
    let running = tokio::spawn(relay.run(std::future::pending()));
    let started = Instant::now();
    until("the feed answers", || probe.is_ready()).await;
    for _ in 0..3 {
        let before = asked.load(Ordering::Relaxed);
        world.register(1).await;
        until("the feed goes on", || asked.load(Ordering::Relaxed) > before).await;
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    drop(release);
    running.abort();
}

/// A source that counts its pages.
struct Counted(CareService, Arc<AtomicUsize>);

#[async_trait::async_trait]
impl EventSource for Counted {
    async fn events(&self, after: Seq, limit: usize, wait: Duration) -> Result<EventPage, SourceError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        EventSource::events(&self.0, after, limit, wait).await
    }

    async fn end(&self) -> Result<End, SourceError> {
        EventSource::end(&self.0).await
    }
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
async fn a_clock_that_is_set_right_disables_nobody() {
    let (world, desk) = (World::start().await, Desk::new());
    let receiver = Receiver::start(|number| Reaction::Status(if number < 3 { 503 } else { 200 })).await;
    desk.add("clinic", &receiver, &[]);
    world.register(1).await;
    // Ten days pass between two looks at the clock, so no pause takes any time.
    let millis = AtomicI64::new(0);
    let clock = move || Timestamp::from_unix_millis(millis.fetch_add(864_000_000, Ordering::Relaxed)).unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let relay = Relay::new(world.care.clone(), State::open(desk.state()).unwrap()).with_clock(clock);
    let running = tokio::spawn(relay.run(async { drop(stopped.await) }));
    until("it is tried again", || receiver.count() == 4).await;
    assert!(desk.run(&["list"]).status.success());
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
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
