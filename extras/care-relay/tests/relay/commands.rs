//! The operator's tasks beside a running relay.

use std::{
    fs,
    net::SocketAddr,
    time::{Duration, Instant},
};

use care_testkit::get;

use crate::{
    process::Desk,
    receiver::{Reaction, Receiver},
    world::{World, until},
};

/// Returns the whole answer to a GET.
pub(crate) fn asked(address: SocketAddr, path: &str) -> String {
    get(address, path, "").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_relay_follows_the_operator() {
    let (world, desk) = (World::start().await, Desk::new());
    let (one, other) = (Receiver::well().await, Receiver::well().await);
    desk.add("one", &one, &[]);
    let relay = desk.start(world.address, &[]);
    world.register(1).await;
    until("it runs", || one.count() == 1).await;

    let started = Instant::now();
    desk.add("other", &other, &[]);
    until("a new endpoint gets the past", || other.count() == 1).await;
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());

    desk.does(&["pause", "one"]);
    assert_eq!(
        desk.does(&["list", "--json"]),
        r#"[{"name":"one","state":"paused"},{"name":"other","state":"active"}]"#
    );
    tokio::time::sleep(Duration::from_millis(1500)).await;
    world.register(2).await;
    until("the other one goes on", || other.count() == 3).await;
    assert_eq!(one.count(), 1);
    desk.does(&["resume", "one"]);
    until("it goes on where it stood", || one.count() == 3).await;
    assert_eq!(one.seqs(), [1, 2, 3]);

    desk.does(&["replay", "one", "--from", "1", "--to", "2"]);
    until("entries are sent again", || one.count() == 5).await;
    assert_eq!(one.seqs(), [1, 2, 3, 1, 2]);
    assert_eq!(one.got()[0].id(), one.got()[3].id());
    assert_eq!(one.got()[0].body, one.got()[3].body);
    assert!(!desk.run(&["replay", "one", "--from", "1", "--to", "4"]).status.success(), "it has not got 4 yet");

    desk.does(&["resume", "one", "--from", "2"]);
    until("it goes back", || one.count() == 7).await;
    assert_eq!(one.seqs()[5..], [2, 3]);
    desk.does(&["remove", "other"]);
    assert_eq!(desk.does(&["list"]), "one active");
    assert!(relay.terminate().unwrap().status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_is_resumed_is_tried_at_once() {
    let (world, desk) = (World::start().await, Desk::new());
    let later = "HTTP/1.1 503 Later\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n";
    let receiver = Receiver::start(move |number| match number {
        0 => Reaction::Raw(later.to_owned()),
        _ => Reaction::Status(204),
    });
    let receiver = receiver.await;
    desk.add("clinic", &receiver, &[]);
    world.register(1).await;
    let relay = desk.start(world.address, &[]);
    until("it waits", || desk.does(&["show", "clinic"]).contains("next attempt: ")).await;
    desk.does(&["resume", "clinic"]);
    until("it is tried", || receiver.count() == 2).await;
    until("it is taken", || !desk.does(&["show", "clinic"]).contains("failing since: ")).await;
    drop(relay);
}

#[tokio::test(flavor = "multi_thread")]
async fn both_secrets_sign_while_they_overlap() {
    let (world, desk, receiver) = (World::start().await, Desk::new(), Receiver::well().await);
    let first = desk.add("clinic", &receiver, &[]);
    let second = desk.does(&["rotate", "clinic"]);
    assert_ne!(first, second);
    world.register(1).await;
    let relay = desk.start(world.address, &[]);
    until("it is delivered", || receiver.count() == 1).await;
    let signatures = |number: usize| {
        let signed = receiver.got()[number].headers["webhook-signature"].clone();
        signed.split(' ').map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(signatures(0).len(), 2);
    assert!(signatures(0).iter().all(|signature| signature.starts_with("v1,")));
    desk.does(&["rotate", "clinic", "--overlap", "0"]);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    world.register(1).await;
    until("it is delivered", || receiver.count() == 2).await;
    assert_eq!(signatures(1).len(), 1);
    drop(relay);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_goes_the_same_way() {
    let desk = Desk::new();
    let (well, ill) = (Receiver::well().await, Receiver::start(|_| Reaction::Status(500)).await);
    desk.add("well", &well, &[]);
    desk.add("ill", &ill, &[]);
    let said = desk.does(&["test", "well"]);
    assert!(said.starts_with("204 in ") && said.ends_with(" ms"), "{said}");
    let got = &well.got()[0];
    assert!(got.id().starts_with("relay-") && got.headers["webhook-signature"].starts_with("v1,"));
    assert!(got.body.starts_with(r#"{"type":"relay.test","timestamp":""#), "{}", got.body);
    let output = desk.run(&["test", "ill"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("500 in "));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_letter_is_counted_at_once() {
    let (world, desk) = (World::start().await, Desk::new());
    let receiver = Receiver::start(|_| Reaction::Status(400)).await;
    desk.add("clinic", &receiver, &[]);
    world.register(1).await;
    let relay = desk.start(world.address, &[]);
    until("the refusal is stored", || desk.does(&["show", "clinic"]).contains("next attempt: ")).await;
    relay.kill().unwrap();
    // The message was tried often enough that the next refusal is its last.
    let conn = rusqlite::Connection::open(desk.state()).unwrap();
    conn.execute("UPDATE endpoint SET refusals = 6, next = NULL", []).unwrap();
    conn.close().unwrap();
    let relay = desk.start(world.address, &["--metrics", "127.0.0.1:0"]);
    let address = relay.metrics().unwrap();
    let dead = "care_relay_dead{endpoint=\"clinic\"} 1\n";
    until("the figure agrees", || asked(address, "/metrics").contains(dead)).await;
    drop(relay);
}

#[tokio::test(flavor = "multi_thread")]
async fn probes_and_figures_say_how_the_relay_is() {
    let (world, desk, receiver) = (World::start().await, Desk::new(), Receiver::well().await);
    desk.add("clinic", &receiver, &[]);
    world.register(2).await;
    let relay = desk.start(world.address, &["--metrics", "127.0.0.1:0"]);
    let address = relay.metrics().unwrap();
    until("all is delivered", || receiver.count() == 2).await;
    assert!(asked(address, "/alive").starts_with("HTTP/1.1 200 "));
    assert!(asked(address, "/ready").ends_with("ready\n"));
    let wanted = [
        "care_relay_deliveries_total{endpoint=\"clinic\",outcome=\"taken\"} 2\n",
        "care_relay_delivery_seconds_count 2\n",
        "care_relay_lag_entries{endpoint=\"clinic\"} 0\n",
        "care_relay_lag_seconds{endpoint=\"clinic\"} 0\n",
        "care_relay_state{endpoint=\"clinic\",state=\"active\"} 1\n",
        "care_relay_state{endpoint=\"clinic\",state=\"disabled\"} 0\n",
        "care_relay_dead{endpoint=\"clinic\"} 0\n",
    ];
    until("the figures agree", || {
        let figures = asked(address, "/metrics");
        wanted.iter().all(|line| figures.contains(line))
    })
    .await;
    // A port on which nothing listens.
    let nowhere = Desk::new();
    nowhere.add("clinic", &receiver, &[]);
    let lost = nowhere.start("127.0.0.1:1".parse().unwrap(), &["--metrics", "127.0.0.1:0"]);
    assert!(asked(lost.metrics().unwrap(), "/ready").starts_with("HTTP/1.1 503 "));
    assert!(asked(lost.metrics().unwrap(), "/alive").starts_with("HTTP/1.1 200 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_has_one_relay_and_is_the_owners_alone() {
    let (world, desk, receiver) = (World::start().await, Desk::new(), Receiver::well().await);
    desk.add("clinic", &receiver, &[]);
    world.register(1).await;
    let relay = desk.start(world.address, &[]);
    until("it runs", || receiver.count() == 1).await;
    let second = desk.start(world.address, &[]);
    until("the second one is refused", || second.log.text().contains("another relay is running on the file")).await;
    let link = desk.directory.path().join("link.db");
    fs::hard_link(desk.state(), &link).unwrap();
    let linked = desk.start(world.address, &["--state", "link.db"]);
    until("nor by another name", || linked.log.text().contains("another relay is running on the file")).await;
    fs::remove_file(link).unwrap();
    #[cfg(unix)]
    for file in fs::read_dir(desk.directory.path()).unwrap() {
        use std::os::unix::fs::PermissionsExt as _;
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", file.file_name());
    }
    relay.kill().unwrap();
    let relay = desk.start(world.address, &[]);
    world.register(1).await;
    until("another one takes over", || receiver.count() == 2).await;
    drop(relay);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_endpoint_is_named_and_gets_nothing_and_the_others_go_on() {
    let (world, desk) = (World::start().await, Desk::new());
    let (well, unsigned, damaged) = (Receiver::well().await, Receiver::well().await, Receiver::well().await);
    desk.add("well", &well, &[]);
    desk.add("unsigned", &unsigned, &[]);
    desk.add("damaged", &damaged, &[]);
    let conn = rusqlite::Connection::open(desk.state()).unwrap();
    conn.execute("DELETE FROM secret WHERE endpoint = 2", []).unwrap();
    conn.execute("UPDATE endpoint SET types = 'nonsense' WHERE id = 3", []).unwrap();
    conn.close().unwrap();
    world.register(2).await;
    let relay = desk.start(world.address, &["--metrics", "127.0.0.1:0"]);
    until("the others go on", || well.count() == 2).await;
    let listed = desk.run(&["list"]);
    assert_eq!(listed.status.code(), Some(1));
    assert_eq!(String::from_utf8(listed.stdout).unwrap(), "damaged damaged\nunsigned damaged\nwell active\n");
    let figures = asked(relay.metrics().unwrap(), "/metrics");
    for name in ["damaged", "unsigned"] {
        assert!(
            figures.contains(&format!("care_relay_state{{endpoint=\"{name}\",state=\"damaged\"}} 1\n")),
            "{figures}"
        );
        assert!(relay.log.text().contains(&format!("the endpoint is damaged, and gets nothing endpoint=\"{name}\"")));
        assert!(!desk.run(&["test", name]).status.success());
    }
    assert_eq!((unsigned.connections(), damaged.connections()), (0, 0));
    // A new secret mends the one, also beside a relay that runs.
    desk.does(&["rotate", "unsigned"]);
    until("it goes on as well", || unsigned.count() == 2).await;
    assert!(unsigned.got()[0].headers["webhook-signature"].starts_with("v1,"));
    drop(relay);
}

#[test]
fn a_foreign_file_is_refused_and_untouched() {
    let desk = Desk::new();
    for content in ["not a database, but long enough to look like one: ".repeat(40), "x".to_owned()] {
        fs::write(desk.state(), &content).unwrap();
        let output = desk.run(&["list"]);
        assert!(!output.status.success(), "{output:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("not a state"), "{content}");
        assert_eq!(fs::read_to_string(desk.state()).unwrap(), content);
    }
    fs::remove_file(desk.state()).unwrap();
    assert!(!desk.run(&["list"]).status.success());
    assert!(!desk.state().exists());
}

#[test]
fn arguments_that_are_wrong_are_refused_and_urls_are_not_shown() {
    let desk = Desk::new();
    let url = "https://user:canary@hook.example/canary?canary";
    desk.does(&["add", "known", "--url", url]);
    for arguments in [
        &["add", "known", "--url", url][..],
        &["add", "not/a/name", "--url", url],
        &["add", "one", "--url", "http://hook.example/canary"],
        &["add", "one", "--url", "ftp://hook.example/canary"],
        &["add", "one", "--ulr", url],
        &["add", "one", url],
        &["add", "one", "--url", url, "--types", "patients.*"],
        &["add", "one", "--url", url, "--allow-net", "10.0.0.1/8"],
        &["add", "one", "--url", url, "--from", "yesterday"],
        &["add", "one", "--url", url, "--ca", "canary.pem"],
        &["add", "one", "--url", url, "--proxy", "canary"],
        &["show", "nobody"],
        &["replay", "known", "--from", "2", "--to", "1"],
        &["dead", "known", "--again", "1"],
        &["resume", "known"],
        &["run", "--care", "canary"],
    ] {
        let output = desk.run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!said.contains("canary"), "{arguments:?}: {said}");
    }
    assert_eq!(desk.does(&["list", "--json"]), r#"[{"name":"known","state":"active"}]"#);
    assert!(!desk.does(&["show", "known"]).contains("canary"));
}

#[test]
fn it_says_its_own_name() {
    assert!(Desk::new().does(&["--version"]).starts_with("care-relay "));
}

#[test]
fn no_state_is_made_of_a_file_that_belongs_to_a_database() {
    let desk = Desk::new();
    let store = care_store_sqlite::SqliteStore::open(desk.directory.path().join("care.db")).unwrap();
    for side in ["", "-wal", "-shm", "-journal", ".lock"] {
        let file = desk.directory.path().join(format!("care.db{side}"));
        let before = fs::read(&file).ok();
        let state = file.to_str().unwrap();
        let ended = desk.run(&["--state", state, "add", "one", "--url", "https://example.org/"]);
        assert!(!ended.status.success(), "{ended:?}");
        assert_eq!(fs::read(&file).ok(), before, "{side}");
    }
    drop(store);
}
