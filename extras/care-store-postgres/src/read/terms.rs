//! Patients by their terms: the rows that find them, and the statements that keep these.

use std::collections::HashMap;

use care_core::{
    model::{FindText, Findable, Match, Patient, PatientId, TermRange, find_terms},
    store::{
        Damage, Entity, Filling, Limit, Portion, Record, RecordKey, RecordKind, Versioned,
        find::{Candidates, Ranking, SearchBudget, Similar},
        rows::{Field, RowReader},
        sql::{most, names},
    },
};
use tokio_postgres::Row;

use crate::{
    base::{
        cells::{Cell, Cells},
        error::Fault,
        statements::{read, sql},
    },
    connect::{pool::Snapshot, session::Request},
};

/// The columns from which the terms of patients follow.
const FINDABLE: &str =
    "SELECT patient_id, folded_name, phone, email, spelling FROM patient WHERE patient_id = ANY ($1::int8[])";

/// Deletes the rows of these patients, except those of the terms that they have.
const REMOVE: &str = "DELETE FROM patient_term WHERE patient_id = ANY ($1::int8[]) AND (term, patient_id) NOT IN ( \
         SELECT * FROM ROWS FROM (pg_catalog.unnest($2::text[]), pg_catalog.unnest($3::int8[])) \
     )";
/// Deletes all rows of these patients.
const REMOVE_ALL: &str = "DELETE FROM patient_term WHERE patient_id = ANY ($1::int8[])";
const ADD: &str = "INSERT INTO patient_term (term, patient_id) \
     SELECT * FROM ROWS FROM (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::int8[])) ON CONFLICT DO NOTHING";

/// The terms of a row of patients, in order, and of none.
const OF_ROW: &str = "coalesce((SELECT pg_catalog.string_agg(t.term, E'\\n'::text ORDER BY t.term) \
     FROM patient_term AS t WHERE t.patient_id = patient.patient_id), ''::text)";
const OF_NOBODY: &str = "SELECT t.patient_id FROM patient_term AS t \
     WHERE NOT EXISTS (SELECT FROM patient AS p WHERE p.patient_id = t.patient_id) LIMIT 1";

/// Finds distinct terms one from the other.
const DISTINCT: &str = "WITH RECURSIVE distinct_term (term) AS ( \
         SELECT pg_catalog.min(term) FROM patient_term WHERE term >= $1 AND term < $2 \
         UNION ALL \
         SELECT (SELECT pg_catalog.min(t.term) FROM patient_term AS t \
                 WHERE t.term > distinct_term.term AND t.term < $2) \
         FROM distinct_term WHERE distinct_term.term IS NOT NULL \
     ) SELECT term FROM distinct_term WHERE term IS NOT NULL LIMIT $3";

/// The number of candidates that are read together.
const TOGETHER: usize = 100;

/// Reads the patients that match a text, the best first, as many as the limit allows.
pub(crate) async fn find(
    snapshot: &mut Snapshot<'_>,
    text: &FindText,
    limit: Limit,
) -> Result<Portion<Versioned<Record>>, Fault> {
    let budget = SearchBudget::new();
    if let Some(found) = Similar::of(text) {
        return similar(snapshot, found, limit, &budget).await;
    }
    let mut found = Portion { items: Vec::new(), more: false };
    let mut looked_at = 0;
    for words in text.readings() {
        let mut candidates = Candidates::of(words, limit, looked_at);
        if words.len() > 1 {
            let wanted = candidates.wanted();
            let answers = snapshot.run(words.iter().map(|word| count(word.terms(), wanted)).collect()).await?;
            let mut counts = Vec::with_capacity(words.len());
            for (word, rows) in words.iter().zip(&answers) {
                let rows = Cells::first("patient_term", rows)?.get::<u64>()?;
                counts.push(usize::from(word.id().is_some()) + usize::try_from(rows).unwrap_or(usize::MAX));
            }
            candidates.choose(&counts);
        }
        let ways: Vec<_> = candidates.terms().map(|(_, longer)| longer).collect();
        let request = patients(candidates.terms(), candidates.wanted());
        for row in if ways.is_empty() { Vec::new() } else { snapshot.query(request).await? } {
            let mut cells = Cells::new("patient_term", &row);
            let candidate = (cells.get()?, cells.get()?);
            let place = usize::try_from(cells.get::<u64>()?).ok();
            let longer = place.and_then(|place| ways.get(place)).ok_or(Fault::Unexpected)?;
            candidates.add([candidate], *longer);
        }
        looked_at = candidates.looked_at();
        let mut ranking = Ranking::of(words, &budget);
        if !candidates.are_ranked(&mut ranking) {
            rank(snapshot, &candidates.ids(), &mut ranking).await?;
        }
        let (ids, more) = ranking.best(limit);
        let is_incomplete = found.more;
        found = records(snapshot, &ids, limit).await?;
        found.more |= more || candidates.are_cut() || is_incomplete;
        if !found.items.is_empty() {
            break;
        }
    }
    Ok(found)
}

