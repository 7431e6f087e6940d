//! Programs that impersonate a server.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use care_store_postgres::{OpenErrorKind, PostgresStore};

use super::scratch::{Test, test};

/// The password that no impostor may learn.
const PASSWORD: &str = "topsecret";
/// The length of a TLS request, which holds a length and a number and nothing else.
const TLS: usize = 8;

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("an_impostor_that_asks_for_a_password_gets_none", |_| {
            let sasl = [b"R\0\0\0\x17\0\0\0\x0a".as_slice(), b"SCRAM-SHA-256\0\0"].concat();
            for (asks, answers) in [
                (b"R\0\0\0\x08\0\0\0\x03".to_vec(), PASSWORD),
                (b"R\0\0\0\x0c\0\0\0\x05salt".to_vec(), "md5"),
                (sasl, "SCRAM-SHA-256"),
            ] {
                for (parameters, is_sent) in [("", false), ("?sslmode=disable", false), ("?auth=plain", true)] {
                    let (port, heard) = impostor(asks.clone());
                    let options = PostgresStore::options().password(PASSWORD).lock_wait(Duration::from_millis(500));
                    let refused = options.open(&format!("postgres://care@127.0.0.1:{port}/care{parameters}"));
                    let refused = refused.expect_err("no server");
                    let heard = heard.recv_timeout(Duration::from_secs(30)).expect("what it was told");
                    let heard = String::from_utf8_lossy(&heard).into_owned();
                    assert_eq!(heard.contains(answers), is_sent, "{parameters}: {heard:?}");
                    assert!(heard.contains("care"), "it was not talked to: {heard:?}");
                    assert_eq!(refused.kind() == OpenErrorKind::PasswordAsked, !is_sent, "{refused}");
                    assert!(!refused.to_string().contains(PASSWORD));
                }
            }
        }),
        test("the_words_of_an_impostor_are_shown_in_one_line", |_| {
            let said = b"SFATAL\0VFATAL\0C28000\0Mgo away\nerror: all is \x1b[31mwell\xe2\x80\xae\0\0";
            let length = u32::try_from(said.len() + 4).expect("a length").to_be_bytes();
            let (port, _heard) = impostor([b"E".as_slice(), &length, said].concat());
            let refused =
                PostgresStore::open(&format!("postgres://care@127.0.0.1:{port}/care")).expect_err("no server");
            let shown = refused.to_string();
            assert!(shown.contains(r"go away\nerror: all is \u{1b}[31mwell\u{202e}"), "{shown:?}");
        }),
    ]
}

/// Starts an impostor without TLS that sends this to the first client that names its user. Returns the port, and what
/// the impostor receives after that until the client disconnects.
fn impostor(says: Vec<u8>) -> (u16, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    let (told, heard) = channel();
    thread::spawn(move || {
        let (client, _) = listener.accept().expect("a client");
        told.send(listen(client, &says)).ok();
    });
    (port, heard)
}

fn listen(mut client: TcpStream, says: &[u8]) -> Vec<u8> {
    client.set_read_timeout(Some(Duration::from_secs(2))).expect("a time limit");
    let mut heard = vec![0; 4096];
    let mut length = client.read(&mut heard).unwrap_or_default();
    if length == TLS {
        client.write_all(b"N").expect("an answer");
        length = client.read(&mut heard).unwrap_or_default();
    }
    heard.truncate(length);
    client.write_all(says).expect("an answer");
    let mut more = vec![0; 4096];
    let length = client.read(&mut more).unwrap_or_default();
    heard.extend(&more[..length]);
    heard
}
