//! The effect of each option.

use std::{fs, io, process::Command};

use care_testkit::{RawRequest, allow_many_files, sent};
use tempfile::tempdir;

use crate::process::{Bin, started};

const PATIENT: &str = "/1.0.0/patient/1";

fn key(key: &str, sent: RawRequest) -> RawRequest {
    sent.without_key().header("api_key", key)
}

fn register(id: u32) -> RawRequest {
    sent("POST", "/1.0.0/patient").body(&format!(r#"{{"patientId": {id}}}"#))
}

on_both! {
    fn it_answers_where_it_says_and_says_nothing_else(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &[]);
        assert_eq!(server.url, format!("http://{}/1.0.0", server.address));
        assert_ne!(server.address.port(), 0);
        assert_eq!(server.answer(&register(1)).status, 201);
        let xml = sent("PUT", "/1.0.0/patient")
            .header("Content-Type", "application/xml")
            .header("Accept", "application/xml")
            .raw_body("<Patient><patientId>1</patientId><age>40</age></Patient>");
        let answer = server.answer(&xml);
        assert_eq!(answer.status, 200);
        assert!(answer.body.ends_with("<Patient><patientId>1</patientId><age>40</age></Patient>"));
        assert_eq!(server.answer(&sent("GET", PATIENT)).body, r#"{"patientId":1,"age":40}"#);
        let ended = server.terminate().unwrap();
        assert!(ended.status.success());
        assert!(ended.out.is_empty(), "{ended:?}");
        assert!(directory.path().join("care.db").is_file());
    }

    fn a_server_without_a_key_generates_one(bin: Bin) {
        let directory = tempdir().unwrap();
        let start = || started(&mut bin.command(directory.path(), &["--in-memory"]));
        let (one, other) = (start(), start());
        let made_up = [&one, &other].map(|server| {
            let line = server.out.next().unwrap();
            line.strip_prefix("api key: ").unwrap().to_owned()
        });
        assert_eq!(made_up[0].len(), 64);
        assert_ne!(made_up[0], made_up[1]);
        assert_eq!(one.answer(&key(&made_up[0], register(1))).status, 201);
        assert_eq!(one.answer(&key(&made_up[1], register(2))).status, 401);
        assert_eq!(one.answer(&register(2)).status, 401);
    }

    fn every_key_works_and_is_named_in_the_journal(bin: Bin) {
        let directory = tempdir().unwrap();
        let in_options = ["--in-memory", "--api-key", "one", "--api-key", "two"];
        let mut in_environment = bin.command(directory.path(), &["--in-memory"]);
        in_environment.env("CARE_API_KEY", "one,two");
        for mut command in [bin.command(directory.path(), &in_options), in_environment] {
            let server = started(&mut command);
            assert_eq!(server.answer(&key("one", register(1))).status, 201);
            assert_eq!(server.answer(&key("two", register(2))).status, 201);
            assert_eq!(server.answer(&key("one,two", register(3))).status, 401);
            let journal = server.answer(&key("two", sent("GET", "/1.0.0/journal"))).body;
            let first = journal.find(r#""actor":"key-1""#).unwrap();
            let second = journal.find(r#""actor":"key-2""#).unwrap();
            assert!(first < second, "{journal}");
            assert!(server.terminate().unwrap().out.is_empty());
        }
    }

    fn max_failed_keys_slows_down_repeated_failures(bin: Bin) {
        let directory = tempdir().unwrap();
        let options = ["--in-memory", "--max-failed-keys", "2", "--peer-header", "X-Real-IP"];
        let server = bin.start(directory.path(), &options);
        let ask = |key_of: &str, from: &str| {
            let sent = key(key_of, sent("GET", PATIENT)).header("X-Real-IP", from);
            server.answer(&sent).status
        };
        assert_eq!([(); 3].map(|()| ask("wrong", "192.0.2.1")), [401, 401, 429]);
        assert_eq!((ask("secret", "192.0.2.1"), ask("secret", "192.0.2.2")), (429, 404));
    }

    fn reads_are_audited_if_asked_for(bin: Bin) {
        let directory = tempdir().unwrap();
        let plain = bin.start(directory.path(), &[]);
        assert_eq!(plain.answer(&register(1)).status, 201);
        assert_eq!(plain.answer(&sent("GET", PATIENT)).status, 200);
        assert!(plain.terminate().unwrap().status.success());
        let mut command = bin.command(directory.path(), &[]);
        let audited = started(command.env("CARE_AUDIT_READS", "true").env("CARE_API_KEY", "secret"));
        assert_eq!(audited.answer(&sent("GET", PATIENT)).status, 200);
        audited.kill().unwrap();
        let audited = bin.start(directory.path(), &["--audit-reads"]);
        assert_eq!(audited.answer(&sent("GET", "/1.0.0/history/1")).status, 200);
        let journal = audited.answer(&sent("GET", "/1.0.0/journal?after=1")).body;
        for (operation, record) in [("getPatient", "Patient"), ("getHistory", "History")] {
            let change = format!(r#"{{"change":"read","record":"{record}","id":1}}"#);
            let read = format!(r#""operation":"{operation}","changes":[{change}]"#);
            assert_eq!(journal.matches(&read).count(), 1, "{journal}");
        }
        assert_eq!(journal.matches(r#""operation""#).count(), 2, "{journal}");
    }

    fn the_contract_alone_has_nine_operations(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &["--in-memory", "--contract-only"]);
        let item = sent("POST", "/1.0.0/inventory/Ibuprofen").body("{}");
        assert_eq!(server.answer(&item).status, 200);
        for (status, sent) in [
            (405, register(1)),
            (405, sent("GET", "/1.0.0/patient")),
            (405, sent("GET", "/1.0.0/inventory/Ibuprofen")),
            (404, sent("GET", "/1.0.0/inventory")),
            (404, sent("GET", "/1.0.0/journal")),
            (404, sent("POST", "/1.0.0/invoice/1/payment")),
        ] {
            assert_eq!(server.answer(&sent).status, status, "{sent:?}");
        }
    }

    fn the_base_path_can_be_another_or_none(bin: Bin) {
        let directory = tempdir().unwrap();
        for (option, base) in [("/care/1.0.0", "/care/1.0.0"), ("", ""), ("/", "")] {
            let server = bin.start(directory.path(), &["--in-memory", "--base-path", option]);
            assert_eq!(server.url, format!("http://{}{base}", server.address));
            let registered = sent("POST", &format!("{base}/patient")).body("{}");
            assert_eq!(server.answer(&registered).status, 201);
            assert_eq!(server.answer(&sent("GET", &format!("{base}/patient/1"))).status, 200);
            assert_eq!(server.answer(&sent("GET", PATIENT)).status, 404);
        }
    }

    fn in_memory_nothing_is_left(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &["--in-memory"]);
        assert_eq!(server.answer(&register(1)).status, 201);
        assert!(server.terminate().unwrap().status.success());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        let server = bin.start(directory.path(), &["--in-memory"]);
        assert_eq!(server.answer(&sent("GET", PATIENT)).status, 404);
    }

    fn invoices_and_keys_show_the_facility(bin: Bin) {
        let directory = tempdir().unwrap();
        // Around midnight one of the two facilities is a day ahead of the other.
        let start = |minutes| {
            let place =
                ["--facility-name", "Sample Clinic", "--facility-address", "1 Example Road", "--print-allergies"];
            let place = [place.as_slice(), &["--utc-offset", minutes]].concat();
            bin.start(directory.path(), &[["--in-memory"].as_slice(), &place].concat())
        };
        let dates = ["-1080", "1080"].map(|minutes| {
            let server = start(minutes);
            assert_eq!(server.answer(&register(1)).status, 201);
            let prescribed = r#"{"patientId": 1, "medicine": "Ibuprofen", "price": 3}"#;
            let prescribed = sent("POST", "/1.0.0/prescriptions").body(prescribed);
            assert_eq!(server.answer(&prescribed).status, 201);
            let invoice = server.answer(&sent("POST", "/1.0.0/prescriptions/1/invoice")).body;
            assert!(invoice.contains(r#""companyaddress":"1 Example Road""#), "{invoice}");
            let key = server.answer(&sent("GET", "/1.0.0/key")).body;
            let facility =
                r#","facility":{"name":"Sample Clinic","address":"1 Example Road","printAllergies":true}}"#;
            assert!(key.ends_with(facility), "{key}");
            let date = invoice.split(r#""invoiceDate":""#).nth(1).unwrap();
            date.split('"').next().unwrap().to_owned()
        });
        assert_ne!(dates[0], dates[1]);
    }

    fn a_price_above_the_highest_is_refused(bin: Bin) {
        let directory = tempdir().unwrap();
        let adding = |medicine: &str, price: i64| {
            sent("POST", &format!("/1.0.0/inventory/{medicine}")).body(&format!(r#"{{"price": {price}}}"#))
        };
        for (options, highest) in
            [(&["--highest-price", "500"][..], 500), (&["--demo"], 1_000_000), (&[], 9_007_199_254_740_991)]
        {
            let server = bin.start(directory.path(), &[&["--in-memory"], options].concat());
            assert_eq!(server.answer(&adding("A", highest)).status, 200, "{options:?}");
            assert_eq!(server.answer(&adding("B", highest + 1)).status, 422, "{options:?}");
        }
    }

    fn bodies_have_a_limit_in_length_and_in_time(bin: Bin) {
        let directory = tempdir().unwrap();
        let limits = ["--in-memory", "--body-limit", "30", "--body-timeout", "1"];
        let server = bin.start(directory.path(), &limits);
        let at_length = |length: usize| sent("POST", "/1.0.0/patient").body(&format!("{{{:length$}}}", ""));
        assert_eq!(server.answer(&at_length(28)).status, 201);
        assert_eq!(server.answer(&at_length(29)).status, 413);
        let mut wire = server.wire();
        let slow = at_length(28);
        wire.send(&slow.written()[..slow.head().len() + 20]);
        assert_eq!(wire.answer().status, 408);
    }

    fn every_option_can_be_in_the_environment(bin: Bin) {
        let directory = tempdir().unwrap();
        let mut command = bin.command(directory.path(), &[]);
        command
            .env("CARE_DATABASE", "other.db")
            .env("CARE_BASE_PATH", "/x")
            .env("CARE_API_KEY", "secret")
            .env("CARE_CONTRACT_ONLY", "1")
            .env("CARE_IN_MEMORY", "false")
            .env("CARE_BODY_LIMIT", "10");
        let server = started(&mut command);
        let item = sent("POST", "/x/inventory/Ibuprofen");
        assert_eq!(server.answer(&item.clone().body("{}")).status, 200);
        assert_eq!(server.answer(&item.body(r#"{"price":10}"#)).status, 413);
        assert_eq!(server.answer(&sent("GET", "/x/patient")).status, 405);
        assert!(directory.path().join("other.db").is_file());
    }

    fn a_frameworks_own_settings_are_ignored(bin: Bin) {
        let directory = tempdir().unwrap();
        let file = "[default]\nlog_level = \"debug\"\nip_header = \"X-Evil\"\nport = 1\n[default.limits]\nbytes = 1\n";
        fs::write(directory.path().join("Rocket.toml"), file).unwrap();
        let mut command = bin.command(directory.path(), &["--in-memory", "--api-key", "secret"]);
        command
            .env("ROCKET_PORT", "1")
            .env("ROCKET_LOG_LEVEL", "debug")
            .env("ROCKET_LIMITS", "{bytes=1}")
            .env("ROCKET_PROFILE", "debug");
        let server = started(&mut command);
        assert_eq!(server.answer(&register(1)).status, 201);
        let ended = server.terminate().unwrap();
        assert!(ended.out.is_empty(), "{ended:?}");
        assert!(!ended.log.contains("atched"), "{ended:?}");
    }

    fn http2_is_not_spoken(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &["--in-memory"]);
        let mut wire = server.wire();
        wire.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0");
        let said = wire.rest();
        assert!(said.is_empty() || said.starts_with(b"HTTP/1.1 400 "), "{said:?}");
        assert_eq!(server.answer(&register(1)).status, 201);
    }

    fn a_thousand_connections_are_served(bin: Bin) {
        let directory = tempdir().unwrap();
        allow_many_files();
        let mut command = bin.command(directory.path(), &["--in-memory", "--api-key", "secret"]);
        let server = started(&mut command);
        let mut wires: Vec<_> = (0..1100).map(|_| server.wire()).collect();
        for wire in &mut wires {
            assert_eq!(sent("GET", "/1.0.0/patient").over(wire).status, 200);
        }
        // The connections are still open: the server dropped none to make room.
        for wire in &mut wires {
            assert_eq!(sent("GET", PATIENT).over(wire).status, 404);
        }
    }

    fn a_server_continues_when_its_log_is_not_read(bin: Bin) {
        let directory = tempdir().unwrap();
        let command = bin.command(directory.path(), &["--in-memory", "--api-key", "secret"]);
        // The shell passes its standard input on as the log.
        let (_unread, log) = io::pipe().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$@\" 2>&0 0</dev/null", "sh"]).arg(command.get_program()).args(command.get_args());
        let server = started(shell.env_clear().current_dir(directory.path()).stdin(log));
        let mut wire = server.wire();
        // These are far more lines than a pipe holds.
        for _ in 0..3000 {
            assert_eq!(sent("GET", PATIENT).over(&mut wire).status, 404);
        }
        drop(wire);
        assert!(server.terminate().unwrap().status.success());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_limit_on_the_size_of_files_refuses_writes_and_kills_no_server() {
    use rustix::process::{Resource, Rlimit, prlimit};

    for bin in [Bin::POEM, Bin::ROCKET] {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &[]);
        let register = sent("POST", "/1.0.0/patient").body(r#"{"name":"Ada Example"}"#);
        let write = || server.answer(&register).status;
        assert_eq!(write(), 201);
        let limit = Rlimit { current: Some(4096), maximum: None };
        prlimit(Some(server.pid()), Resource::Fsize, limit).unwrap();
        // The store cannot know what became of the write, so it takes no further ones before the next start.
        assert_eq!([write(), write()], [500, 503]);
        assert_eq!(server.answer(&sent("GET", PATIENT)).status, 200);
        assert!(server.terminate().unwrap().status.success());
        let server = bin.start(directory.path(), &[]);
        assert_eq!(server.answer(&sent("GET", PATIENT)).status, 200);
        assert_eq!(server.answer(&register).status, 201);
        assert!(server.terminate().unwrap().status.success());
    }
}

#[test]
fn each_program_says_its_own_name() {
    let manifest = include_str!("../../Cargo.toml");
    let programs = manifest.split("[[bin]]").skip(1).map(|bin| bin.split('"').nth(1).unwrap());
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_care-server")).parent().unwrap();
    let programs: Vec<_> = programs.collect();
    assert_eq!(programs.len(), 3, "{programs:?}");
    for name in programs {
        let said = Command::new(folder.join(name)).arg("--version").output().unwrap();
        let said = String::from_utf8(said.stdout).unwrap();
        assert_eq!(said.split(' ').next(), Some(name), "{said}");
    }
}

#[test]
fn both_servers_answer_alike_outside_the_base_path() {
    let directory = tempdir().unwrap();
    let [poem, rocket] = [Bin::POEM, Bin::ROCKET].map(|bin| bin.start(directory.path(), &["--in-memory"]));
    for target in ["/", "/1.0", "/patient/1", "//1.0.0/patient/1", "/%ZZ", "/1.0.0x", "/a?b=%"] {
        for method in ["GET", "HEAD", "POST", "OPTIONS", "FOO"] {
            let sent = sent(method, target).without_key();
            let (from_poem, from_rocket) = (poem.answer(&sent), rocket.answer(&sent));
            assert_eq!(from_poem.status, 404, "{sent:?}");
            assert_eq!(from_poem, from_rocket, "{sent:?}");
        }
    }
}
