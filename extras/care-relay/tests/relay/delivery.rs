//! Delivery to receivers that are well.

use std::{
    collections::BTreeSet,
    time::{Duration, SystemTime},
};

use care_core::store::Seq;
use care_relay::{NewEndpoint, Relay, Start, State};
use tokio::{sync::oneshot, time::sleep};

use crate::{
    process::Desk,
    receiver::{Reaction, Receiver},
    world::{World, until},
};

#[tokio::test(flavor = "multi_thread")]
async fn events_arrive_in_order_and_as_the_standard_demands() {
    let (world, receiver, desk) = (World::start().await, Receiver::well().await, Desk::new());
    let secret = desk.add("clinic", &receiver, &[]);
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
    world.register(3).await;
    let relay = desk.start(world.address, &[]);
    until("the past is delivered", || receiver.count() == 3).await;
    world.register(2).await;
    until("what comes is delivered", || receiver.count() == 5).await;
    assert_eq!(receiver.seqs(), [1, 2, 3, 4, 5]);

    let got = receiver.got().remove(0);
    assert!(got.head.starts_with("POST /hook?token=canary-of-a-token HTTP/1.1\r\n"), "{}", got.head);
    let epoch = world.care.epoch();
    let at = got.body.split('"').nth(7).unwrap();
    let body = format!(
        r#"{{"type":"patient.registered","timestamp":"{at}","data":{{"epoch":"{epoch}","seq":1,"records":[{{"record":"Patient","id":1,"change":"put"}}]}}}}"#
    );
    assert_eq!(got.body, body);
    assert_eq!(got.id(), format!("{epoch}-1"));
    assert_eq!(got.headers["content-type"], "application/json");
    assert_eq!(got.headers["user-agent"], concat!("care-relay/", env!("CARGO_PKG_VERSION")));
    let seconds: u64 = got.headers["webhook-timestamp"].parse().unwrap();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    assert!(now.abs_diff(seconds) < 60);
    assert!(got.headers["webhook-signature"].starts_with("v1,") && !got.headers["webhook-signature"].contains(' '));
    assert!(relay.terminate().unwrap().status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_that_is_killed_loses_nothing_and_keeps_the_order() {
    const EVENTS: usize = 600;
    const KILLS: usize = 8;
    let (world, desk) = (World::start().await, Desk::new());
    let receivers = [Receiver::well().await, Receiver::well().await];
    desk.add("one", &receivers[0], &[]);
    desk.add("other", &receivers[1], &[]);
    world.register(EVENTS / 2).await;
    for _ in 0..KILLS {
        let (relay, before) = (desk.start(world.address, &[]), receivers[0].count());
        until("it goes on", || receivers[0].count() > before + 5).await;
        world.register(EVENTS / 2 / KILLS).await;
        relay.kill().unwrap();
    }
    world.register(EVENTS - EVENTS / 2 - EVENTS / 2 / KILLS * KILLS).await;
    let relay = desk.start(world.address, &[]);
    for receiver in &receivers {
        let last = || receiver.got().last().is_some_and(|got| got.seq() == EVENTS as u64);
        until("all is delivered", last).await;
        let seqs = receiver.seqs();
        let mut seen = BTreeSet::new();
        let firsts: Vec<u64> = seqs.iter().copied().filter(|&seq| seen.insert(seq)).collect();
        assert_eq!(firsts, (1..=EVENTS as u64).collect::<Vec<_>>());
        assert!(seqs.len() - firsts.len() <= KILLS, "{} duplicates", seqs.len() - firsts.len());
        // A message that comes twice has the same id and the same body.
        let messages: BTreeSet<_> = receiver.got().iter().map(|got| (got.id().to_owned(), got.body.clone())).collect();
        assert_eq!(messages.len(), EVENTS);
    }
    assert!(relay.terminate().unwrap().status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_gets_the_types_that_it_asks_for_and_begins_where_it_is_told() {
    let (world, desk) = (World::start().await, Desk::new());
    let [all, none, later] = [Receiver::well().await, Receiver::well().await, Receiver::well().await];
    world.register(150).await;
    desk.add("all", &all, &["--types", "patient.*,invoice.paid"]);
    desk.add("none", &none, &["--types", "invoice.paid"]);
    let url = later.url();
    desk.does(&["add", "later", "--url", &url, "--allow-net", "127.0.0.0/8", "--from", "149"]);
    let relay = desk.start(world.address, &[]);
    until("all is delivered", || all.count() == 150 && later.count() == 2).await;
    assert_eq!(later.seqs(), [149, 150]);
    let is_stored = || desk.does(&["show", "none"]).contains("place: 150\n");
    until("the place over other events is stored", is_stored).await;
    assert_eq!(none.connections(), 0);
    drop(relay);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_in_the_same_process_is_woken_by_the_service() {
    let (world, receiver, desk) = (World::start().await, Receiver::well().await, Desk::new());
    let mut state = State::open(desk.state()).unwrap();
    let networks = vec!["127.0.0.0/8".parse().unwrap()];
    let start = Start::At(Seq::ZERO);
    state.add(&NewEndpoint { networks, start, ..NewEndpoint::new("own", receiver.url()) }).unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let relay = Relay::new(world.care.clone(), state);
    let running = tokio::spawn(relay.run(async { drop(stopped.await) }));
    // The relay waits in its long poll by then.
    sleep(Duration::from_millis(300)).await;
    let before = SystemTime::now();
    world.register(1).await;
    until("it is delivered", || receiver.count() == 1).await;
    let after = receiver.got()[0].at.duration_since(before).unwrap();
    assert!(after < Duration::from_secs(1), "{after:?}");
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_never_ends_is_an_answer() {
    let (world, desk) = (World::start().await, Desk::new());
    let pause = Duration::from_millis(1);
    let endless = Receiver::start(move |_| Reaction::Drip("HTTP/1.1 200 OK\r\n\r\n", 1000, pause)).await;
    let hangs = Receiver::start(|_| Reaction::Hang("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")).await;
    desk.add("endless", &endless, &[]);
    desk.add("hangs", &hangs, &[]);
    world.register(2).await;
    let relay = desk.start(world.address, &[]);
    until("both get all", || endless.count() == 2 && hangs.count() == 2).await;
    assert_eq!((endless.seqs(), hangs.seqs()), (vec![1, 2], vec![1, 2]));
    drop(relay);
}
