//! Issuing, showing and ending keys.

use std::fs;

use care_core::{
    model::{ApiKey, Scope, Scopes},
    store::{ApiKeys, KeyPlan},
};
use futures_executor::block_on;
use rusqlite::Connection;
use serde_json::{Value, json};

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
        (
            &["--name", "a", "--scope", "all", "--expires", "9999-12-31T23:00:00-01:00"],
            "must be within the years 1900 to 9999, until 9999-12-31T23:59:59.999Z",
        ),
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
    assert_eq!(said, "care-admin: a key has or had this name in another spelling\n");
    // A holder is known by every spelling, also once no key of it is valid.
    let list = listed(&bench, "a");
    bench.admin(&["keys", "revoke", &list[0]]).done();
    let said = bench.admin(&["keys", "issue", "--name", "A", "--scope", "all"]).refused();
    assert_eq!(said, "care-admin: a key has or had this name in another spelling\n");
    issue(&bench, "a", &["--scope", "all"]);
    issue(&bench, "front desk", &["--scope", "all", "--expires", "30/12/9999"]);
    issue(&bench, "ward", &["--scope", "all", "--expires", "9999-12-31T00:00:00Z"]);
    let said = bench.admin(&["keys", "issue", "--name", "Front  Desk", "--scope", "all"]).refused();
    assert_eq!(said, "care-admin: a key has or had this name in another spelling\n");
    let said = bench.admin(&["keys", "revoke", "000000000000"]).refused();
    assert_eq!(said, "care-admin: no key has this id\n");
    assert!(!bench.path("no.db").exists());
}

#[test]
fn the_last_day_of_a_key_ends_at_the_facility() {
    let bench = Bench::with_clinic();
    for (place, minutes, expected) in
        [("east", "180", "2099-12-31T21:00:00.000Z"), ("west", "-90", "2100-01-01T01:30:00.000Z")]
    {
        issue(&bench, place, &["--scope", "all", "--expires", "31/12/2099", "--utc-offset", minutes]);
        let line = listed(&bench, place);
        assert_eq!(line[3], expected);
        let next =
            bench.admin(&["keys", "rotate", &line[0], "--expires", "2099-12-31", "--utc-offset", minutes]).done();
        let list = bench.admin(&["keys", "list"]).done();
        let next = list.lines().find(|line| line.starts_with(next.split('_').nth(1).unwrap())).unwrap();
        assert!(next.contains(expected), "{next}");
    }
    issue(&bench, "instant", &["--scope", "all", "--expires", "2099-12-31T08:00:00Z", "--utc-offset", "180"]);
    assert_eq!(listed(&bench, "instant")[3], "2099-12-31T08:00:00.000Z");
}

