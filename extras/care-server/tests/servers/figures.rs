//! The metrics of `--metrics`, parsed strictly, and the probes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{ErrorKind, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use care_testkit::{Answer, Server, Wire, get, sent, until};
use tempfile::tempdir;

use crate::process::Bin;

/// The samples of a scrape by their name and labels.
struct Scrape(BTreeMap<String, f64>);

impl Scrape {
    /// Parses the text as the format demands: help and type before the samples of a family, and each sample once.
    fn read(text: &str) -> Self {
        assert!(text.ends_with('\n'));
        let (mut samples, mut families) = (BTreeMap::new(), BTreeSet::new());
        let (mut family, mut kind, mut helped) = (String::new(), String::new(), String::new());
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, text) = help.split_once(' ').unwrap();
                assert!(!text.trim().is_empty(), "{line}");
                helped = name.to_owned();
            } else if let Some(typed) = line.strip_prefix("# TYPE ") {
                let (name, of) = typed.split_once(' ').unwrap();
                assert!(matches!(of, "counter" | "gauge" | "histogram"), "{line}");
                assert_eq!(helped, name, "a family without help");
                assert!(families.insert(name.to_owned()), "{name} twice");
                assert!(name.starts_with("care_") && (of == "counter") == name.ends_with("_total"), "{line}");
                (family, kind) = (name.to_owned(), of.to_owned());
            } else {
                let (series, value) = line.rsplit_once(' ').unwrap();
                let name = series.split('{').next().unwrap();
                let rest = name.strip_prefix(&family).unwrap();
                let is_of_it = match kind.as_str() {
                    "histogram" => matches!(rest, "_bucket" | "_sum" | "_count"),
                    _ => rest.is_empty(),
                };
                assert!(is_of_it, "{line} below {family}");
                let value: f64 = value.parse().unwrap();
                assert!(samples.insert(series.to_owned(), value).is_none(), "{series} twice");
            }
        }
        let scrape = Self(samples);
        scrape.buckets_add_up();
        scrape
    }

    /// Checks that the buckets of each histogram rise, and that the last one counts all samples.
    fn buckets_add_up(&self) {
        for (series, count) in self.0.iter().filter(|(series, _)| series.split('{').next().unwrap().ends_with("_count"))
        {
            let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
            let name = name.strip_suffix("_count").unwrap();
            let labels = labels.strip_suffix('}').unwrap();
            let separator = if labels.is_empty() { "" } else { "," };
            let prefix = format!("{name}_bucket{{{labels}{separator}le=\"");
            let buckets = self.0.iter().filter_map(|(series, value)| {
                let end = series.strip_prefix(&prefix)?.strip_suffix("\"}")?;
                Some((if end == "+Inf" { f64::INFINITY } else { end.parse().unwrap() }, *value))
            });
            let mut buckets: Vec<(f64, f64)> = buckets.collect();
            buckets.sort_by(|(one, _), (other, _)| one.total_cmp(other));
            assert!(buckets.len() > 5 && buckets.is_sorted_by(|(_, one), (_, other)| one <= other), "{series}");
            assert_eq!(buckets.last().unwrap(), &(f64::INFINITY, *count), "{series}");
        }
    }

    fn of(&self, series: &str) -> f64 {
        *self.0.get(series).unwrap_or_else(|| panic!("no {series} in {:#?}", self.0))
    }
}

fn ask(address: SocketAddr, path: &str) -> Answer {
    sent("GET", path).without_key().over(&mut Wire::open(address))
}

/// Returns the exit code and the output of `care-admin ready`, which finds the server through the environment.
fn admin_asks(address: SocketAddr) -> (Option<i32>, String) {
    let mut admin = Command::new(env!("CARGO_BIN_EXE_care-admin"));
    let output = admin.arg("ready").env("CARE_METRICS", address.to_string()).output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

/// Opens connections that send this text, as much of it as is accepted, and read nothing.
fn crowd(address: SocketAddr, count: usize, text: &str) -> Vec<TcpStream> {
    let connection = |_| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_nonblocking(true).unwrap();
        // The server may already have closed the connection.
        let _ = stream.write_all(text.as_bytes());
        stream
    };
    (0..count).map(connection).collect()
}

