//! The list of all cases, and how a case is run.

use std::{
    fmt,
    panic::resume_unwind,
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use super::{StoreFixture, subject::Subject};

/// One requirement for every store.
pub struct Case {
    name: &'static str,
    prove: fn(Subject),
}

/// The time limit of a case in seconds. A store that hangs fails then; no case takes a hundredth of this.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs the case with this name.
///
/// # Panics
/// When the store fails the case, or there is no such case.
pub fn run(fixture: impl StoreFixture, name: &str) {
    cases().into_iter().find(|case| case.name == name).expect("a case of the suite").run(fixture);
}

impl Case {
    /// Returns the requirement, as the name of a function.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Opens a store and runs the case.
    ///
    /// # Panics
    /// When the store fails the case, or exceeds the time limit.
    pub fn run(self, fixture: impl StoreFixture) {
        let Self { name, prove } = self;
        let (ended, end) = channel::<()>();
        let case = thread::spawn(move || {
            // The guard is dropped when the case ends, also by a panic.
            let _ended = ended;
            prove(Subject::open(fixture));
        });
        if end.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            panic!("{name} hangs");
        }
        if let Err(panic) = case.join() {
            resume_unwind(panic);
        }
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Case").field(&self.name).finish()
    }
}

/// Makes a `#[test]` of every case of the suite.
///
/// It takes an expression that makes a [`StoreFixture`](crate::store::StoreFixture); each case evaluates it again.
#[macro_export]
macro_rules! store_suite {
    ($fixture:expr $(,)?) => {
        $crate::__store_cases! { [$crate::__store_tests] [$fixture] }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __store_tests {
    ([$fixture:expr] $($module:ident { $($case:ident)* })*) => {
        $($(
            #[test]
            fn $case() {
                $crate::store::run($fixture, stringify!($case));
            }
        )*)*
    };
}

/// Makes the table of functions from the same list.
macro_rules! table {
    ([] $($module:ident { $($case:ident)* })*) => {
        /// Returns all cases, in the order of the suite.
        pub fn cases() -> Vec<Case> {
            vec![$($(Case { name: stringify!($case), prove: super::cases::$module::$case },)*)*]
        }
    };
}

crate::__store_cases! { [table] [] }
