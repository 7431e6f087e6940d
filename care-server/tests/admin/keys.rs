//! Issuing, showing and ending keys.

use crate::bench::Bench;

/// Returns the columns of the key with this name in the output of `keys list`.
fn listed(bench: &Bench, name: &str) -> Vec<String> {
    let list = bench.admin(&["keys", "list"]).done();
    let mut lines = list.lines().filter(|line| line.ends_with(&format!("  {name}")));
    let line = lines.next().unwrap_or_else(|| panic!("{list}"));
    assert_eq!(lines.next(), None, "{list}");
    line.split_whitespace().map(str::to_owned).collect()
}

fn issue(bench: &Bench, name: &str, more: &[&str]) -> String {
    let key = bench.admin(&[&["keys", "issue", "--name", name], more].concat()).done();
    key.trim_end().to_owned()
}

#[test]
fn the_list_shows_what_a_key_is_and_when_it_began_and_ends() {
    let bench = Bench::with_clinic();
    let key = issue(&bench, "desk", &["--scope", "patient:read", "--scope", "admin", "--expires", "31/12/2099"]);
    let id = key.split('_').nth(1).unwrap();
    let line = listed(&bench, "desk");
    assert_eq!((&*line[0], &*line[1], &*line[3]), (id, "valid", "2100-01-01T00:00:00.000Z"));
    assert_eq!((&*line[4], &*line[5], &*line[6]), ("-", "-", "patient:read,admin"));

    let next = bench.admin(&["keys", "rotate", id, "--expires", "2100-12-31"]).done();
    let next = next.split('_').nth(1).unwrap();
    let said = bench.admin(&["keys", "revoke", id]).done();
    let list = bench.admin(&["keys", "list"]).done();
    let lines: Vec<Vec<_>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!((lines[1][0], lines[1][1]), (id, "revoked"));
    assert!(said.contains(lines[1][4]), "{said}");
    // The old key would have stayed valid for a day, and now ends sooner.
    assert!(lines[1][3] < "2099", "{list}");
    assert_eq!((lines[2][0], lines[2][3], lines[2][5]), (next, "2101-01-01T00:00:00.000Z", id));

    let secret = key.split('_').nth(2).unwrap();
    let file = std::fs::read(bench.path("care.db")).unwrap();
    assert!(!list.contains(secret) && !String::from_utf8_lossy(&file).contains(secret));
}

#[test]
fn an_invalid_request_is_reported_and_prints_no_key() {
    let bench = Bench::with_clinic();
    for (arguments, expected) in [
        (&["--name", "a", "--scope", "everything"][..], "no scope has this name; there are patient:read, "),
        (&["--name", "a"], "--scope <SCOPE>"),
        (&["--name", " ", "--scope", "all"], "must be 1 to 64 characters"),
        (&["--name", "a", "--scope", "all", "--expires", "31/02/2099"], "must be a day such as 31/12/2026"),
        (&["--name", "a", "--scope", "all", "--expires", "31/12/9999"], "must be 30/12/9999 at the latest"),
        (&["--name", "a", "--scope", "all", "--expires", "9999-12-31"], "must be 30/12/9999 at the latest"),
        (&["--name", "\u{200b}", "--scope", "all"], "must hold a visible character"),
        (
            &["--name", "a", "--scope", "all", "--expires", "01/01/2020"],
            "care-admin: the key would have expired already",
        ),
        (&["--name", "a", "--scope", "all", "--database", "no.db"], "care-admin: the database no.db does not exist"),
    ] {
        let said = bench.admin(&[&["keys", "issue"], arguments].concat()).refused();
        assert!(said.contains(expected), "{said}");
    }
    issue(&bench, "a", &["--scope", "all"]);
    let said = bench.admin(&["keys", "issue", "--name", "a", "--scope", "all"]).refused();
    assert_eq!(said, "care-admin: a valid key has this name\n");
    let said = bench.admin(&["keys", "issue", "--name", "\u{feff}A", "--scope", "all"]).refused();
    assert_eq!(said, "care-admin: a valid key has this name in another spelling\n");
    issue(&bench, "front desk", &["--scope", "all", "--expires", "30/12/9999"]);
    let said = bench.admin(&["keys", "issue", "--name", "Front  Desk", "--scope", "all"]).refused();
    assert_eq!(said, "care-admin: a valid key has this name in another spelling\n");
    let said = bench.admin(&["keys", "revoke", "000000000000"]).refused();
    assert_eq!(said, "care-admin: no key has this id\n");
    assert!(!bench.path("no.db").exists());
}

#[test]
fn keys_are_in_no_export_and_change_nothing_that_is_verified() {
    let bench = Bench::with_clinic();
    let before = bench.admin(&["export", "--database", "care.db"]).done();
    issue(&bench, "unmistakable", &["--scope", "all"]);
    assert_eq!(bench.admin(&["export", "--database", "care.db"]).done(), before);
    bench.admin(&["verify", "--database", "care.db"]).done();
}
