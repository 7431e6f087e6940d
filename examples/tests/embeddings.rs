//! Runs the embeddings as programs.
//!
//! `cargo test` builds examples before it runs this; with `--test embeddings` alone, add `--examples`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    env,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

/// Returns the command of an example, which cargo puts beside the directory of this test.
fn example(name: &str) -> Command {
    let test = env::current_exe().unwrap();
    let directory: PathBuf = test.ancestors().nth(2).unwrap().join("examples");
    Command::new(directory.join(name).with_extension(env::consts::EXE_EXTENSION))
}

/// A server among the examples, stopped when it is dropped.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(name: &str) -> Self {
        let mut process = example(name).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let mut server = Self { process, address: String::new() };
        let mut lines = output.lines().map_while(Result::ok);
        let address = lines.find_map(|line| Some(line.split_once("http://")?.1.to_owned()));
        server.address = address.expect("the server tells where it listens");
        server
    }

    /// Returns the whole answer to a GET.
    fn get(&self, path: &str, header: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{header}\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Tests the service in an embedding.
    fn serves_the_service(&self) {
        let key = "api_key: example-key\r\n";
        let patient = self.get("/care/1.0.0/patient/1", key);
        assert!(patient.starts_with("HTTP/1.1 200 OK\r\n"), "{patient}");
        assert!(patient.contains(r#""name":"Ada Example""#), "{patient}");
        let nobody = self.get("/care/1.0.0/patient/1", "");
        assert!(nobody.starts_with("HTTP/1.1 401 "), "{nobody}");
        let nothing = self.get("/care/1.0.0/", key);
        assert!(nothing.starts_with("HTTP/1.1 404 "), "{nothing}");
        assert!(nothing.contains("application/problem+json"), "{nothing}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The program may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn is_an_application_of_its_own(server: &Server) {
    let waiting = server.get("/waiting", "");
    assert!(waiting.starts_with("HTTP/1.1 200 OK\r\n"), "{waiting}");
    assert!(waiting.ends_with("invoices wait for payment\n"), "{waiting}");
    for path in ["/waiting", "/care/1.0.0/patient/1"] {
        let answer = server.get(path, "api_key: example-key\r\n").to_ascii_lowercase();
        assert!(answer.contains("x-application: example\r\n"), "{answer}");
    }
}

#[test]
fn embed_tells_a_visit_from_the_prescription_to_the_history() {
    let output = example("embed").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(r#""companyaddress":"1 Sample Street, Sampleton""#), "{text}");
    assert!(text.contains(r#""history":[{"disease1":"migraine"}],"visits":1"#), "{text}");
    assert!(text.contains("addConsultation by Dr Sample"), "{text}");
}

#[test]
fn erase_on_memory_leaves_the_books_and_no_name() {
    let output = example("erase_on_memory").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("before: 0 texts") && text.contains("after: 0 texts name her"), "{text}");
    assert!(text.contains("invoice 1 is still of Ibuprofen 400"), "{text}");
    assert!(text.contains("5 entries still make"), "{text}");
}

#[test]
fn webhooks_sends_what_an_endpoint_asks_for_and_no_name() {
    let output = example("webhooks").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(r#"-1 {"type":"patient.registered","#), "{text}");
    assert!(text.contains(r#"-3 {"type":"prescription.made","#), "{text}");
    assert!(!text.contains("medicine.added") && !text.contains("Ada"), "{text}");
}

#[test]
fn axum_app_serves_the_service() {
    let server = Server::start("axum_app");
    server.serves_the_service();
    assert!(server.get("/health", "").ends_with("fine\n"));
}

#[test]
fn poem_app_serves_the_service_beside_its_own() {
    let server = Server::start("poem_app");
    server.serves_the_service();
    is_an_application_of_its_own(&server);
}

#[test]
fn rocket_app_serves_the_service_beside_its_own() {
    let server = Server::start("rocket_app");
    server.serves_the_service();
    is_an_application_of_its_own(&server);
}
