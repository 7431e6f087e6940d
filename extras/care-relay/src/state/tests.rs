//! The file, as the running relay and the operator change it.

use std::time::Duration;

use care_core::{model::Timestamp, store::Seq};

use super::{
    Condition, Damaged, Delivered, Endpoint, NewEndpoint, Place, Sent, Start, State, StateError, Turn, begin,
    pause_in_another_past,
};
use crate::{
    EventTypes,
    schedule::{Answer, IN_A_ROW, Progress, Reason, Step},
};

const EPOCH: &str = "9f3a1c20";
const GIVE_UP: Duration = Duration::from_secs(5 * 86_400);

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_unix_millis(1_795_341_600_000 + 1000 * seconds).unwrap()
}

/// A file in a directory of its own, with an endpoint that has begun.
struct Desk {
    state: State,
    _directory: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut state = State::open(directory.path().join("relay.db")).unwrap();
        for (name, types) in [("clinic", ""), ("watcher", "relay.*")] {
            let types: EventTypes = types.parse().unwrap();
            let new =
                NewEndpoint { types, start: Start::At(Seq::ZERO), ..NewEndpoint::new(name, "https://a.example/") };
            state.add(&new).unwrap();
            let place = Place { epoch: Some(EPOCH.to_owned()), seq: Some(Seq::ZERO), sent: None };
            begin(&state.conn, &Endpoint::named(&state.conn, name).unwrap().unwrap().unwrap(), &place).unwrap();
        }
        Self { state, _directory: directory }
    }

    fn endpoint(&self) -> Endpoint {
        Endpoint::named(&self.state.conn, "clinic").unwrap().unwrap().unwrap()
    }

    /// Lets the receiver answer an entry with this status until something else follows than a repetition.
    fn answered(&self, seq: u64, status: u16) -> Option<Reason> {
        loop {
            let endpoint = self.endpoint();
            let mut progress = endpoint.progress;
            let answer = Answer::Status { status, retry_after: None };
            let step = progress.after(&answer, at(0), Duration::ZERO, 0.5, GIVE_UP);
            let turn = Turn::Ordinary(Sent { seq: Seq::new(seq), at: at(-9), r#type: "patient.updated".to_owned() });
            let disabled = self.deliver(&endpoint, turn, step, progress);
            if step != Step::Again {
                return disabled;
            }
        }
    }

    fn deliver(&self, endpoint: &Endpoint, turn: Turn, step: Step, progress: Progress) -> Option<Reason> {
        let (message, epoch) = ("id".to_owned(), EPOCH.to_owned());
        let status = "204".to_owned();
        let delivered = Delivered { turn, message, epoch, step, progress, status, at: at(0), millis: 1 };
        delivered.store(&self.state.conn, endpoint).unwrap()
    }

    fn count(&self, query: &str) -> i64 {
        self.state.conn.query_row(query, [], |row| row.get(0)).unwrap()
    }
}

#[test]
fn a_dead_letter_is_kept_and_the_next_message_follows() {
    let mut desk = Desk::new();
    assert_eq!(desk.answered(1, 200), None);
    assert_eq!(desk.answered(2, 400), None);
    assert_eq!(desk.count("SELECT seq FROM dead"), 2);
    let endpoint = desk.endpoint();
    assert_eq!((endpoint.place.seq, endpoint.place.sent.unwrap().seq), (Some(Seq::new(2)), Seq::new(1)));
    assert_eq!(endpoint.condition, Condition::Active);

    assert_eq!(desk.state.bring_back("clinic", None).unwrap(), 1);
    assert_eq!(desk.count("SELECT count(*) FROM dead"), 0);
    let endpoint = desk.endpoint();
    let replay = endpoint.replays(&desk.state.conn).unwrap()[0];
    assert_eq!((replay.next, replay.until), (Seq::new(2), Seq::new(2)));
    let rest = super::Replay { next: Seq::new(3), ..replay };
    let turn = Turn::Replay { seq: Seq::new(2), rest };
    desk.deliver(&endpoint, turn.clone(), Step::Bury, Progress::default());
    assert_eq!(desk.count("SELECT seq FROM dead"), 2, "it is refused again");
    desk.state.bring_back("clinic", Some(Seq::new(2))).unwrap();
    let rest = super::Replay { next: Seq::new(3), ..desk.endpoint().replays(&desk.state.conn).unwrap()[0] };
    desk.deliver(&desk.endpoint(), Turn::Replay { seq: Seq::new(2), rest }, Step::Onward, Progress::default());
    assert_eq!(desk.count("SELECT (SELECT count(*) FROM dead) + (SELECT count(*) FROM replay)"), 0);
    assert!(desk.state.bring_back("clinic", Some(Seq::new(2))).is_err());
}

#[test]
fn what_waits_to_be_sent_again_outlives_a_new_start_in_the_same_journal() {
    let mut desk = Desk::new();
    desk.answered(1, 400);
    desk.answered(2, 200);
    assert_eq!(desk.state.bring_back("clinic", None).unwrap(), 1);
    desk.state.resume("clinic", Some(Start::At(Seq::new(1)))).unwrap();
    let endpoint = desk.endpoint();
    let begin_in = |epoch: &str| {
        let place = Place { epoch: Some(epoch.to_owned()), seq: Some(Seq::new(1)), sent: None };
        let left_out = begin(&desk.state.conn, &endpoint, &place).unwrap();
        (left_out, endpoint.replays(&desk.state.conn).unwrap().len())
    };
    assert_eq!(begin_in(EPOCH), (0, 1));
    assert_eq!(begin_in("00000000"), (1, 0));
}

#[test]
fn nothing_is_sent_again_before_the_place_in_another_journal_is_known() {
    let mut desk = Desk::new();
    desk.answered(1, 400);
    pause_in_another_past(&desk.state.conn, &desk.endpoint(), None, at(0)).unwrap();
    assert!(desk.state.replay("clinic", Seq::new(1), Seq::new(1)).is_err());
    assert!(desk.state.bring_back("clinic", None).is_err());
    assert_eq!(desk.count("SELECT count(*) FROM dead"), 1);
}

#[test]
fn twenty_dead_letters_in_a_row_disable_and_lead_back_to_the_first() {
    let mut desk = Desk::new();
    desk.answered(1, 400);
    desk.answered(2, 200);
    for seq in 3..u64::from(IN_A_ROW) + 2 {
        assert_eq!(desk.answered(seq, 422), None, "{seq}");
    }
    assert_eq!(desk.answered(u64::from(IN_A_ROW) + 2, 422), Some(Reason::Refusing));
    let endpoint = desk.endpoint();
    assert_eq!((endpoint.condition, endpoint.reason.as_deref()), (Condition::Disabled, Some("refusing")));
    assert_eq!(endpoint.place.seq, Some(Seq::new(2)));
    // The one before the row stays, and the row is sent again once the endpoint is resumed.
    assert_eq!((desk.count("SELECT count(*) FROM dead"), desk.count("SELECT seq FROM dead")), (1, 1));
    let watcher = Endpoint::named(&desk.state.conn, "watcher").unwrap().unwrap().unwrap();
    let notices = watcher.notices(&desk.state.conn).unwrap();
    assert_eq!((notices.len(), &*notices[0].endpoint, &*notices[0].reason), (1, "clinic", "refusing"));
    assert_eq!((notices[0].seq, watcher.revision), (Seq::new(2), 1));

    desk.state.resume("clinic", None).unwrap();
    let endpoint = desk.endpoint();
    assert_eq!((endpoint.condition, endpoint.progress), (Condition::Active, Progress::default()));
}

#[test]
fn ten_thousand_dead_letters_are_the_most() {
    let desk = Desk::new();
    desk.state
        .conn
        .execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9998) \
             INSERT INTO dead SELECT 1, ?, i, '400', 0 FROM n",
            [EPOCH],
        )
        .unwrap();
    assert_eq!(desk.answered(9999, 400), None);
    assert_eq!(desk.answered(10_000, 400), Some(Reason::DeadLetters));
    assert_eq!(desk.endpoint().place.seq, Some(Seq::new(10_000)));
}

