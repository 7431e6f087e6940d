//! The chain of the journal names every change, also one by a program that knows the format, and survives erasures.

use std::sync::Arc;

use async_trait::async_trait;
use care_core::{
    audit::{self, AuditError, Findings, JournalCheck},
    error::StoreError,
    model::{Address, Invoice, ItemDetails, PatientId, PrescriptionDetails, Timestamp},
    operation::JournalOperation,
    service::{CareService, ExpectedVersion, Idempotency},
    store::{
        Change, Entry, Erased, Head, Journal, Limit, MemoryStore, Portion, Record, RecordKey, Reply, Revision, Salt,
        Seq, Voided,
    },
};
use care_testkit::{Hooks, Wrap};
use futures_executor::block_on;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    auditing::read_clinic,
    clinic::{Clinic, medicine, named, new},
};

/// An export that a program in another language has made and linked: `.ci/chain.py` agrees with it.
const KNOWN: &str = include_str!("known.ndjson");
/// The head that the program has found.
const KNOWN_HEAD: &str = "3:e10dcd85ca789befbf0fd0457dc75f91ac0d9bdbdf1f8c32ac7ee647d7befe60";

#[test]
fn another_program_finds_the_same_links() {
    let mut last = Head::START;
    for line in KNOWN.lines() {
        let entry: Entry = serde_json::from_str(line).unwrap();
        assert_eq!(entry.link_after(&last.link).unwrap(), entry.link, "{line}");
        assert_eq!(serde_json::to_string(&entry).unwrap(), line);
        last = entry.head();
    }
    assert_eq!((last.to_string(), KNOWN_HEAD.parse()), (KNOWN_HEAD.to_owned(), Ok(last)));
    for wrong in ["", "3", "3:", ":00", "x:00", "+3:00", "3:9C9D", &KNOWN_HEAD[..65], &format!("{KNOWN_HEAD}0")] {
        assert!(wrong.parse::<Head>().is_err(), "{wrong}");
    }
    let upper = KNOWN_HEAD.to_uppercase();
    assert!(upper.parse::<Head>().is_err());
    let prefixed = KNOWN_HEAD.replace(':', ":0x");
    assert!(prefixed.parse::<Head>().is_err() && prefixed[..KNOWN_HEAD.len()].parse::<Head>().is_err());
}

/// A store whose journal was changed by hand, and whose records were made of the changed journal.
struct Forged {
    records: MemoryStore,
    journal: Vec<Entry>,
}

impl Forged {
    fn new(journal: Vec<Entry>) -> Self {
        let mut sound = journal.clone();
        (1..).zip(&mut sound).for_each(|(seq, entry)| entry.seq = Seq::new(seq));
        Entry::link(&mut sound, Head::START).unwrap();
        let records = MemoryStore::new();
        block_on(records.replay(sound)).unwrap();
        Self { records, journal }
    }
}

#[async_trait]
impl Hooks for Forged {
    type Store = MemoryStore;

    fn store(&self) -> &Self::Store {
        &self.records
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        let mut later = self.journal.iter().filter(|entry| entry.seq > after).cloned();
        let items: Vec<_> = later.by_ref().take(limit.items).collect();
        Ok(Portion { items, more: later.next().is_some() })
    }

    async fn last(&self) -> Result<Seq, StoreError> {
        Ok(self.journal.iter().map(|entry| entry.seq).max().unwrap_or_default())
    }
}

/// Returns what an audit finds, the head known or not.
fn findings(journal: Vec<Entry>, head: Option<Head>) -> Option<Findings> {
    let store = Wrap(Forged::new(journal));
    let audited = match head {
        Some(head) => block_on(audit::verify_from(&store, head)),
        None => block_on(audit::verify(&store)),
    };
    match audited {
        Ok(_) => None,
        Err(AuditError::Contradiction(found)) => Some(*found),
        Err(AuditError::Store(error)) => panic!("a memory store answers: {error}"),
    }
}

/// Returns the journal of a clinic in which everything possible has happened, an erasure too.
fn journal() -> Vec<Entry> {
    let clinic = read_clinic();
    block_on(clinic.care.erase_patient(PatientId::FIRST)).unwrap();
    clinic.journal()
}