/// Reads the patients with names that resemble a text, the best first, as many as the limit allows.
async fn similar(
    snapshot: &mut Snapshot<'_>,
    mut similar: Similar<'_>,
    limit: Limit,
    budget: &SearchBudget<'_>,
) -> Result<Portion<Versioned<Record>>, Fault> {
    while let Some(looks) = similar.looks() {
        let values = |(TermRange { from, below }, wanted): &(_, _)| {
            [from.as_str().into(), below.as_str().into(), most(*wanted).into()]
        };
        let requests = looks.iter().map(|look| Request::new(DISTINCT, values(look))).collect();
        similar.look_at(only_column(&snapshot.run(requests).await?)?);
    }
    let having = |near: Vec<String>| {
        Request::with_columns(having(), [near.iter().map(|term| Cell::from(term.as_str())).collect()])
    };
    let rows = only_column(&snapshot.run(similar.near(budget).into_iter().map(having).collect()).await?)?;
    let mut ranking = Ranking::of(similar.text(), budget);
    rank(snapshot, &similar.candidates(rows), &mut ranking).await?;
    let (ids, more) = ranking.best(limit);
    let mut found = records(snapshot, &ids, limit).await?;
    found.more |= more || similar.is_cut();
    Ok(found)
}

/// Returns the only column of several answers.
fn only_column<T: Field>(answers: &[Vec<Row>]) -> Result<Vec<Vec<T>>, Fault> {
    let column = |rows: &Vec<Row>| rows.iter().map(|row| Ok(Cells::new("patient_term", row).get()?)).collect();
    answers.iter().map(column).collect()
}

/// Returns the statement that reads the first rows of some terms, in the order of the terms.
fn having() -> String {
    let most = Similar::CANDIDATES;
    format!(
        "SELECT found.patient_id FROM ROWS FROM (pg_catalog.unnest($1::text[])) WITH ORDINALITY AS near (term, place) \
         CROSS JOIN LATERAL ( \
             SELECT patient_id FROM patient_term AS t WHERE t.term = near.term ORDER BY t.patient_id LIMIT {most} \
         ) AS found ORDER BY near.place, found.patient_id LIMIT {most}"
    )
}

/// Offers these patients to a ranking.
async fn rank(snapshot: &mut Snapshot<'_>, ids: &[PatientId], ranking: &mut Ranking<'_>) -> Result<(), Fault> {
    for ids in ids.chunks(TOGETHER) {
        let rows = snapshot.query(Request::with_columns(FINDABLE, [column(ids)])).await?;
        for row in &rows {
            if !ranking.offer(&findable(row)?) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Reads the records of these patients, in their order, as many as the limit allows.
async fn records(
    snapshot: &mut Snapshot<'_>,
    ids: &[PatientId],
    limit: Limit,
) -> Result<Portion<Versioned<Record>>, Fault> {
    let mut filling = Filling::new(limit);
    if !ids.is_empty() {
        let kind = RecordKind::Patient;
        let mut rows = HashMap::new();
        for row in snapshot.query(Request::with_columns(&*sql(kind).many, [column(ids)])).await? {
            let found = read(kind, &row)?;
            rows.insert(found.record.key(), (row.raw_size_bytes(), found));
        }
        for (bytes, found) in ids.iter().filter_map(|id| rows.remove(&RecordKey::Patient(*id))) {
            if !filling.takes(bytes) {
                break;
            }
            filling.push(found);
        }
    }
    Ok(filling.finish())
}

fn column(ids: &[PatientId]) -> Vec<Cell> {
    ids.iter().map(|id| Cell::from(id.value())).collect()
}

fn findable(row: &Row) -> Result<Findable<'_>, Fault> {
    let mut cells = Cells::new("patient", row);
    let (patient_id, folded_name) = (cells.get()?, cells.maybe_str()?.map(|name| name.to_owned().into()));
    let phone = cells.maybe_integer()?;
    let email = cells.maybe_str()?.map(|email| email.to_owned().into());
    let spelling = cells.maybe_str()?.map(|spelling| spelling.to_owned().into());
    Ok(Findable { patient_id, folded_name, spelling, phone, email })
}

/// Returns the statement that counts the rows of these terms together, as far as this number of them.
fn count<'t>(terms: impl Iterator<Item = (&'t TermRange, Match)>, wanted: usize) -> Request {
    first("SELECT pg_catalog.count(*) FROM", |_| "1".to_owned(), terms, wanted)
}

