//! The console as a server delivers it. Its tests in a browser are elsewhere.

use care_testkit::{Server, sent};
use tempfile::tempdir;

use crate::process::{Bin, started};

/// Returns the status and the body at this path, requested without a key.
fn found(server: &Server, path: &str) -> (u16, String) {
    let answer = server.answer(&sent("GET", path).without_key());
    (answer.status, answer.body)
}

on_both! {
    fn the_console_is_served_to_those_who_ask_for_it(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = bin.start(directory.path(), &["--in-memory", "--console"]);
        let (status, page) = found(&server, "/1.0.0/console/");
        assert!(status == 200 && page.contains("main.js"), "{page}");
        let page = server.answer(&sent("GET", "/1.0.0/console/main.js").without_key());
        let policy = page.headers.iter().find(|(name, _)| name == "content-security-policy");
        assert!(policy.is_some_and(|(_, policy)| policy.contains("script-src 'self'; style-src 'self';")), "{page:?}");
        let (status, about) = found(&server, "/1.0.0/console/about.json");
        let framework = if bin == Bin::POEM { "Poem" } else { "Rocket" };
        assert!(status == 200 && about.contains(framework), "{about}");
        assert_eq!(found(&server, "/1.0.0/explorer/").0, 200);
        assert_eq!(found(&server, "/1.0.0/explorer/rapidoc-min.js").0, 200);
        let ended = server.terminate().unwrap();
        assert!(ended.log.starts_with("open http://") && !ended.log.contains("secret"), "{ended:?}");
        assert!(ended.out.is_empty(), "{ended:?}");
    }

    fn the_console_is_off_by_default_and_with_contract_only(bin: Bin) {
        let directory = tempdir().unwrap();
        let both = [["--in-memory", "--console", "--contract-only"], ["--in-memory", "--demo", "--contract-only"]];
        for args in [&["--in-memory"][..], &both[0], &both[1]] {
            let server = bin.start(directory.path(), args);
            for path in ["/1.0.0/console/", "/1.0.0/console/main.js", "/1.0.0/explorer/"] {
                assert_eq!(found(&server, path).0, 401, "{args:?} {path}");
            }
            let ended = server.terminate().unwrap();
            assert!(!ended.log.contains("console"), "{ended:?}");
        }
    }

    fn the_demo_says_first_where_to_look(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = started(&mut bin.command(directory.path(), &["--in-memory", "--demo"]));
        let line = server.out.next().unwrap();
        let key = line.strip_prefix("api key: ").unwrap();
        let entrance = format!("open {}/console/#key={key} in a browser\n", server.url);
        assert_eq!(found(&server, "/1.0.0/console/").0, 200);
        let ended = server.terminate().unwrap();
        assert!(ended.log.starts_with(&entrance), "{ended:?}");
    }
}