#[test]
fn a_place_that_the_operator_sets_is_not_moved_by_an_earlier_attempt() {
    let mut desk = Desk::new();
    let before = desk.endpoint();
    desk.state.resume("clinic", Some(Start::At(Seq::new(100)))).unwrap();
    let turn = Turn::Ordinary(Sent { seq: Seq::new(1), at: at(0), r#type: "patient.updated".to_owned() });
    desk.deliver(&before, turn, Step::Onward, Progress::default());
    assert_eq!(desk.endpoint().place, Place { epoch: None, seq: Some(Seq::new(99)), sent: None });
    desk.state.remove("clinic").unwrap();
    let turn = Turn::Ordinary(Sent { seq: Seq::new(2), at: at(0), r#type: "patient.updated".to_owned() });
    desk.deliver(&before, turn, Step::Bury, Progress::default());
    assert_eq!(desk.count("SELECT (SELECT count(*) FROM dead) + (SELECT count(*) FROM secret WHERE endpoint = 1)"), 0);
}

#[test]
fn the_time_of_trying_is_stored_with_each_attempt() {
    let desk = Desk::new();
    let mut progress = Progress::default();
    let answer = Answer::Status { status: 503, retry_after: None };
    for (waited, tried) in [(0, 0), (5, 5), (600, 25)] {
        let step = progress.after(&answer, at(0), Duration::from_secs(waited), 0.5, GIVE_UP);
        let turn = Turn::Ordinary(Sent { seq: Seq::new(1), at: at(-9), r#type: "patient.updated".to_owned() });
        desk.deliver(&desk.endpoint(), turn, step, progress);
        assert_eq!((desk.endpoint().progress, progress.tried), (progress, Duration::from_secs(tried)));
    }
}

#[test]
fn an_attempt_that_began_before_its_endpoint_was_resumed_brings_no_failure_back() {
    let mut desk = Desk::new();
    let refused = Answer::Status { status: 503, retry_after: Some(Duration::from_secs(3600)) };
    let mut progress = Progress::default();
    let step = progress.after(&refused, at(0), Duration::ZERO, 0.5, GIVE_UP);
    let turn = Turn::Ordinary(Sent { seq: Seq::new(1), at: at(-9), r#type: "patient.updated".to_owned() });
    assert!(desk.state.resume("clinic", None).is_err(), "it is active and does not wait");
    desk.deliver(&desk.endpoint(), turn.clone(), step, progress);
    let before = desk.endpoint();
    desk.state.resume("clinic", None).unwrap();
    assert_eq!(desk.endpoint().progress, Progress::default());
    desk.deliver(&before, turn.clone(), step, progress);
    desk.deliver(&before, turn.clone(), Step::Disable(Reason::Failing), progress);
    let endpoint = desk.endpoint();
    assert_eq!((endpoint.progress, endpoint.condition), (Progress::default(), Condition::Active));
    // A message that is taken is behind it all the same.
    desk.deliver(&before, turn, Step::Onward, Progress::default());
    assert_eq!(desk.endpoint().place.seq, Some(Seq::new(1)));
}

#[test]
fn a_hundred_attempts_and_a_hundred_endpoints_are_kept() {
    let mut desk = Desk::new();
    for seq in 1..=150 {
        desk.answered(seq, 200);
    }
    assert_eq!(desk.count("SELECT count(*) FROM attempt"), 100);
    assert_eq!(desk.count("SELECT min(seq) FROM attempt"), 51);
    for number in 2..100 {
        desk.state.add(&NewEndpoint::new(format!("n{number}"), "https://a.example/")).unwrap();
    }
    assert!(desk.state.add(&NewEndpoint::new("more", "https://a.example/")).is_err());
}

#[test]
fn only_as_many_entries_are_sent_again_as_may_wait() {
    let mut desk = Desk::new();
    desk.state.conn.execute("UPDATE endpoint SET seq = 20000", []).unwrap();
    desk.state.replay("clinic", Seq::new(1), Seq::new(9999)).unwrap();
    assert!(desk.state.replay("clinic", Seq::new(1), Seq::new(2)).is_err());
    desk.state.replay("clinic", Seq::new(7), Seq::new(7)).unwrap();
    assert!(desk.state.replay("clinic", Seq::new(7), Seq::new(7)).is_err());
}

#[test]
fn one_damaged_endpoint_hides_no_other_and_stops_no_notice() {
    for damage in [
        "UPDATE endpoint SET types = 'nonsense' WHERE id = 1",
        "UPDATE endpoint SET networks = 'nonsense' WHERE id = 1",
        "UPDATE endpoint SET url = 'nonsense' WHERE id = 1",
        "UPDATE endpoint SET ca = 'nonsense' WHERE id = 1",
        "UPDATE endpoint SET proxy = 'nonsense' WHERE id = 1",
        "UPDATE endpoint SET seq = -1 WHERE id = 1",
        "UPDATE endpoint SET tried = -1 WHERE id = 1",
        "UPDATE endpoint SET failures = -1 WHERE id = 1",
        "UPDATE endpoint SET at = 9223372036854775807, sent = 1, type = 'x' WHERE id = 1",
        "INSERT INTO replay (endpoint, epoch, next, until) VALUES (1, '', -1, -1)",
        "INSERT INTO notice (endpoint, message, about, reason, seq, at) VALUES (1, '', '', '', -1, 0)",
        "DELETE FROM secret WHERE endpoint = 1",
        "UPDATE secret SET bytes = x'' WHERE endpoint = 1",
        "UPDATE secret SET until = 9 WHERE endpoint = 1",
    ] {
        let mut desk = Desk::new();
        let watcher = Endpoint::named(&desk.state.conn, "watcher").unwrap().unwrap().unwrap();
        desk.state.conn.execute(damage, []).unwrap();
        let damaged = Damaged { id: 1, name: "clinic".to_owned() };
        let found = Endpoint::all(&desk.state.conn).unwrap();
        assert!(found[0].as_ref().is_err_and(|found| *found == damaged), "{damage}");
        assert!(found[1].as_ref().is_ok_and(|found| found.name == "watcher"), "{damage}");
        assert!(matches!(desk.state.pause("clinic"), Err(StateError::Damaged)), "{damage}");
        let turn = Turn::Notice(9);
        assert_eq!(
            desk.deliver(&watcher, turn, Step::Disable(Reason::Gone), Progress::default()),
            Some(Reason::Gone),
            "{damage}"
        );
        desk.state.rotate("clinic", Duration::ZERO).unwrap();
        let is_whole = Endpoint::all(&desk.state.conn).unwrap()[0].is_ok();
        assert_eq!(is_whole, damage.contains("secret"), "{damage}");
        assert!(desk.state.add(&NewEndpoint::new("clinic", "https://a.example/")).is_err(), "{damage}");
        desk.state.remove("clinic").unwrap();
        desk.state.add(&NewEndpoint::new("clinic", "https://a.example/")).unwrap();
    }
}

#[test]
fn an_endpoint_whose_name_is_damaged_has_its_number() {
    let mut desk = Desk::new();
    desk.state.conn.execute("UPDATE endpoint SET name = 'no name' WHERE id = 1", []).unwrap();
    let found = Endpoint::all(&desk.state.conn).unwrap();
    let damaged = Damaged { id: 1, name: "#1".to_owned() };
    assert!(found.iter().any(|found| found.as_ref().is_err_and(|found| *found == damaged)));
    desk.state.remove("#1").unwrap();
    assert_eq!(Endpoint::all(&desk.state.conn).unwrap().len(), 1);
}

#[test]
fn a_file_with_something_foreign_in_it_is_refused() {
    for (foreign, name) in [
        ("CREATE TRIGGER foreign_one AFTER UPDATE ON endpoint BEGIN DELETE FROM dead; END", "foreign_one"),
        ("CREATE VIEW foreign_one AS SELECT 1", "foreign_one"),
        ("CREATE TABLE foreign_one (id INTEGER)", "foreign_one"),
        ("CREATE INDEX foreign_one ON endpoint (url)", "foreign_one"),
        ("DROP TABLE feed", "feed"),
        ("ALTER TABLE feed ADD COLUMN foreign_one INTEGER", "feed"),
    ] {
        let desk = Desk::new();
        desk.state.conn.execute_batch(foreign).unwrap();
        let Err(StateError::Altered(found)) = State::existing(&desk.state.path) else { panic!("{foreign}") };
        assert_eq!(found, name, "{foreign}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_others_could_read_is_closed_to_them_with_its_log() {
    use std::{fs, os::unix::fs::PermissionsExt as _};
    let Desk { state, _directory: directory } = Desk::new();
    let path = state.path.clone();
    drop(state);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let mut state = State::existing(&path).unwrap();
    state.rotate("clinic", Duration::ZERO).unwrap();
    let files: Vec<_> = fs::read_dir(directory.path()).unwrap().map(Result::unwrap).collect();
    assert!(files.iter().any(|file| file.file_name() == "relay.db-wal"));
    for file in files {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", file.file_name());
    }
}
