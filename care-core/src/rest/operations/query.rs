//! Query parameters of lists and reports. Their reader is strict: a mistyped filter must not return everything.

use super::queries::parameters;
use crate::{
    model::{Fill, InQuery, Invalid, Patch, StockDetails},
    rest::{
        body::{faults::Faults, form::speakable},
        contract::{limits::Limits, operation::Operation, problem::Problem},
        http::{cursor::CursorMark, path},
    },
    service::TriedSettings,
    store::{Beside, Filter, Parameter},
};

/// The number of items in a page when the client names none.
pub(crate) const DEFAULT_LIMIT: usize = 50;
/// The rule of a limit where the server's is lower than the usual one.
const LESS: &str = "must be 1 to the most that this server allows";

/// A filter of a list, or the request for a report, in a query. `derive(Filter)` implements it.
pub(crate) trait Queried: Filter {
    /// Reads it, and notes the faults.
    fn read(query: &mut Parameters) -> Self;
}

impl Queried for () {
    fn read(_: &mut Parameters) {}
}

impl Queried for TriedSettings {
    fn read(query: &mut Parameters) -> Self {
        Self(StockDetails::filled(query))
    }
}

/// The query parameters of one request. Each is known, and present at most once.
#[derive(Debug)]
pub(crate) struct Parameters {
    operation: Operation,
    pairs: Vec<(String, String)>,
    faults: Faults,
}

impl Parameters {
    /// Reads the query of a list or report.
    pub(crate) fn read(operation: Operation, query: Option<&str>) -> Result<Self, Problem> {
        let mut faults = Faults::default();
        let mut pairs = path::parse_query(query.unwrap_or_default()).unwrap_or_else(|_| {
            faults.decode("(query)", "must be percent-encoded UTF-8");
            Vec::new()
        });
        pairs.retain(|(name, _)| {
            let is_known = parameters(operation).any(|known| known.name == name);
            if !is_known {
                faults.decode(speakable(name).to_owned(), "is not a parameter of this operation");
            }
            is_known
        });
        for known in parameters(operation) {
            if pairs.iter().filter(|(given, _)| given == known.name).count() > 1 {
                faults.decode(known.name, "appears more than once");
            }
        }
        Ok(Self { operation, pairs, faults })
    }

    /// Reads one parameter of a single record, and ignores all others.
    pub(crate) fn of_a_record(operation: Operation, query: &str, known: &'static str) -> Self {
        let mut faults = Faults::default();
        let mut pairs = Vec::new();
        for part in query.split('&') {
            match path::parse_query(part) {
                Ok(pair) => pairs.extend(pair.into_iter().filter(|(name, _)| name == known)),
                Err(_) if part.split('=').next() == Some(known) => {
                    faults.decode(known, "must be percent-encoded UTF-8");
                }
                Err(_) => {}
            }
        }
        if pairs.len() > 1 {
            faults.decode(known, "appears more than once");
        }
        Self { operation, pairs, faults }
    }

    /// Returns the value of a parameter; a malformed one is a fault.
    pub(crate) fn parse<T>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(String) -> Result<T, Invalid>,
    ) -> Option<T> {
        let text = self.text(name)?.to_owned();
        parse(text).map_err(|broken| self.faults.decode(name, broken.rule())).ok()
    }

    /// Notes the faults of parameters that others need or exclude.
    pub(crate) fn check(&mut self, declared: &'static [Parameter]) {
        for Parameter { name, beside, .. } in declared {
            let is_there = self.has(name);
            for rule in *beside {
                let has_any = |names: &[&str]| names.iter().any(|name| self.has(name));
                let (is_broken, rule) = match rule {
                    Beside::Required => (!is_there, "is required"),
                    Beside::Needs(names, rule) => (is_there && !has_any(names), *rule),
                    Beside::EmptyNeeds(names, rule) => (self.text(name) == Some("") && !has_any(names), *rule),
                    Beside::Excludes(names, rule) => (is_there && has_any(names), *rule),
                };
                if is_broken {
                    self.refuse(name, rule);
                }
            }
        }
    }

    /// Notes the fault of a parameter.
    pub(crate) fn refuse(&mut self, name: &'static str, rule: &'static str) {
        self.faults.decode(name, rule);
    }

    /// Returns the limit of a page, at most `max`.
    pub(crate) fn limit(&mut self, max: usize) -> usize {
        let rule = if max == Limits::new().page { "must be 1 to 500" } else { LESS };
        self.items(max, rule).unwrap_or(DEFAULT_LIMIT.min(max))
    }

    /// Returns the limit of a search, at most `max`.
    pub(crate) fn find_limit(&mut self, max: usize) -> usize {
        let max = DEFAULT_LIMIT.min(max);
        let rule = if max == DEFAULT_LIMIT { "must be 1 to 50" } else { LESS };
        self.items(max, rule).unwrap_or(max)
    }

    fn items(&mut self, max: usize, rule: &'static str) -> Option<usize> {
        self.parse("limit", |text| {
            let number = path::identifier(&text).and_then(|number| usize::try_from(number).ok());
            number.filter(|number| *number <= max).ok_or(Invalid(rule))
        })
    }

    /// Returns the mark of this list's cursors under a filter.
    pub(crate) fn mark(&self, filter: &impl Filter) -> CursorMark {
        CursorMark::new(self.operation.id(), filter.parameters())
    }

    /// Returns the key at which the page begins. The cursor must come from this list with a filter of the same meaning,
    /// in any spelling.
    pub(crate) fn after<T>(&mut self, mark: &CursorMark, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        self.parse("after", |cursor| {
            let key = mark.place(&cursor).and_then(|key| parse(&key));
            key.ok_or(Invalid("must be a cursor of this list and filter"))
        })
    }

    /// Returns the query of the next page, which differs only in the cursor.
    pub(crate) fn next_query(&self, cursor: &str) -> String {
        let rest = self.pairs.iter().filter(|(name, _)| name != "after");
        let pairs = rest.map(|(name, value)| format!("{name}={}&", path::encode_segment(value)));
        format!("{}after={cursor}", pairs.collect::<String>())
    }

    /// Returns whether this parameter is present.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.text(name).is_some()
    }

    /// Returns the problem with all faults, if there are any.
    pub(crate) fn verdict(&mut self) -> Result<(), Problem> {
        Ok(std::mem::take(&mut self.faults).into_result()?)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }
}

