//! Query parameters of lists and reports. Their reader is strict: a mistyped filter must not return everything.

use crate::{
    model::{Date, Invalid},
    rest::{
        body::{faults::Faults, form::speakable},
        contract::{limits::Limits, operation::Operation, problem::Problem},
        http::{cursor::CursorMark, path},
    },
    service::RestockReport,
    store::Filter,
};

/// The number of items in a page when the client names none.
pub(crate) const DEFAULT_LIMIT: usize = 50;

const NOT_PLAIN: Invalid = Invalid("must be a whole number in plain digits");

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
        let (known, mut faults) = (operation.input().parameters(), Faults::default());
        let pairs = path::parse_query(query.unwrap_or_default()).unwrap_or_else(|_| {
            faults.decode("(query)", "must be percent-encoded UTF-8");
            Vec::new()
        });
        for (name, _) in pairs.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
            faults.decode(speakable(name).to_owned(), "is not a parameter of this operation");
        }
        for name in known {
            if pairs.iter().filter(|(given, _)| given == name).count() > 1 {
                faults.decode(*name, "appears more than once");
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

    /// Returns whether this parameter is `true`. Its absence is `false`.
    pub(crate) fn flag(&mut self, name: &'static str) -> bool {
        let flag = self.parse(name, |text| text.parse().map_err(|_| Invalid("must be true or false")));
        flag.unwrap_or_default()
    }

    /// Notes that this parameter is missing.
    pub(crate) fn required(&mut self, name: &'static str) {
        if self.text(name).is_none() {
            self.faults.decode(name, "is required");
        }
    }

    /// Returns the number of a record, or the 0 before the first.
    pub(crate) fn count(&mut self, name: &'static str) -> Option<i64> {
        self.parse(name, |text| path::number(&text).ok_or(NOT_PLAIN))
    }

    /// Refuses those of `theirs` that stand beside one of `ours`.
    pub(crate) fn exclusive(&mut self, ours: &[&str], theirs: &[&'static str], rule: &'static str) {
        if ours.iter().any(|name| self.has(name)) {
            self.refuse(theirs, rule);
        }
    }

    /// Refuses those of `theirs` that need this parameter beside them, if it is absent.
    pub(crate) fn need(&mut self, ours: &str, theirs: &[&'static str], rule: &'static str) {
        if !self.has(ours) {
            self.refuse(theirs, rule);
        }
    }

    /// Returns the days `from` and `to`. A period that ends before it begins matches nothing, which the client cannot
    /// have meant.
    pub(crate) fn period(&mut self) -> (Option<Date>, Option<Date>) {
        let mut day = |name| self.parse(name, |text| text.parse::<Date>());
        let (from, to) = (day("from"), day("to"));
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            self.faults.decode("from", "must not be after to");
        }
        (from, to)
    }

    /// Returns a whole number in plain digits, within the range of its type.
    pub(crate) fn integer<T: TryFrom<i64, Error = Invalid>>(&mut self, name: &'static str) -> Option<T> {
        self.parse(name, |text| T::try_from(path::number(&text).ok_or(NOT_PLAIN)?))
    }

    /// Returns the limit of a page, at most `max`.
    pub(crate) fn limit(&mut self, max: usize) -> usize {
        let usual = max == Limits::new().page;
        let rule = if usual { "must be 1 to 500" } else { "must be 1 to the most that this server allows" };
        self.items(max, rule).unwrap_or(DEFAULT_LIMIT.min(max))
    }

    /// Returns the limit of a search, at most `max`.
    pub(crate) fn find_limit(&mut self, max: usize) -> usize {
        let max = DEFAULT_LIMIT.min(max);
        self.items(max, "must be 1 to 50").unwrap_or(max)
    }

    /// Returns the limit of the restock report.
    pub(crate) fn report_limit(&mut self) -> usize {
        self.items(RestockReport::MAX_ITEMS, "must be 1 to 5000").unwrap_or(RestockReport::DEFAULT_ITEMS)
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

    fn refuse(&mut self, names: &[&'static str], rule: &'static str) {
        for name in names {
            if self.has(name) {
                self.faults.decode(*name, rule);
            }
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
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
    fn the_next_page_keeps_the_filter() {
        assert_eq!(parameters("state=paid&after=x&limit=2").next_query("c"), "state=paid&limit=2&after=c");
    }
}
