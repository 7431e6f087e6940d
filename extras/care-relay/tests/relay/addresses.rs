//! Addresses that are not allowed, and proxies.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use care_core::store::Seq;
use care_relay::{Lookup, NewEndpoint, Relay, Start, State};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional},
    net::{TcpListener, TcpStream},
};

use crate::{
    process::Desk,
    receiver::Receiver,
    trouble::CA,
    world::{World, until},
};

/// A resolver whose answers the test chooses, one after the other; the last one stays.
struct Named(Vec<Vec<IpAddr>>, Arc<AtomicUsize>);

#[async_trait::async_trait]
impl Lookup for Named {
    async fn lookup(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        let number = self.1.fetch_add(1, Ordering::Relaxed);
        Ok(self.0[number.min(self.0.len() - 1)].clone())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_judged_by_all_of_its_addresses_at_every_connection() {
    let (world, receiver) = (World::start().await, Receiver::well().await);
    world.register(1).await;
    let address = |text: &str| text.parse::<IpAddr>().unwrap();
    for (lookups, networks, is_reached) in [
        (vec![vec![address("127.0.0.1")]], "10.0.0.0/8", false),
        (vec![vec![address("::ffff:127.0.0.1")]], "10.0.0.0/8", false),
        (vec![vec![address("10.0.0.1"), address("127.0.0.1")]], "10.0.0.0/8", false),
        (vec![vec![address("127.0.0.1")]], "127.0.0.0/8", true),
    ] {
        let (desk, asked, before) = (Desk::new(), Arc::new(AtomicUsize::new(0)), receiver.connections());
        let mut state = State::open(desk.state()).unwrap();
        let url = format!("http://hook.example:{}/", receiver.address.port());
        let (networks, start) = (vec![networks.parse().unwrap()], Start::At(Seq::ZERO));
        state.add(&NewEndpoint { networks, start, ..NewEndpoint::new("named", url) }).unwrap();
        let relay = Relay::new(world.care.clone(), state).with_lookup(Named(lookups, Arc::clone(&asked)));
        let running = tokio::spawn(relay.run(std::future::pending()));
        until("the name is resolved", || asked.load(Ordering::Relaxed) > 0).await;
        until("the outcome is stored", || desk.does(&["show", "named"]).lines().any(|line| line.ends_with(" ms")))
            .await;
        assert_eq!(receiver.connections() > before, is_reached);
        running.abort();
        // Its end closes the file.
        drop(running.await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_moves_between_two_attempts_is_judged_again() {
    let (world, receiver, desk) = (World::start().await, Receiver::well().await, Desk::new());
    world.register(1).await;
    let mut state = State::open(desk.state()).unwrap();
    let url = format!("http://hook.example:{}/", receiver.address.port());
    let (networks, start) = (vec!["127.0.0.2".parse().unwrap()], Start::At(Seq::ZERO));
    state.add(&NewEndpoint { networks, start, ..NewEndpoint::new("moves", url) }).unwrap();
    // Nothing listens at the first address, which is named; a receiver does at the second one, which is not.
    let lookups = ["127.0.0.2", "127.0.0.1"].map(|text| vec![text.parse::<IpAddr>().unwrap()]);
    let named = Named(lookups.to_vec(), Arc::default());
    let running = tokio::spawn(Relay::new(world.care.clone(), state).with_lookup(named).run(std::future::pending()));
    let outcomes = |word: &str| desk.does(&["show", "moves"]).contains(word);
    until("the first attempt finds nothing", || outcomes(" no-connection ")).await;
    until("the second one is refused", || outcomes(" address-refused ")).await;
    assert_eq!(receiver.connections(), 0);
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn no_spelling_of_an_address_gets_past_add_or_test() {
    let (desk, receiver) = (Desk::new(), Receiver::well().await);
    let port = receiver.address.port();
    for (number, host) in
        ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "017700000001", "127.0.0.1.", "[::ffff:127.0.0.1]", "[::1]", "0"]
            .into_iter()
            .enumerate()
    {
        let (name, url) = (format!("n{number}"), format!("https://{host}:{port}/"));
        assert!(!desk.run(&["add", &name, "--url", &url]).status.success(), "{host}");
        assert!(!desk.run(&["add", &name, "--url", &url, "--allow-net", "10.0.0.0/8"]).status.success(), "{host}");
    }
    desk.does(&["add", "name", "--url", &format!("https://localhost:{port}/")]);
    desk.does(&["add", "dot", "--url", &format!("https://localhost.:{port}/")]);
    for name in ["name", "dot"] {
        let output = desk.run(&["test", name]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!output.status.success(), "{text}");
        // Not every resolver knows the name with the full stop.
        assert!(text.starts_with("address-refused in ") || name == "dot", "{text}");
    }
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_is_used_where_it_is_named_and_nowhere_else() {
    let (desk, proxy, receiver) = (Desk::new(), Receiver::well().await, Receiver::well().await);
    desk.add("direct", &receiver, &[]);
    let named = format!("http://{}", proxy.address);
    let of_the_environment = [("HTTP_PROXY", &*named), ("http_proxy", &*named), ("ALL_PROXY", &*named)];
    let output = desk.run_with(&["test", "direct"], &of_the_environment);
    assert!(output.status.success() && proxy.connections() == 0, "{output:?}");
    // The proxy resolves the name, and the policy is its business.
    let url = "http://name.invalid/hook";
    desk.does(&["add", "proxied", "--url", url, "--allow-net", "10.0.0.0/8", "--proxy", &named]);
    assert!(desk.does(&["test", "proxied"]).starts_with("204 in "));
    assert!(proxy.got()[0].head.starts_with("POST http://name.invalid/hook HTTP/1.1\r\n"), "{}", proxy.got()[0].head);
    assert_eq!(receiver.count(), 1);
}

/// Starts a proxy that connects to the host that it is told, and returns its address and what it was asked.
async fn tunnelling() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, asked) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<String>>>::default());
    let kept = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let kept = Arc::clone(&kept);
            tokio::spawn(async move {
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    head.push(char::from(stream.read_u8().await.unwrap()));
                }
                let mut host = TcpStream::connect(head.split(' ').nth(1).unwrap()).await.unwrap();
                kept.lock().unwrap().push(head);
                stream.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await.unwrap();
                // Either side may close.
                let _ = copy_bidirectional(&mut stream, &mut host).await;
            });
        }
    });
    (address, asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_only_connects_what_is_encrypted() {
    let (desk, (proxy, asked)) = (Desk::new(), tunnelling().await);
    let (certificate, key) = (include_str!("certificates/good.pem"), include_str!("certificates/good.key"));
    let receiver = Receiver::encrypted(certificate, key).await;
    let (url, proxy) = (format!("https://{}/hook", receiver.address), format!("http://me:canary@{proxy}"));
    desk.does(&["add", "proxied", "--url", &url, "--proxy", &proxy, "--ca", CA, "--allow-net", "127.0.0.0/8"]);
    assert!(desk.does(&["test", "proxied"]).starts_with("204 in "));
    assert!(receiver.got()[0].head.starts_with("POST /hook HTTP/1.1\r\n"), "{}", receiver.got()[0].head);
    let asked = asked.lock().unwrap().concat();
    assert!(asked.starts_with(&format!("CONNECT {} HTTP/1.1\r\n", receiver.address)), "{asked}");
    assert!(asked.contains("proxy-authorization: Basic bWU6Y2FuYXJ5\r\n"), "{asked}");
}
