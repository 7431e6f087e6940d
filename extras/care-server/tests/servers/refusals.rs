//! A server that cannot start gives the reason in one sentence, and touches no file.

use std::{
    fs,
    net::{SocketAddr, TcpListener, TcpStream},
    os::fd::OwnedFd,
    process::Command,
    time::Duration,
};

use care_testkit::{Program, ProgramEnd, sent};
use rustix::net::{AddressFamily, SocketType, bind, socket};
use tempfile::tempdir;

use crate::process::Bin;

fn assert_one_sentence(ended: &ProgramEnd, about: &str) {
    assert!(!ended.status.success(), "{ended:?}");
    assert!(ended.status.code().is_some(), "{ended:?}");
    assert_eq!(ended.log.lines().count(), 1, "{ended:?}");
    assert!(ended.log.contains(about), "{ended:?}");
    assert!(ended.out.is_empty(), "{ended:?}");
}

/// Starts a server with this socket as file descriptor 3, announced by two variables as systemd does.
fn handed(bin: Bin, directory: &std::path::Path, socket: OwnedFd) -> ProgramEnd {
    let mut shell = Command::new("sh");
    shell.args(["-c", "LISTEN_FDS=1 LISTEN_PID=$$ exec \"$@\" 3<&0 0</dev/null", "sh"]);
    let server = bin.command(directory, &["--database", "care.db"]);
    shell.env_clear().current_dir(directory).arg(server.get_program()).args(server.get_args());
    Program::run(shell.stdin(socket)).unwrap()
}

on_both! {
    fn a_socket_that_does_not_listen_is_refused(bin: Bin) {
        let directory = tempdir().unwrap();
        let bound = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        bind(&bound, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        for socket in [bound, accepted.into()] {
            let ended = handed(bin, directory.path(), socket);
            assert_one_sentence(&ended, "the socket that the parent process passed on does not listen");
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    fn bad_options_are_named(bin: Bin) {
        let directory = tempdir().unwrap();
        for (args, about) in [
            (&["--nonsense"][..], "--nonsense"),
            (&["--bind", "here"], "--bind"),
            (&["--bind"], "--bind"),
            (&["--in-memory", "--database", "x.db"], "--in-memory"),
            (&["--in-memory", "--shared"], "--in-memory"),
            (&["--base-path", "1.0.0"], "--base-path"),
            (&["--base-path", "/1.0.0/"], "--base-path"),
            (&["--utc-offset", "1081"], "--utc-offset"),
            (&["--utc-offset", "noon"], "--utc-offset"),
            (&["--body-limit", "0"], "--body-limit"),
            (&["--body-timeout", "0"], "--body-timeout"),
            (&["--facility-name", " "], "--facility-name"),
            (&["--facility-address", "\u{7}"], "--facility-address"),
            (&["--highest-price=-1"], "--highest-price"),
            (&["--highest-price", "9007199254740992"], "--highest-price"),
            (&["--api-key", ""], "API key"),
            (&["--api-key", "one,"], "API key"),
            (&["--api-key", "se same"], "API key"),
            (&["--api-key", "sésame"], "API key"),
        ] {
            let ended = bin.refuses(directory.path(), args);
            assert_one_sentence(&ended, about);
            assert!(!ended.log.contains("same"), "{ended:?}");
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    fn help_is_no_refusal(bin: Bin) {
        let directory = tempdir().unwrap();
        let mut help = bin.command(directory.path(), &["--help"]);
        let help = help.env("CARE_API_KEY", "sesame").output().unwrap();
        assert!(help.status.success());
        let text = String::from_utf8(help.stdout).unwrap();
        for option in [
            "--bind", "--database", "--in-memory", "--shared", "--base-path", "--api-key", "--demo",
            "--contract-only", "--audit-reads", "--facility-name", "--facility-address", "--utc-offset", "--body-limit",
            "--print-allergies",
        ] {
            assert!(text.contains(option), "{option}");
        }
        assert!(!text.contains("sesame"));
    }

    fn a_port_in_use_is_refused(bin: Bin) {
        let directory = tempdir().unwrap();
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap().to_string();
        let ended = bin.refuses(directory.path(), &["--in-memory", "--bind", &address]);
        assert_one_sentence(&ended, &address);
    }

    fn require_synchronous_needs_a_postgresql_url(bin: Bin) {
        let directory = tempdir().unwrap();
        for args in [["--require-synchronous"].as_slice(), &["--require-synchronous", "--database", "care.db"]] {
            let ended = bin.refuses(directory.path(), args);
            assert!(!ended.status.success() && ended.log.contains("needs a postgres:// URL"), "{ended:?}");
        }
        let ended = bin.refuses(directory.path(), &["--database", "postgres:///care?host=/nowhere"]);
        let part = if cfg!(feature = "postgres") { "cannot be reached" } else { "--features postgres" };
        assert_one_sentence(&ended, part);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    fn a_database_in_use_is_refused_at_once(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &[]);
        for args in [&[][..], &["--database", "../care.db", "--shared"], &["--database", "./care.db"]] {
            let beside = directory.path().join("beside");
            fs::create_dir_all(&beside).unwrap();
            let from = if args.contains(&"--shared") { &beside } else { directory.path() };
            let ended = bin.refuses(from, args);
            assert_one_sentence(&ended, "care.db is in use");
            assert!(ended.after < Duration::from_secs(4), "{ended:?}");
        }
        assert_eq!(server.answer(&sent("GET", "/1.0.0/patient")).status, 200);
    }

    fn what_is_no_database_is_refused_and_left_alone(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &["--database", "sound.db"]);
        assert_eq!(server.answer(&sent("POST", "/1.0.0/patient").body("{}")).status, 201);
        assert!(server.terminate().unwrap().status.success());
        let sound = fs::read(directory.path().join("sound.db")).unwrap();
        let mut damaged = sound.clone();
        damaged[4096..12288].fill(0xAA);
        let mut newer = sound.clone();
        // The bytes of `user_version` in the header.
        newer[60..64].copy_from_slice(&1_000_000_u32.to_be_bytes());
        let mut foreign = sound.clone();
        foreign[68..72].copy_from_slice(b"else");
        for (name, content) in [
            ("empty.db", &[][..]),
            ("text.db", b"This is no database, but a text of some length."),
            ("cut.db", &sound[..sound.len() / 2]),
            ("damaged.db", &damaged),
            ("newer.db", &newer),
            ("foreign.db", &foreign),
        ] {
            let file = directory.path().join(name);
            fs::write(&file, content).unwrap();
            let ended = bin.refuses(directory.path(), &["--database", name]);
            assert_one_sentence(&ended, name);
            assert_eq!(fs::read(&file).unwrap(), content, "{name}");
        }
        fs::create_dir(directory.path().join("directory.db")).unwrap();
        for name in ["directory.db", "missing/care.db"] {
            let ended = bin.refuses(directory.path(), &["--database", name]);
            assert_one_sentence(&ended, name);
        }
    }
}