/// Returns the entries of the journal about keys: operation, actor, and the changes.
fn said(bench: &Bench, database: &str) -> Vec<(String, String, Vec<Value>)> {
    let journal = bench.admin(&["export", "--database", database]).done();
    let entries = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let about_keys = entries.filter(|entry| entry["operation"].as_str().unwrap().ends_with("Key"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let changes = |entry: &Value| entry["changes"].as_array().unwrap().clone();
    about_keys.map(|entry| (text(&entry["operation"]), text(&entry["actor"]), changes(&entry))).collect()
}

#[test]
fn the_journal_says_what_becomes_of_a_key_and_no_secret() {
    let bench = Bench::with_clinic();
    let key = issue(&bench, "unmistakable", &["--scope", "patient:read,admin", "--expires", "31/12/2099"]);
    let id = key.split('_').nth(1).unwrap();
    let next = bench.admin(&["keys", "rotate", id]).done();
    let next = next.split('_').nth(1).unwrap();
    bench.admin(&["keys", "revoke", next]).done();
    bench.admin(&["keys", "revoke", next]).done();
    let said = said(&bench, "care.db");
    let operations: Vec<_> =
        said.iter().map(|(operation, actor, changes)| (&**operation, &**actor, changes.len())).collect();
    assert_eq!(
        operations,
        [("issueKey", "care-admin", 1), ("rotateKey", "care-admin", 2), ("revokeKey", "care-admin", 1)]
    );
    let change = &said[0].2[0];
    assert_eq!((&change["change"], &change["record"], &change["id"]), (&json!("put"), &json!("Key"), &json!(id)));
    let scopes = ["patient:read", "admin"];
    let due = json!({"name": "unmistakable", "scopes": scopes, "expires": "2100-01-01T00:00:00.000Z"});
    assert_eq!(change["value"], due);
    // The old key ends a day later, and the new one is what it was.
    let [old, new] = &said[1].2[..] else { panic!("two changes") };
    assert!(old["value"]["expires"].as_str().unwrap() < "2099" && old["id"] == id, "{old}");
    assert_eq!((&new["value"], &new["id"]), (&due, &json!(next)));
    assert!(said[2].2[0]["value"]["revoked"].is_string());
    let journal = bench.admin(&["export", "--database", "care.db"]).done();
    assert!(!journal.contains(key.split('_').nth(2).unwrap()) && !journal.contains("digest"));
    bench.admin(&["verify", "--database", "care.db"]).done();
}

#[test]
fn a_key_that_is_not_as_the_journal_has_it_is_named() {
    let bench = Bench::with_clinic();
    let id = |key: String| key.split('_').nth(1).unwrap().to_owned();
    let [first, second] = ["first", "second"].map(|name| id(issue(&bench, name, &["--scope", "admin"])));
    let last = bench.admin(&["export", "--database", "care.db"]).done().lines().count();
    let refused = |what: &str| {
        let said = bench.admin(&["verify", "--database", "care.db"]).refused();
        assert_eq!(said, format!("care-admin: the database contradicts itself: {what}\n"));
        // Nor does such a database become a backup.
        assert_eq!(bench.admin(&["backup", "backup.db"]).refused(), said);
    };
    // An attacker who knows the format changes the row of a key, and its seal.
    let keep = |change: fn(&ApiKey) -> ApiKey, of: &str| {
        let store = bench.store("care.db");
        let of = of.to_owned();
        let change = move |keys: &[ApiKey]| KeyPlan {
            keys: keys.iter().filter(|key| key.id.as_str() == of).map(change).collect(),
            entry: None,
        };
        block_on(store.decide_keys(Box::new(change))).unwrap();
    };
    keep(|key| ApiKey { scopes: Scopes::ALL, ..key.clone() }, &second);
    refused(&format!("Key {second}: is not stored as entry {last} has it"));
    keep(|key| ApiKey { scopes: [Scope::Admin].into_iter().collect(), ..key.clone() }, &second);
    bench.admin(&["verify", "--database", "care.db"]).done();
    keep(|key| ApiKey { id: "planted00000".to_owned().try_into().unwrap(), ..key.clone() }, &second);
    refused("Key planted00000: is stored, but no entry has issued it");
    let conn = Connection::open(bench.path("care.db")).unwrap();
    conn.execute("DELETE FROM api_key WHERE key_id = 'planted00000' OR key_id = ?", [&first]).unwrap();
    conn.close().unwrap();
    refused(&format!("Key {first}: is not stored, but entry {} has it", last - 1));
}

#[test]
fn an_import_brings_what_was_said_of_keys_and_no_keys() {
    let bench = Bench::with_clinic();
    let own = issue(&bench, "own", &["--scope", "all"]);
    let own = own.split('_').nth(1).unwrap();
    let journal = bench.admin(&["export", "--database", "care.db"]).done();
    fs::copy(bench.path("care.db"), bench.path("twin.db")).unwrap();
    for task in [["keys", "revoke", own], ["keys", "rotate", own]] {
        // Both end the key of the twin, and the second one has no effect.
        bench.admin(&[&task[..], &["--database", "twin.db"]].concat());
    }
    let later = bench.admin(&["export", "--database", "twin.db"]).done();
    assert_eq!(later.lines().count(), journal.lines().count() + 1);

    // A new database has no keys, and nothing is missed.
    bench.admin_reading(&["import", "--database", "new.db"], &later).done();
    assert_eq!(said(&bench, "new.db"), said(&bench, "twin.db"));
    assert_eq!(bench.admin(&["keys", "list", "--database", "new.db"]).done().lines().count(), 1);
    bench.admin(&["verify", "--database", "new.db"]).done();
    // The keys of a database that goes on with another journal stay.
    bench.admin_reading(&["import", "--database", "care.db"], &later).done();
    assert_eq!(listed(&bench, "own")[1], "valid");
    let verified = bench.admin(&["verify", "--database", "care.db"]).done();
    let last = later.lines().count();
    let due = format!("what the entries up to {last} say of keys is not compared: they were imported");
    assert!(verified.lines().any(|line| line == due), "{verified}");
    // A key that is issued since is compared.
    let since = issue(&bench, "since", &["--scope", "all"]);
    bench.admin(&["verify", "--database", "care.db"]).done();
    let conn = Connection::open(bench.path("care.db")).unwrap();
    conn.execute("DELETE FROM api_key WHERE name IN ('own', 'since')", []).unwrap();
    conn.close().unwrap();
    let refused = bench.admin(&["verify", "--database", "care.db"]).refused();
    assert!(refused.contains(&format!("Key {}: is not stored", since.split('_').nth(1).unwrap())), "{refused}");

    // Entries that are said to be imported must be there.
    let conn = Connection::open(bench.path("care.db")).unwrap();
    conn.execute("UPDATE epoch SET replayed = 1000000", []).unwrap();
    conn.close().unwrap();
    let refused = bench.admin(&["verify", "--database", "care.db"]).refused();
    assert!(refused.contains("Journal 1000000: was imported, it is said, but is not there"), "{refused}");
}