/// Returns the change with another value under the same key; `None` for one without a value that can be changed so.
fn with_another_value(revision: &Revision) -> Option<Revision> {
    let whole = serde_json::to_value(revision).unwrap();
    let members = whole.get("value")?.as_object()?;
    members.iter().find_map(|(name, value)| {
        let other = match value {
            Value::Number(number) => Value::from(number.as_i64()? + 1),
            Value::Bool(value) => Value::from(!value),
            Value::String(text) => Value::from(format!("{text} x")),
            _ => return None,
        };
        let mut changed = whole.clone();
        changed["value"][name] = other;
        serde_json::from_value(changed).ok()
    })
}

/// A way to change the entry at this place.
type Way = fn(&mut Vec<Entry>, usize) -> bool;

/// The ways in which a program changes an entry of the journal. Each returns whether it could.
const WAYS: [(&str, Way); 12] = [
    ("value", |journal, place| {
        let other =
            journal[place].revisions.iter().enumerate().find_map(|(at, it)| Some((at, with_another_value(it)?)));
        other.is_some_and(|(at, other)| {
            journal[place].revisions[at] = other;
            true
        })
    }),
    ("value with the old commitment", |journal, place| {
        let other =
            journal[place].revisions.iter().enumerate().find_map(|(at, it)| Some((at, with_another_value(it)?)));
        other.is_some_and(|(at, other)| {
            let Change::Put(record) = other.change else { return false };
            journal[place].revisions[at].erase(record).unwrap();
            true
        })
    }),
    ("salt", |journal, place| {
        let salt = journal[place].revisions.iter_mut().find_map(|revision| revision.salt.as_mut());
        salt.is_some_and(|salt| {
            *salt = Salt::random().unwrap();
            true
        })
    }),
    ("actor", |journal, place| {
        journal[place].actor.push('x');
        true
    }),
    ("operation", |journal, place| {
        let other = if journal[place].operation == "addPatient" { "updatePatient" } else { "addPatient" };
        journal[place].operation = other.into();
        true
    }),
    ("time", |journal, place| {
        let at = journal[place].at;
        journal[place].at = care_core::model::Timestamp::from_unix_millis(at.unix_millis() + 1).unwrap();
        true
    }),
    ("replaced", |journal, place| {
        let revision = journal[place].revisions.first_mut();
        revision.is_some_and(|revision| {
            revision.replaced = revision.replaced.next();
            true
        })
    }),
    ("reads", |journal, place| {
        journal[place].reads.push(RecordKey::Patient(PatientId::FIRST));
        true
    }),
    ("order", |journal, place| {
        let next = (place + 1) % journal.len();
        journal.swap(place, next);
        true
    }),
    ("removal", |journal, place| {
        journal.remove(place);
        true
    }),
    ("insertion", |journal, place| {
        let copy = journal[place].clone();
        journal.insert(place, copy);
        true
    }),
    ("erased", |journal, place| {
        let erased = journal[place..].iter_mut().find_map(|entry| entry.erased.as_mut());
        erased.is_some_and(|erased| erased.pop().is_some())
    }),
];

/// The part of the chain that the program makes anew behind its change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relinked {
    Nothing,
    /// The numbers, and the link of the changed entry.
    One,
    /// The numbers, and every link from the changed entry on.
    Tail,
}

