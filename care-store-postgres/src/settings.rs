//! The settings of a connection.

use std::fmt::Write;

/// The settings that a connection works under: for as long as it lasts, or, through a pooler, in each of its transactions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    values: Vec<(&'static str, String)>,
    /// Whether a commit waits at least for the disk of the primary and of the synchronous standby.
    synchronous: bool,
}

impl Settings {
    /// Adds a setting with its value, which is a constant or a number.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.values.push((name, value.to_string()));
        self
    }

    /// Lets commits wait.
    pub(crate) fn synchronous(self) -> Self {
        Self { synchronous: true, ..self }
    }

    /// Returns the statements that set them for the connection.
    pub(crate) fn lasting(&self) -> String {
        self.statements("SET", false)
    }

    /// Returns the statements that set them for a transaction.
    pub(crate) fn local(&self) -> String {
        self.statements("SET LOCAL", true)
    }

    fn statements(&self, set: &str, is_local: bool) -> String {
        let mut statements = String::new();
        for (name, value) in &self.values {
            // Writing to a text cannot fail.
            let _ = write!(statements, "{set} {name} = '{value}'; ");
        }
        if self.synchronous {
            let _ = write!(
                statements,
                "SELECT set_config('synchronous_commit', 'on', {is_local}) \
                 WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply'); "
            );
        }
        statements
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_last_or_end_with_their_transaction() {
        let settings = Settings::default().with("lock_timeout", 2000).with("statement_timeout", "5s");
        assert_eq!(settings.lasting(), "SET lock_timeout = '2000'; SET statement_timeout = '5s'; ");
        assert_eq!(settings.local(), "SET LOCAL lock_timeout = '2000'; SET LOCAL statement_timeout = '5s'; ");
        assert!(Settings::default().synchronous().local().contains("'on', true"));
    }
}
