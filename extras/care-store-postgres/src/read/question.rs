//! Questions: one statement if that is enough, otherwise one snapshot of the database.

use care_core::{
    error::Error,
    store::{Deciding, Key, Question, Seen, Step, Stop},
};

use super::load::Loading;
use crate::{
    base::error::Fault,
    connect::pool::{Pool, Snapshot},
};

/// The answer of a question, which writes it itself, or its refusal.
type Asked = Result<(), Error>;

/// Returns the keys that a question needs next, or how it ended.
fn needed(step: Step<()>) -> Result<Vec<Key>, Asked> {
    match step {
        Step::Need(keys) => Ok(keys.into_iter().collect()),
        Step::Done(()) => Err(Ok(())),
        Step::Refused(error) => Err(Err(error)),
    }
}

/// Runs a question once, on one connection. A single statement sees one snapshot, so a question about one key needs no
/// transaction. If the question asks for more after that statement, it starts over in a transaction that first loads
/// all keys it has asked for.
pub(crate) async fn ask(pool: &Pool, question: &mut Question<'_>) -> Result<Asked, Fault> {
    let mut deciding = Deciding::new(&mut *question);
    let mut keys = match needed(deciding.step()) {
        Ok(keys) => keys,
        Err(asked) => return Ok(asked),
    };
    let lent = pool.lend().await?;
    let (mut requests, loading) = Loading::of(&keys).after(&mut Vec::new());
    let found = match (requests.pop(), requests.is_empty()) {
        (Some(request), true) => loading.finish(&[lent.single(request).await?])?,
        (None, _) => loading.finish(&[])?,
        (Some(_), false) => return at_one_moment(Snapshot::of(lent), deciding, keys).await,
    };
    keys.iter().cloned().zip(found).for_each(|(key, found)| deciding.enter(key, found));
    match needed(deciding.step()) {
        Ok(more) => keys.extend(more),
        Err(asked) => return Ok(asked),
    }
    drop(deciding);
    at_one_moment(Snapshot::of(lent), Deciding::new(question), keys).await
}

/// Runs a question in a transaction that sees one snapshot and starts by loading these keys.
async fn at_one_moment<F>(
    mut snapshot: Snapshot<'_>,
    mut deciding: Deciding<F>,
    mut keys: Vec<Key>,
) -> Result<Asked, Fault>
where
    F: FnMut(&mut Seen) -> Result<(), Stop>,
{
    loop {
        let (requests, loading) = Loading::of(&keys).after(&mut Vec::new());
        let found = loading.finish(&snapshot.run(requests).await?)?;
        keys.into_iter().zip(found).for_each(|(key, found)| deciding.enter(key, found));
        keys = match needed(deciding.step()) {
            Ok(more) => more,
            Err(asked) => return Ok(asked),
        };
    }
}