#[test]
fn two_hundred_changes_are_each_named() {
    let original = journal();
    let head = original.last().unwrap().head();
    assert_eq!((findings(original.clone(), None), findings(original.clone(), Some(head))), (None, None));
    let (mut tried, mut place) = (0, 0);
    for relinked in [Relinked::Nothing, Relinked::One, Relinked::Tail] {
        for round in 0..7 {
            for (name, change) in WAYS {
                place = (place + 11 + round) % (original.len() - 3);
                let mut forged = original.clone();
                if !change(&mut forged, place) {
                    continue;
                }
                let what = format!("{name} of entry {}, {relinked:?}", place + 1);
                if relinked != Relinked::Nothing {
                    (1..).zip(&mut forged).for_each(|(seq, entry)| entry.seq = Seq::new(seq));
                    let before = place.checked_sub(1).map_or(Head::START, |before| forged[before].head());
                    let end = if relinked == Relinked::One { place + 1 } else { forged.len() };
                    Entry::link(&mut forged[place..end], before).unwrap();
                }
                // Without the head, a chain that was made anew to its end is only as sound as its rules.
                let found = match relinked {
                    Relinked::Tail => findings(forged, Some(head)),
                    Relinked::Nothing | Relinked::One => findings(forged, None),
                };
                let found = found.unwrap_or_else(|| panic!("{what}: not named"));
                assert!(found.chain.is_some() || found.values.is_some(), "{what}: {found}");
                if name == "value with the old commitment" {
                    assert!(found.values.is_some(), "{what}: {found}");
                }
                tried += 1;
            }
        }
    }
    assert!(tried >= 200, "{tried}");
}

#[test]
fn a_tail_that_was_cut_or_made_anew_is_seen_against_a_head() {
    let original = journal();
    let head = original.last().unwrap().head();
    for kept in 0..original.len() {
        let cut = original[..kept].to_vec();
        let found = findings(cut.clone(), Some(head)).unwrap().chain.unwrap();
        assert_eq!(found.to_string(), format!("Journal {}: the journal ends before the given head", kept + 1));
        // A head from before the cut is there still.
        let earlier = cut.last().map_or(Head::START, Entry::head);
        assert!(findings(original.clone(), Some(earlier)).is_none());
    }
    // All salts and links are drawn and made anew: the chain is whole, and not the one of the head.
    let mut anew = original.clone();
    anew.iter_mut().flat_map(|entry| &mut entry.revisions).filter(|it| it.commitment.is_none()).for_each(|revision| {
        revision.salt = revision.salt.map(|_| Salt::random().unwrap());
    });
    Entry::link(&mut anew, Head::START).unwrap();
    assert_eq!(findings(anew.clone(), None), None);
    let found = findings(anew, Some(head)).unwrap();
    let last = original.len();
    assert_eq!(
        found.to_string(),
        format!("the chain is broken: Journal {last}: the link is not that of the given head")
    );
}

#[test]
fn a_hole_is_named_without_a_head() {
    let mut holed = journal();
    holed.remove(6);
    assert_eq!(findings(holed, None).unwrap().to_string(), "the chain is broken: Journal 7: the entry is missing");
}

#[test]
fn fifty_erasures_leave_the_chain_whole() {
    let clinic = Clinic::new();
    let patients: Vec<_> = (0..50).map(|_| clinic.patient()).collect();
    for patient in &patients {
        clinic.consult(*patient, None, &["flu"], &["Ibuprofen"]).unwrap();
        block_on(clinic.care.update_patient(*patient, named("Ada Example"), ExpectedVersion::Any)).unwrap();
    }
    let before = clinic.journal();
    let head = before.last().unwrap().head();
    for patient in &patients {
        block_on(clinic.care.erase_patient(*patient)).unwrap();
        block_on(audit::verify_from(clinic.care.store(), head)).unwrap();
    }
    let after = clinic.journal();
    assert!(before.iter().zip(&after).all(|(before, after)| before.link == after.link));
    assert!(!serde_json::to_string(&after).unwrap().contains("Ada"));
    // The value that an erasure left cannot be changed either: its commitment stands in the chain.
    let mut forged = after;
    let touched = forged.iter_mut().flat_map(|entry| &mut entry.revisions).find(|it| it.commitment.is_some()).unwrap();
    let kept = touched.commitment;
    touched.erase(clinic_record(touched)).unwrap();
    touched.commitment = kept;
    let found = findings(forged, None).unwrap();
    assert!(found.chain.is_none() && found.records.is_none(), "{found}");
    assert!(found.to_string().contains("is listed as erased, and stands again"), "{found}");
}