/// Returns the statement that reads the first rows of these terms together: the patient, whether the term is the first
/// one of its range, and the place of this range.
fn patients<'t>(terms: impl Iterator<Item = (&'t TermRange, Match)>, wanted: usize) -> Request {
    let columns = |place: usize| format!("patient_id, term = ${} AS is_first, {place}::int8 AS place", 2 * place + 2);
    first("SELECT patient_id, is_first, place FROM", columns, terms, wanted)
}

/// Returns the statement that begins so and selects, range by range, the first rows of all these terms. PostgreSQL
/// reads no range before those in front of it, and none once it has enough rows.
fn first<'t>(
    begin: &str,
    columns: impl Fn(usize) -> String,
    terms: impl Iterator<Item = (&'t TermRange, Match)>,
    wanted: usize,
) -> Request {
    let (mut values, mut ranges) = (vec![most(wanted).into()], Vec::new());
    for (place, (TermRange { from, below }, _)) in terms.enumerate() {
        let (columns, first, end) = (columns(place), 2 * place + 2, 2 * place + 3);
        ranges.push(format!(
            "(SELECT {columns} FROM patient_term WHERE term >= ${first} AND term < ${end} \
             ORDER BY term, patient_id LIMIT $1)"
        ));
        values.extend([from.as_str().into(), below.as_str().into()]);
    }
    if ranges.is_empty() {
        ranges.push("(SELECT 1 WHERE false)".to_owned());
    }
    Request::new(format!("{begin} ({} LIMIT $1) AS first", ranges.join(" UNION ALL ")), values)
}

/// Returns the statements that give these patients the terms of their records; those without a record get none.
pub(crate) fn keep<'r>(patients: impl Iterator<Item = (PatientId, Option<&'r Patient>)>) -> Vec<Request> {
    let (mut ids, mut terms, mut owners) = (Vec::new(), Vec::new(), Vec::new());
    for (id, patient) in patients {
        ids.push(Cell::from(id.value()));
        for term in patient.map(find_terms).unwrap_or_default() {
            terms.push(Cell::from(term));
            owners.push(Cell::from(id.value()));
        }
    }
    match (ids.is_empty(), terms.is_empty()) {
        (true, _) => Vec::new(),
        (false, true) => vec![Request::with_columns(REMOVE_ALL, [ids])],
        (false, false) => vec![
            Request::with_columns(REMOVE, [ids, terms.clone(), owners.clone()]),
            Request::with_columns(ADD, [terms, owners]),
        ],
    }
}

/// Holds the rows of terms against those of the patients.
pub(crate) async fn check(snapshot: &mut Snapshot<'_>) -> Result<(), Fault> {
    let columns = names(RecordKind::Patient.table().read());
    let request = Request::new(format!("SELECT {columns}, {OF_ROW} AS terms FROM patient ORDER BY patient_id"), []);
    let mut rows = snapshot.stream(&request).await?;
    while let Some(row) = rows.next().await? {
        let found = read(RecordKind::Patient, &row)?;
        let Some(patient) = Patient::from_record(&found.record) else {
            continue;
        };
        let mut due = find_terms(patient);
        due.sort_unstable();
        if row.try_get::<_, &str>("terms")? != due.join("\n") {
            let what = "does not have the terms of this patient";
            return Err(Damage::of("patient_term", patient.patient_id.value().to_string(), what).into());
        }
    }
    drop(rows);
    match snapshot.query(Request::new(OF_NOBODY, [])).await?.first() {
        Some(row) => {
            let id = Cells::new("patient_term", row).get::<PatientId>()?;
            Err(Damage::of("patient_term", id.value().to_string(), "has a term of no patient").into())
        }
        None => Ok(()),
    }
}
