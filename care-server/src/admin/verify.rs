//! Checking that a database does not contradict itself.

use care_core::audit;

use super::{
    AdminError,
    database::{Database, upkeep},
    terminal::{self, say},
};

pub(super) async fn verify(database: &Database) -> Result<(), AdminError> {
    let store = database.existing()?;
    let bar = terminal::waiting("checking every row");
    upkeep(&*store)?.check().await?;
    bar.set_message("replaying the journal");
    let audit::Summary { entries, records } = audit::verify(&store).await?;
    bar.finish_and_clear();
    say(format_args!("{entries} journal entries and {records} records agree"))
}