/// Ways in which a value stands again where an erasure has replaced one. They get what stood there before the erasure,
/// and what the erasure left.
const AGAIN: [fn(&Revision, &Revision) -> Revision; 3] = [
    // As it was.
    |before, _| before.clone(),
    // Under a salt that was never used.
    |before, left| {
        let mut again = left.clone();
        again.erase(clinic_record(before)).unwrap();
        again
    },
    // Without the person, but not as the erasure left it.
    |_, left| {
        let mut again = left.clone();
        again.erase(clinic_record(left)).unwrap();
        again
    },
];

#[test]
fn a_value_that_stands_again_is_named_wherever_it_was() {
    let clinic = read_clinic();
    let patient = PatientId::FIRST;
    let once = clinic.care.once(Idempotency::new("returned").unwrap());
    block_on(once.prescribe(patient, new("Codeine", PrescriptionDetails::default()))).unwrap();
    let before = clinic.journal();
    block_on(clinic.care.erase_patient(patient)).unwrap();
    let journal = clinic.journal();
    let head = journal.last().unwrap().head();
    let places: Vec<_> = journal.iter().flat_map(|entry| entry.erased.iter().flatten()).copied().collect();
    let mut kinds = std::collections::BTreeSet::new();
    for Erased { seq, change, .. } in &places {
        let (entry, place) = (usize::try_from(seq.value()).unwrap() - 1, usize::try_from(*change).unwrap());
        let stood = &before[entry].revisions[place];
        kinds.insert(stood.change.kind());
        for (number, way) in AGAIN.into_iter().enumerate() {
            let mut forged = journal.clone();
            let revision = &mut forged[entry].revisions[place];
            *revision = way(stood, revision);
            let what = format!("Journal {seq}: the value of change {change} is listed as erased, and stands again");
            for known in [None, Some(head)] {
                let found = findings(forged.clone(), known).unwrap_or_else(|| panic!("{what}, {number}: not named"));
                assert_eq!(found.values.unwrap().to_string(), what, "{number}");
                assert_eq!(found.chain, None);
            }
            let mut check = JournalCheck::default();
            forged.iter().for_each(|entry| check.enter(entry).unwrap());
            let (at, found) = check.found().unwrap();
            assert_eq!((at, found.values.unwrap().to_string()), (*seq, what), "{number}");
        }
    }
    assert!(kinds.len() >= 4, "{kinds:?}");
    // Lines from before the erasure, joined with those after it, wherever the join is behind the first place.
    let first = usize::try_from(places.iter().map(|it| it.seq.value()).min().unwrap()).unwrap();
    for there in first..=before.len() {
        let joined: Vec<_> = before[..there].iter().chain(&journal[there..]).cloned().collect();
        let found = findings(joined, Some(head)).unwrap_or_else(|| panic!("joined behind {there}: not named"));
        assert!(found.to_string().contains("is listed as erased, and stands again"), "{found}");
    }
}

#[test]
fn a_place_that_is_not_there_is_not_erased() {
    let mut forged = journal();
    let place = forged.iter().rposition(|entry| entry.erased.is_some()).unwrap();
    let list = forged[place].erased.as_mut().unwrap();
    list.push(Erased { change: 99, ..list[0] });
    let before = forged[place - 1].head();
    Entry::link(&mut forged[place..], before).unwrap();
    let found = findings(forged, None).unwrap().to_string();
    assert!(found.ends_with(": the value of change 99 is listed as erased, and stands again"), "{found}");
}

/// Returns the record of a change, which is put again with another salt.
fn clinic_record(revision: &Revision) -> Record {
    match &revision.change {
        Change::Put(record) => record.clone(),
        Change::Remove(_) => panic!("an erased change has a value"),
    }
}

