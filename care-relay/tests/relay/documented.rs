//! The receivers of docs/webhooks.md, run as they stand there.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
};

use crate::{
    process::Desk,
    world::{World, until},
};

/// A program that receives, killed when this is dropped.
struct Program {
    child: Child,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Program {
    /// Starts a program on this port with this secret; `None` if its interpreter is absent.
    fn start(command: &mut Command, port: u16, secret: &str) -> Option<Self> {
        let command = command.env("WEBHOOK_SECRET", secret).env("PORT", port.to_string());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().ok()?;
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (output, kept) = (BufReader::new(child.stdout.take().unwrap()), Arc::clone(&lines));
        thread::spawn(move || output.lines().map_while(Result::ok).for_each(|line| kept.lock().unwrap().push(line)));
        Some(Self { child, lines })
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }
}

/// Returns the first block of docs/webhooks.md in this language.
fn documented(language: &str) -> String {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/webhooks.md")).unwrap();
    let (_, block) = page.split_once(&format!("```{language}\n")).unwrap();
    block.split_once("```").unwrap().0.to_owned()
}

/// Returns a port that was free a moment ago.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Sends a message that was not signed, and returns the first line of the answer.
fn forged(port: u16, headers: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "POST / HTTP/1.1\r\nHost: r\r\nConnection: close\r\nContent-Length: 2\r\n{headers}\r\n{{}}")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap().to_owned()
}

/// Lets the relay deliver to a program, replaces the secret, and sends messages twice and forged ones.
async fn receives(mut command: Command) {
    let (world, desk, port) = (World::start().await, Desk::new(), free_port());
    let url = format!("http://127.0.0.1:{port}/");
    let secret = desk.does(&["add", "documented", "--url", &url, "--allow-net", "127.0.0.0/8", "--from", "0"]);
    let Some(program) = Program::start(&mut command, port, &secret) else {
        assert!(env::var_os("CARE_REQUIRE_RECEIVERS").is_none(), "{command:?} does not start");
        println!("left out: {command:?} does not start");
        return;
    };
    until("it listens", || program.lines().first().is_some_and(|line| line.starts_with("listening on "))).await;
    world.register(3).await;
    let relay = desk.start(world.address, &[]);
    until("it gets all", || program.lines().len() == 4).await;
    assert_eq!(program.lines()[1..], vec!["got patient.registered"; 3]);
    // While the secrets overlap, the receiver may still have the old one.
    desk.does(&["rotate", "documented"]);
    desk.does(&["replay", "documented", "--from", "1", "--to", "3"]);
    until("they are sent again", || desk.does(&["show", "documented"]).matches(" 204 ").count() == 6).await;
    world.register(1).await;
    until("it gets the next one", || program.lines().len() == 5).await;
    let signed = "webhook-id: a-1\r\nwebhook-timestamp: 1\r\nwebhook-signature: v1,AAAA\r\n";
    for headers in ["", signed, &signed.replace(": 1\r", ": soon\r")] {
        assert!(forged(port, headers).contains(" 401 "), "{headers}");
    }
    assert!(desk.does(&["test", "documented"]).starts_with("204 in "));
    until("it gets the test", || program.lines().len() == 6).await;
    assert_eq!(program.lines()[5], "got relay.test");
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
    // `cargo test` builds examples before it runs this; with `--test relay` alone, add `--examples`.
    let test = env::current_exe().unwrap();
    let directory = test.ancestors().nth(2).unwrap().join("examples");
    receives(Command::new(directory.join("receiver").with_extension(env::consts::EXE_EXTENSION))).await;
}
