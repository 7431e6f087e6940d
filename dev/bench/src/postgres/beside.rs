//! The common parts of all comparisons on PostgreSQL.

use super::Database;
use crate::{
    Failure, Kind, Server, Setting,
    clinic::Clinic,
    compare::{self, Side, Versus},
};

/// The setting, the clinic, and the database with it.
#[derive(Debug)]
pub(super) struct Beside<'a> {
    pub(super) setting: &'a Setting,
    pub(super) clinic: &'a Clinic,
    pub(super) database: &'a Database,
}

/// A kind of request, and the number of clients that send it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked(pub(super) Kind, pub(super) usize);

impl Beside<'_> {
    /// Returns a server on PostgreSQL with its clients. PostgreSQL's processor time is reported separately.
    pub(super) fn side<'a>(&'a self, server: &'a Server, Asked(kind, clients): Asked) -> Side<'a> {
        let groups = vec![compare::group(server, clients, kind, self.clinic)];
        Side { busy: vec![server, self.database], groups }
    }

    /// Measures two servers on PostgreSQL in turn.
    pub(super) fn versus(&self, ours: &Server, theirs: &Server, asked: Asked) -> Result<Versus, Failure> {
        Versus::measure(self.setting, &self.side(ours, asked), &self.side(theirs, asked))
    }
}