#[test]
fn an_erasure_of_many_values_writes_several_entries() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    for number in 0..1100 {
        let details = named(&format!("Ada {number}"));
        block_on(clinic.care.update_patient(patient, details, ExpectedVersion::Any)).unwrap();
    }
    let erased = block_on(clinic.care.erase_patient(patient)).unwrap();
    let journal = clinic.journal();
    let lists: Vec<_> = journal.iter().filter_map(|entry| Some((entry, entry.erased.as_ref()?))).collect();
    assert!(lists.iter().all(|(entry, _)| entry.operation == JournalOperation::ErasePatient.name()));
    assert_eq!(lists.iter().map(|(_, list)| list.len()).collect::<Vec<_>>(), [Erased::MOST, 101]);
    assert_eq!((erased.rewritten, erased.entry), (1101, journal.last().unwrap().seq));
    block_on(audit::verify(clinic.care.store())).unwrap();
    // The whole erasure is found again.
    assert_eq!(block_on(clinic.care.erase_patient(patient)).unwrap().entry, erased.entry);
}

#[test]
fn an_erased_name_is_not_guessed_from_its_commitment() {
    let store = Arc::new(MemoryStore::new());
    let care = CareService::new(Arc::clone(&store));
    let name = |number: u32| format!("Ada {number:05x}");
    let patient = block_on(care.register_patient(named(&name(0xada)))).unwrap().patient_id;
    let revision = || {
        let mut entry = block_on(store.journal(Seq::ZERO, Limit::items(1))).unwrap().items.remove(0);
        let is_patient = |revision: &Revision| matches!(revision.change, Change::Put(Record::Patient(_)));
        entry.revisions.remove(entry.revisions.iter().position(is_patient).unwrap())
    };
    let before = revision();
    let whole = serde_json::to_string(&clinic_record(&before)).unwrap();
    let value = |guess: &str| whole.replace(&name(0xada), guess);
    let digest = |salt: &[u8], name: &str| {
        <[u8; 32]>::from(Sha256::new().chain_update(salt).chain_update(value(name)).finalize())
    };
    // With its salt, the value is recognised.
    let salt = *before.salt.unwrap().as_bytes();
    let commitment = *before.value_commitment().unwrap().unwrap().as_bytes();
    assert_eq!(digest(&salt, &name(0xada)), commitment);

    block_on(care.erase_patient(patient)).unwrap();
    let after = revision();
    assert_eq!(after.commitment.unwrap().as_bytes(), &commitment);
    let left = *after.salt.unwrap().as_bytes();
    assert!((0..1 << 20).all(|number| digest(&left, &name(number)) != commitment));
    let journal = block_on(store.journal(Seq::ZERO, Limit::ALL)).unwrap().items;
    assert!(!serde_json::to_string(&journal).unwrap().contains(&before.salt.unwrap().to_string()));
}

/// Returns the journal with other values, covered by the list of a further erasure of this person, as a program makes
/// it that knows the format and only adds to the chain.
fn covered(journal: &[Entry], erased: PatientId, other: impl Fn(&Record) -> Option<Record>) -> Vec<Entry> {
    let mut forged = journal.to_vec();
    let mut list = Vec::new();
    for entry in &mut forged {
        for (revision, change) in entry.revisions.iter_mut().zip(0..) {
            let Change::Put(record) = &revision.change else { continue };
            if let Some(other) = other(record) {
                let left = revision.erase(other).unwrap();
                list.push(Erased { seq: entry.seq, change, left });
            }
        }
    }
    assert!(!list.is_empty());
    let put = Revision::of(Change::put(Voided { patient_id: erased }), Seq::ZERO);
    let is_voiding = |revision: &Revision| revision.change == put.change;
    let earlier = forged.iter().rfind(|entry| entry.revisions.iter().any(is_voiding)).unwrap();
    let mut further = Entry { reads: Vec::new(), erased: Some(list), ..earlier.clone() };
    further.revisions = vec![Revision { replaced: earlier.seq, ..put }];
    let last = forged.last().unwrap().head();
    further.seq = last.seq.next();
    Entry::link(std::slice::from_mut(&mut further), last).unwrap();
    forged.push(further);
    forged
}

