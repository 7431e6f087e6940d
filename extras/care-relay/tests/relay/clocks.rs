//! The clocks of the service and of the relay.

use std::net::SocketAddr;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use crate::{
    process::Desk,
    world::{World, until},
};

/// The warning of the relay about clocks that differ.
const WARNING: &str = "the clocks of the service and of the relay differ";

/// Answers the relay's requests with an empty journal and this `Date`.
async fn answer(mut stream: TcpStream, date: &str) {
    let (mut head, mut piece) = (Vec::new(), [0; 1024]);
    while let Ok(length @ 1..) = stream.read(&mut piece).await {
        head.extend(&piece[..length]);
        if !head.ends_with(b"\r\n\r\n") {
            continue;
        }
        let is_news = head.starts_with(b"GET /1.0.0/news");
        let body = if is_news {
            r#"{"epoch":"0a1b2c3d","seq":0,"kinds":[]}"#
        } else {
            r#"{"items":[],"epoch":"0a1b2c3d","seq":0}"#
        };
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ndate: {date}\r\ncontent-length: {length}\r\n\r\n"
        );
        if stream.write_all((answer + body).as_bytes()).await.is_err() {
            return;
        }
        head.clear();
    }
}

/// Starts a service without entries whose clock stands at this date.
async fn dated(date: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, date));
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn the_relay_warns_when_the_service_has_another_time() {
    let desk = Desk::new();
    let relay = desk.start(dated("Mon, 01 Jan 2024 00:00:00 GMT").await, &[]);
    until("it warns", || relay.log.text().contains(WARNING)).await;

    // Of a service with the same time it says nothing.
    let (world, desk) = (World::start().await, Desk::new());
    let relay = desk.start(world.address, &["--metrics", "127.0.0.1:0"]);
    let address = relay.metrics().unwrap();
    until("it follows", || crate::commands::asked(address, "/ready").starts_with("HTTP/1.1 200")).await;
    assert!(!relay.log.text().contains(WARNING), "{}", relay.log.text());
}