fn start(bin: Bin, directory: &std::path::Path) -> (Server, SocketAddr) {
    let server = bin.start(directory, &["--fhir", "--metrics", "127.0.0.1:0"]);
    let address = server.metrics().unwrap();
    (server, address)
}

on_both! {
    fn the_figures_say_what_was_asked_and_done(bin: Bin) {
        let directory = tempdir().unwrap();
        let (server, address) = start(bin, directory.path());
        let canary = |method| sent(method, "/1.0.0/patient").body(r#"{"patientId":7,"name":"Canary"}"#);
        assert_eq!(server.answer(&canary("POST")).status, 201);
        for _ in 0..3 {
            assert_eq!(server.answer(&sent("GET", "/1.0.0/patient/7")).status, 200);
        }
        assert_eq!(server.answer(&sent("GET", "/1.0.0/patient/8")).status, 404);
        assert_eq!(server.answer(&sent("GET", "/1.0.0/patient/7").without_key()).status, 401);
        assert_eq!(server.answer(&canary("PUT")).status, 200);
        assert_eq!(server.answer(&sent("GET", "/1.0.0/patient")).status, 200);
        assert_eq!(server.answer(&sent("DELETE", "/1.0.0/fhir/Patient/7")).status, 405);

        // A client may have the whole answer before the server has noticed that it went out.
        let gone = || Scrape::read(&ask(address, "/metrics").body).of("care_http_unread_bytes") < 1.0;
        assert!(until(Duration::from_secs(60), gone), "an answer is never read");
        let answer = ask(address, "/metrics");
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
        assert!(!answer.body.to_lowercase().contains("canary") && !answer.body.contains("secret"), "{}", answer.body);
        let scrape = Scrape::read(&answer.body);
        for (series, value) in [
            ("care_http_requests_total{operation=\"addPatient\",status=\"201\"}", 1.0),
            ("care_http_requests_total{operation=\"getPatient\",status=\"200\"}", 3.0),
            ("care_http_requests_total{operation=\"getPatient\",status=\"404\"}", 1.0),
            ("care_http_requests_total{operation=\"none\",status=\"405\"}", 1.0),
            ("care_http_request_duration_seconds_count{operation=\"getPatient\"}", 4.0),
            ("care_http_refusals_total{reason=\"unauthorized\"}", 1.0),
            ("care_http_refusals_total{reason=\"not-found\"}", 1.0),
            ("care_http_requests_in_flight", 0.0),
            ("care_http_polls_waiting", 0.0),
            ("care_http_requests_waiting{for=\"work\"}", 0.0),
            ("care_http_unread_bytes", 0.0),
            ("care_decisions_total{outcome=\"written\"}", 1.0),
            ("care_decisions_total{outcome=\"unchanged\"}", 1.0),
            ("care_seq", 1.0),
            ("care_store_commits_total{outcome=\"committed\"}", 1.0),
            ("care_store_sync_duration_seconds_count", 1.0),
            ("care_store_batch_decisions_sum", 2.0),
            ("care_store_queue", 0.0),
            ("care_store_stopped", 0.0),
        ] {
            assert!((scrape.of(series) - value).abs() < f64::EPSILON, "{series} is {}", scrape.of(series));
        }
        assert!(scrape.of("care_store_room_bytes") > 0.0);
        assert!(scrape.of("care_store_snapshot_age_seconds") < 60.0);
    }

    fn the_head_is_served_beside_the_figures(bin: Bin) {
        let directory = tempdir().unwrap();
        let (server, address) = start(bin, directory.path());
        assert_eq!(ask(address, "/head").body, format!("0:{}\n", "0".repeat(64)));
        assert_eq!(server.answer(&sent("POST", "/1.0.0/patient").body("{}")).status, 201);
        let head = ask(address, "/head");
        let (seq, link) = head.body.trim_end().split_once(':').unwrap();
        assert_eq!((head.status, seq, link.len()), (200, "1", 64));
        let page = server.answer(&sent("GET", "/1.0.0/journal"));
        assert!(page.body.contains(&format!(r#""head":{{"seq":1,"link":"{link}"}}"#)), "{}", page.body);
        // It is no label of a figure.
        assert!(!ask(address, "/metrics").body.contains(link));
    }

    fn nothing_else_is_served_there_and_no_figures_elsewhere(bin: Bin) {
        let directory = tempdir().unwrap();
        let (server, address) = start(bin, directory.path());
        assert_eq!(ask(address, "/").status, 404);
        assert_eq!(ask(address, "/1.0.0/patient").status, 404);
        let posted = sent("POST", "/metrics").raw_body("x").over(&mut Wire::open(address));
        assert_eq!(posted.status, 405);
        let head = sent("HEAD", "/metrics").over(&mut Wire::open(address));
        assert_eq!((head.status, head.body.as_str()), (200, ""));
        assert_eq!(server.answer(&sent("GET", "/metrics")).status, 404);
    }

    fn a_server_that_can_no_longer_write_is_alive_and_not_ready(bin: Bin) {
        let directory = tempdir().unwrap();
        let (server, address) = start(bin, directory.path());
        for path in ["/alive", "/ready", "/writer"] {
            assert_eq!(ask(address, path).status, 200);
        }
        assert_eq!(admin_asks(address), (Some(0), "ready\n".to_owned()));
        fs::rename(directory.path().join("care.db"), directory.path().join("away.db")).unwrap();
        let until = Instant::now() + Duration::from_secs(10);
        let refusal = loop {
            let answer = ask(address, "/ready");
            if answer.status != 200 || Instant::now() > until {
                break answer;
            }
            thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(refusal.status, 503);
        assert_eq!(refusal.body, "the store has stopped writing until a restart; the log says why\n");
        assert_eq!((ask(address, "/alive").status, ask(address, "/writer").status), (200, 503));
        let said = "care-admin: not ready: the store has stopped writing until a restart; the log says why\n";
        assert_eq!(admin_asks(address), (Some(1), said.to_owned()));
        let refused = server.answer(&sent("POST", "/1.0.0/patient").body("{}"));
        assert_eq!((refused.status, refused.header("retry-after").is_some()), (503, true));
        assert_eq!(server.answer(&sent("GET", "/1.0.0/patient")).status, 200, "reads go on");
        let ended = server.terminate().unwrap();
        let told = ended.log.lines().filter(|line| line.contains("moved, removed or exchanged")).count();
        assert!(ended.status.success() && told == 1, "{ended:?}");
    }
    fn probes_are_answered_whatever_others_do_there(bin: Bin) {
        const FIGURES: &str = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
        let directory = tempdir().unwrap();
        let (_server, address) = start(bin, directory.path());
        let pipelined = FIGURES.repeat(6000);
        for (count, text) in [(16, pipelined.as_str()), (300, FIGURES), (300, "GET /al"), (300, "")] {
            let crowd = crowd(address, count, text);
            for path in ["/alive", "/ready", "/writer", "/alive"] {
                let asked = Instant::now();
                let answer = get(address, path, "").unwrap();
                assert!(answer.starts_with("HTTP/1.1 200 OK"), "{path} beside {count} of {:.7}: {answer}", text);
                // One that waited for a client of the crowd would wait for the five seconds that a head may take.
                assert!(asked.elapsed() < Duration::from_secs(5), "{path}: {:?}", asked.elapsed());
            }
            drop(crowd);
        }
    }

    fn a_connection_there_lasts_ten_seconds_at_most(bin: Bin) {
        let directory = tempdir().unwrap();
        let (_server, address) = start(bin, directory.path());
        let begun = Instant::now();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(250))).unwrap();
        stream.write_all(b"GET /alive HTTP/1.1\r\n").unwrap();
        // It sends a header every quarter of a second, and never ends the head.
        let mut byte = [0];
        loop {
            assert!(begun.elapsed() < Duration::from_secs(15), "it is still open");
            if stream.write_all(b"x: y\r\n").is_err() {
                break;
            }
            match stream.read(&mut byte) {
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                _ => break,
            }
        }
    }
}