impl<T: InQuery> Fill<Option<T>> for Parameters {
    fn value(&mut self, name: &'static str) -> Option<T> {
        self.parse(name, T::read)
    }
}

impl<T: InQuery> Fill<Patch<T>> for Parameters {
    fn value(&mut self, name: &'static str) -> Patch<T> {
        Patch::from(self.parse(name, T::read))
    }
}

/// A flag that is absent is false.
impl Fill<bool> for Parameters {
    fn value(&mut self, name: &'static str) -> bool {
        self.parse(name, bool::read).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::InvoiceState, store::InvoiceFilter};

    fn parameters(query: &str) -> Parameters {
        Parameters::read(Operation::ListInvoices, Some(query)).unwrap()
    }

    #[test]
    fn a_cursor_is_bound_to_what_the_client_has_named() {
        let mark = |query: &str, filter: &InvoiceFilter| parameters(query).mark(filter).cursor("17");
        let paid =
            InvoiceFilter { patient_id: 7.try_into().ok(), state: Some(InvoiceState::Paid), ..Default::default() };
        // These stay as they are: a client may hold a cursor while the server is upgraded.
        assert_eq!(mark("", &InvoiceFilter::default()), "446fd1ab74563137");
        assert_eq!(mark("state=paid&patientId=7", &paid), "ebc34e2a73783137");
        let paging = "limit=3&after=x&patientId=7&state=paid";
        assert_eq!(mark(paging, &paid), mark("", &paid), "the page and the spelling do not matter");
    }

    #[test]
    fn a_page_begins_at_a_cursor_of_its_list() {
        let filter = InvoiceFilter::default();
        let begin = |cursor: &str| {
            let mut parameters = parameters(&format!("after={cursor}"));
            let mark = parameters.mark(&filter);
            let key = parameters.after(&mark, |key| key.parse::<i64>().ok());
            (key, parameters.verdict().is_err())
        };
        let mark = parameters("").mark(&filter);
        assert_eq!(begin(&mark.cursor("17")), (Some(17), false));
        for foreign in [mark.cursor("x"), parameters("").mark(&()).cursor("17") + "0", "17".to_owned()] {
            assert_eq!(begin(&foreign), (None, true), "{foreign}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let refused = |query: &str| {
            let mut parameters = parameters(query);
            parameters.limit(500);
            parameters.verdict().is_err()
        };
        for query in ["x=1", "limit=1&limit=1", "limit=0", "limit=501", "limit=+1", "limit=", "%zz=1", "state=%ff"] {
            assert!(refused(query), "{query}");
        }
        for query in ["", "limit=1", "limit=500", "state=paid&limit=50"] {
            assert!(!refused(query), "{query}");
        }
    }

    #[test]
    fn the_rule_of_a_limit_is_the_one_that_was_broken() {
        let refused = |read: fn(&mut Parameters, usize) -> usize, max| {
            let mut parameters = parameters("limit=501");
            read(&mut parameters, max);
            format!("{:?}", parameters.verdict())
        };
        let limits: [fn(&mut Parameters, usize) -> usize; 2] = [Parameters::limit, Parameters::find_limit];
        for (read, usual) in limits.into_iter().zip(["must be 1 to 500", "must be 1 to 50\""]) {
            let said = refused(read, 500);
            assert!(said.contains(usual), "{said}");
            let said = refused(read, 20);
            assert!(said.contains(LESS), "{said}");
        }
    }

    #[test]
    fn the_next_page_keeps_the_filter() {
        assert_eq!(parameters("state=paid&after=x&limit=2").next_query("c"), "state=paid&limit=2&after=c");
    }
}