#[test]
fn the_list_of_an_erasure_covers_no_change_but_its_own() {
    let clinic = Clinic::new();
    let (payer, other) = (clinic.patient(), clinic.patient());
    let prescriptions = [payer, other].map(|patient| clinic.prescribe(patient, "Ibuprofen"));
    let [paid, of_other] = prescriptions.map(|prescription| clinic.bill(prescription));
    clinic.pay(paid);
    clinic.pay(of_other);
    block_on(clinic.care.update_patient(other, named("Ada Example"), ExpectedVersion::Any)).unwrap();
    block_on(clinic.care.erase_patient(other)).unwrap();
    let journal = clinic.journal();
    let head = journal.last().unwrap().head();
    let with_another_issuer = |record: &Record| match record {
        Record::Invoice(bill) if bill.invoice_id == paid => {
            Some(Invoice { companyaddress: Address::new("2 Other Road").ok(), ..bill.clone() }.into())
        }
        _ => None,
    };
    let forged = covered(&journal, other, with_another_issuer);
    let found = findings(forged, Some(head)).expect("the forgery is named");
    assert!(found.chain.is_none() && found.records.is_none(), "{found}");
    assert!(found.to_string().contains("is not the one committed to, and no erasure left it"), "{found}");

    // An erasure is of one person, neither of none nor of two.
    for others in [vec![], vec![payer, other]] {
        let mut forged = journal.clone();
        let place = forged.iter().position(|entry| entry.erased.is_some()).unwrap();
        let revisions = &mut forged[place].revisions;
        revisions.retain(|revision| !matches!(revision.change, Change::Put(Record::Voided(_))));
        let voided = others.into_iter().map(|id| Change::put(Voided { patient_id: id }));
        revisions.extend(voided.map(|change| Revision::of(change, Seq::ZERO)));
        let before = forged[place - 1].head();
        Entry::link(&mut forged[place..], before).unwrap();
        let found = findings(forged, None).unwrap().chain.unwrap().to_string();
        assert_eq!(found, format!("Journal {}: the erasure is not of one person", place + 1));
    }
}

#[test]
fn the_list_of_an_erasure_covers_no_reply_about_another_person() {
    let clinic = Clinic::new();
    let once = |key: &str| clinic.care.once(Idempotency::new(key).unwrap());
    let register = |key: &str, name: &str| block_on(once(key).register_patient(named(name))).unwrap().patient_id;
    let (erased, _) = (register("first", "Ada Example"), register("second", "Bo Example"));
    let medicine = medicine("Ibuprofen");
    block_on(once("third").add_item(medicine, ItemDetails::default())).unwrap();
    block_on(clinic.care.erase_patient(erased)).unwrap();
    let journal = clinic.journal();
    let head = journal.last().unwrap().head();
    assert_eq!(findings(journal.clone(), Some(head)), None);

    // A program hides a request: nothing is left of it, or a reply of the erased person's, or one of another instant.
    let ways: [fn(&Reply, PatientId) -> Reply; 4] = [
        |reply, _| reply.emptied(),
        |reply, erased| Reply { patient_id: Some(erased), ..reply.emptied() },
        |reply, _| Reply { patient_id: None, ..reply.emptied() },
        |reply, erased| {
            let at = Timestamp::from_unix_millis(reply.at.unix_millis() - 1).unwrap();
            Reply { at, patient_id: Some(erased), ..reply.emptied() }
        },
    ];
    for request in ["second", "third"] {
        for (number, way) in ways.into_iter().enumerate() {
            let forged = covered(&journal, erased, |record| match record {
                Record::Reply(reply) if reply.request.as_ref().is_some_and(|it| &*it.key == request) => {
                    Some(way(reply, erased).into())
                }
                _ => None,
            });
            let found = findings(forged, Some(head)).unwrap_or_else(|| panic!("{request}, {number}: not named"));
            assert!(found.chain.is_none() && found.values.is_some(), "{request}, {number}: {found}");
        }
    }
    // The time of an emptied reply is that of its entry.
    let forged = covered(&journal, erased, |record| match record {
        Record::Reply(reply) if reply.patient_id == Some(erased) && reply.request.is_none() => {
            let at = Timestamp::from_unix_millis(reply.at.unix_millis() - 1).unwrap();
            Some(Reply { at, ..reply.clone() }.into())
        }
        _ => None,
    });
    assert!(findings(forged, Some(head)).is_some_and(|found| found.values.is_some()));
}
