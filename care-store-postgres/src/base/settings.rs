//! The settings of a connection.

use std::fmt::Write;

/// The settings that a connection works under: for as long as it lasts, or, through a pooler, in each of its
/// transactions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    values: Vec<(&'static str, String)>,
    /// The schema whose tables are meant, once it is known.
    schema: Option<String>,
}

impl Settings {
    /// Adds a setting with its value, which is a constant or a number.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.values.push((name, value.to_string()));
        self
    }

    /// Looks names up in PostgreSQL's own schema, then in this one, and nowhere else: what other roles have made
    /// elsewhere is never found. Temporary tables come last, where they would otherwise come first.
    pub(crate) fn within(self, schema: &str) -> Self {
        Self { schema: Some(schema.to_owned()), ..self }
    }

    /// Returns the statements that set them for the connection.
    pub(crate) fn lasting(&self) -> String {
        self.statements("SET")
    }

    /// Returns the statements that set them for a transaction.
    pub(crate) fn local(&self) -> String {
        self.statements("SET LOCAL")
    }

    fn statements(&self, set: &str) -> String {
        // Writing to a text cannot fail.
        let mut statements = String::new();
        if let Some(schema) = &self.schema {
            let _ = write!(statements, "{set} search_path = pg_catalog, {}, pg_temp; ", quoted(schema));
        }
        for (name, value) in &self.values {
            let _ = write!(statements, "{set} {name} = '{value}'; ");
        }
        statements
    }
}

/// Returns a name as SQL spells it, whatever it holds.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_last_or_end_with_their_transaction() {
        let settings = Settings::default().with("lock_timeout", 2000).with("statement_timeout", "5s");
        assert_eq!(settings.lasting(), "SET lock_timeout = '2000'; SET statement_timeout = '5s'; ");
        assert_eq!(settings.local(), "SET LOCAL lock_timeout = '2000'; SET LOCAL statement_timeout = '5s'; ");
        let settings = Settings::default().within("a \"b\"");
        assert_eq!(settings.lasting(), "SET search_path = pg_catalog, \"a \"\"b\"\"\", pg_temp; ");
    }
}
