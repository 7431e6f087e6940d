//! The SQLite store passes the store suite, alone on its file and with others.

use std::fs;

use care_conformance::store::StoreFixture;
use care_store_sqlite::SqliteStore;
use tempfile::TempDir;

struct File<const SHARED: bool>(TempDir);

fn file<const SHARED: bool>() -> File<SHARED> {
    File(TempDir::new().expect("a temporary directory"))
}

impl<const SHARED: bool> StoreFixture for File<SHARED> {
    type Store = SqliteStore;

    fn open(&self) -> SqliteStore {
        let path = self.0.path().join("care.db");
        SqliteStore::options().shared(SHARED).open(path).expect("a new file")
    }

    fn keys<'a>(&self, store: &'a Self::Store) -> Option<&'a dyn care_core::store::ApiKeys> {
        Some(store)
    }

    fn reopen(&self, store: SqliteStore) -> Option<SqliteStore> {
        drop(store);
        Some(self.open())
    }

    fn keeps(&self, text: &str) -> Option<bool> {
        let files = fs::read_dir(self.0.path()).expect("the directory");
        let mut files = files.map(|file| fs::read(file.expect("a file").path()).expect("its bytes"));
        Some(files.any(|bytes| bytes.windows(text.len()).any(|found| found == text.as_bytes())))
    }
}

mod owned {
    care_conformance::store_suite!(super::file::<false>());
}

mod shared {
    care_conformance::store_suite!(super::file::<true>());
}
