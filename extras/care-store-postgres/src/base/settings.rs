//! Connection settings.

use std::fmt::Write;

/// The settings that a connection runs under. They are set once for the connection or, through a pooler, anew in each
/// transaction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    values: Vec<(&'static str, String)>,
    /// The schema that holds the tables, once it is known.
    schema: Option<String>,
}

impl Settings {
    /// Adds a setting. Its value must be a constant or a number.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.values.push((name, value.to_string()));
        self
    }

    /// Resolves names in `pg_catalog`, then in this schema, and nowhere else, so that objects which other roles created
    /// elsewhere are never found. Temporary tables come last; by default they would come first.
    pub(crate) fn within(self, schema: &str) -> Self {
        Self { schema: Some(schema.to_owned()), ..self }
    }

    /// Returns the statements that set them for the connection's lifetime.
    pub(crate) fn lasting(&self) -> String {
        self.statements("SET")
    }

    /// Returns the statements that set them for one transaction.
    pub(crate) fn local(&self) -> String {
        self.statements("SET LOCAL")
    }

    fn statements(&self, set: &str) -> String {
        // Writing to a `String` cannot fail.
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

/// Quotes a name as an SQL identifier, whatever it contains.
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
