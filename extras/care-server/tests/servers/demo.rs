//! The invented clinic.

use std::{thread, time::Instant};

use care_testkit::{RawRequest, Server, sent};
use serde_json::Value;
use tempfile::tempdir;

use crate::{database::patients, process::Bin};

/// Returns the request of a printed command.
fn pasted(command: &str, server: &Server) -> RawRequest {
    // Every second piece is quoted.
    let pieces: Vec<_> = command.split('\'').collect();
    let options = pieces.iter().step_by(2).zip(pieces.iter().skip(1).step_by(2));
    let target = pieces.last().unwrap().trim();
    let path = target.strip_prefix(&format!("http://{}", server.address)).unwrap();
    let method = match command {
        _ if command.contains(" -X POST ") => "POST",
        _ if command.contains(" -X PUT ") => "PUT",
        _ => "GET",
    };
    let mut request = sent(method, path).without_key();
    for (option, value) in options {
        match option.trim().rsplit(' ').next().unwrap() {
            "-H" => {
                let (name, value) = value.split_once(": ").unwrap();
                request.headers.push((name.to_owned().leak(), value.to_owned()));
            }
            "-d" => request = request.raw_body(value),
            other => panic!("an option that nobody knows: {other}"),
        }
    }
    request
}

/// Returns the whole journal without its links, which random salts go into: the rest depends only on the day.
fn journal(server: &Server) -> Value {
    let (mut entries, mut after) = (Vec::new(), 0);
    loop {
        let answer = server.answer(&sent("GET", &format!("/1.0.0/journal?limit=500&after={after}")));
        assert_eq!(answer.status, 200, "{answer:?}");
        let mut page: Value = serde_json::from_str(&answer.body).unwrap();
        entries.append(page["items"].as_array_mut().unwrap());
        match page.get("next") {
            Some(_) => after = entries.len(),
            None => break,
        }
    }
    for entry in &mut entries {
        entry.as_object_mut().unwrap().remove("link").unwrap();
    }
    Value::Array(entries)
}

on_both! {
    fn a_kill_while_it_fills_leaves_all_of_the_clinic_or_none(bin: Bin) {
        // The two servers are filled by the same code, and divide the moments between them.
        const MOMENTS: u32 = 10;
        let first = u32::from(bin == Bin::ROCKET);
        let directory = tempdir().unwrap();
        let begun = Instant::now();
        let server = bin.start(directory.path(), &["--demo"]);
        let (whole, takes) = (journal(&server), begun.elapsed());
        assert!(whole.as_array().unwrap().len() > 450);
        drop(server);
        for (kill, moment) in (first..MOMENTS).step_by(2).enumerate() {
            let directory = tempdir().unwrap();
            if kill % 2 == 1 {
                // This makes an empty database.
                assert!(bin.start(directory.path(), &[]).terminate().unwrap().status.success());
            }
            let mut killed = bin.spawn(directory.path(), &["--demo", "--bind", "127.0.0.1:0"]);
            thread::sleep(takes * moment / MOMENTS);
            killed.kill().unwrap();
            killed.wait().unwrap();
            let server = bin.start(directory.path(), &["--demo"]);
            assert!(journal(&server) == whole, "killed at {moment} of {MOMENTS}");
        }
    }

    fn it_fills_an_empty_database_and_no_other(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &["--demo"]);
        let commands: Vec<_> = (0..3).map(|_| server.out.next().unwrap()).collect();
        for command in &commands {
            assert!(command.starts_with("curl "), "{command}");
            let answer = server.answer(&pasted(command, &server));
            assert_eq!(answer.status, 200, "{command}: {answer:?}");
        }
        assert!(commands.iter().any(|command| command.contains("application/xml")));
        let filled = patients(&server);
        assert!(filled.len() > 10);
        assert!(server.terminate().unwrap().status.success());

        let again = bin.start(directory.path(), &["--demo"]);
        assert_eq!(patients(&again), filled);
        let ended = again.terminate().unwrap();
        assert!(ended.log.contains("the database is not empty"), "{ended:?}");
    }

    fn a_nightly_demo_says_so_in_each_answer_and_to_the_console(bin: Bin) {
        let directory = tempdir().unwrap();
        let remark = |server: &Server, path: &str| {
            let answer = server.answer(&sent("GET", path).without_key());
            let remark = answer.headers.iter().find(|(name, _)| name == "care-demo").map(|(_, value)| value.clone());
            (answer.status, remark, answer.body)
        };
        let server = bin.start(directory.path(), &["--in-memory", "--demo", "--demo-nightly"]);
        for (path, status) in [("/1.0.0/patient/1", 401), ("/1.0.0/openapi.json", 200), ("/1.0.0/console/", 200)] {
            let (found, said, _) = remark(&server, path);
            assert_eq!((found, said.as_deref()), (status, Some("nightly")), "{path}");
        }
        assert!(remark(&server, "/1.0.0/console/about.json").2.contains(r#""nightly":true"#));
        let server = bin.start(directory.path(), &["--in-memory", "--demo"]);
        assert_eq!(remark(&server, "/1.0.0/openapi.json").1, None);
        assert!(remark(&server, "/1.0.0/console/about.json").2.contains(r#""nightly":false"#));
        for options in [&["--demo-nightly", "--demo"][..], &["--demo-nightly", "--in-memory"]] {
            let ended = bin.refuses(directory.path(), options);
            assert_eq!(ended.status.code(), Some(2), "{ended:?}");
            assert!(ended.log.contains("--demo-nightly needs --in-memory and --demo"), "{ended:?}");
        }
    }

    fn an_empty_server_suggests_writes(bin: Bin) {
        // The option prints the same as a terminal would show. The clinic is in memory and leaves no file.
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &[]);
        let item = sent("POST", "/1.0.0/inventory/Ibuprofen").body("{}");
        assert_eq!(server.answer(&item).status, 200);
        assert_eq!(server.answer(&sent("DELETE", "/1.0.0/inventory/Ibuprofen")).status, 204);
        assert!(server.terminate().unwrap().status.success());
        let server = bin.start(directory.path(), &["--demo", "--contract-only"]);
        for _ in 0..2 {
            let command = server.out.next().unwrap();
            let answer = server.answer(&pasted(&command, &server));
            assert_eq!(answer.status, 200, "{command}: {answer:?}");
        }
    }
}
