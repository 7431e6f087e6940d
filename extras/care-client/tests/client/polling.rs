//! Long polls that the service ends early.

use std::time::{Duration, Instant};

use care_core::store::Seq;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use crate::world::{KEY, at};

#[tokio::test]
async fn a_poll_that_a_newer_one_has_ended_rests_as_long_as_it_is_asked_to() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = at(listener.local_addr().unwrap(), KEY);
    tokio::spawn(async move {
        loop {
            let (mut connection, _) = listener.accept().await.unwrap();
            let mut head = [0; 4096];
            while connection.read(&mut head).await.is_ok_and(|length| length > 0) {
                let news = r#"{"epoch":"00000001","seq":7,"kinds":[]}"#;
                let length = news.len();
                let answer = format!("HTTP/1.1 200 OK\r\nRetry-After: 1\r\nContent-Length: {length}\r\n\r\n{news}");
                connection.write_all(answer.as_bytes()).await.unwrap();
            }
        }
    });
    let begun = Instant::now();
    let news = client.news(Seq::new(7), Duration::from_secs(30)).await.unwrap();
    assert_eq!(news.seq, Seq::new(7));
    assert!(begun.elapsed() >= Duration::from_secs(1), "{:?}", begun.elapsed());
}
