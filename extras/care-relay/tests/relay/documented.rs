//! The receivers of docs/webhooks.md, run as they stand there.

use std::{
    env, fs,
    process::{Command, Stdio},
};

use care_testkit::{Program, Wire, example};

use crate::{
    process::Desk,
    world::{World, until},
};

/// Starts a program on this port with this secret; `None` if its interpreter is absent.
fn start(command: &mut Command, port: u16, secret: &str) -> Option<Program> {
    Program::start(command.env("WEBHOOK_SECRET", secret).env("PORT", port.to_string()).stdin(Stdio::null())).ok()
}

/// Returns the first block of docs/webhooks.md in this language.
fn documented(language: &str) -> String {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/webhooks.md")).unwrap();
    let (_, block) = page.split_once(&format!("```{language}\n")).unwrap();
    block.split_once("```").unwrap().0.to_owned()
}

/// Returns a port that was free a moment ago.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Sends a message that was not signed, and returns the first line of the answer.
fn forged(port: u16, headers: &str) -> String {
    let mut wire = Wire::open(([127, 0, 0, 1], port).into());
    wire.send(format!("POST / HTTP/1.1\r\nHost: r\r\nConnection: close\r\nContent-Length: 2\r\n{headers}\r\n{{}}"));
    String::from_utf8(wire.rest()).unwrap().lines().next().unwrap().to_owned()
}

/// Lets the relay deliver to a program, replaces the secret, and sends messages twice and forged ones.
async fn receives(mut command: Command) {
    let (world, desk, port) = (World::start().await, Desk::new(), free_port());
    let url = format!("http://127.0.0.1:{port}/");
    let secret = desk.does(&["add", "documented", "--url", &url, "--allow-net", "127.0.0.0/8", "--from", "0"]);
    let Some(program) = start(&mut command, port, &secret) else {
        assert!(env::var_os("CARE_REQUIRE_RECEIVERS").is_none(), "{command:?} does not start");
        println!("left out: {command:?} does not start");
        return;
    };
    until("it listens", || program.out.all().first().is_some_and(|line| line.starts_with("listening on "))).await;
    world.register(3).await;
    let relay = desk.start(world.address, &[]);
    until("it gets all", || program.out.all().len() == 4).await;
    assert_eq!(program.out.all()[1..], vec!["got patient.registered"; 3]);
    // While the secrets overlap, the receiver may still have the old one.
    desk.does(&["rotate", "documented"]);
    desk.does(&["replay", "documented", "--from", "1", "--to", "3"]);
    until("they are sent again", || desk.does(&["show", "documented"]).matches(" 204 ").count() == 6).await;
    world.register(1).await;
    until("it gets the next one", || program.out.all().len() == 5).await;
    let signed = "webhook-id: a-1\r\nwebhook-timestamp: 1\r\nwebhook-signature: v1,AAAA\r\n";
    for headers in ["", signed, &signed.replace(": 1\r", ": soon\r")] {
        assert!(forged(port, headers).contains(" 401 "), "{headers}");
    }
    assert!(desk.does(&["test", "documented"]).starts_with("204 in "));
    until("it gets the test", || program.out.all().len() == 6).await;
    assert_eq!(program.out.all()[5], "got relay.test");
    drop(relay);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_receiver_in_python_receives() {
    let mut command = Command::new("python3");
    command.args(["-c", &documented("python")]);
    receives(command).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_receiver_in_node_receives() {
    let mut command = Command::new("node");
    command.args(["-e", &documented("js")]);
    receives(command).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_receiver_in_rust_receives() {
    receives(example("receiver").unwrap()).await;
}
