//! The parameters of a search: read, put together, and compared with a resource.

use std::collections::BTreeMap;

use care_core::{
    model::{Email, NamePrefix, Phone, folded_name, phone_digits},
    rest::FacadeRequest,
};

use super::page::Paging;
use crate::{
    kind::{Parameter, Row},
    outcome::Fault,
    read::number,
    source::Instance,
    writer::Path,
};

/// The most values of `_id`, and of a status.
const MOST_VALUES: usize = 50;

/// A search, as its parameters ask for it.
#[derive(Debug)]
pub(crate) struct Criteria {
    /// The identifiers of `_id`, ascending; `None` without it.
    pub(crate) ids: Option<Vec<String>>,
    conditions: BTreeMap<Parameter, Vec<String>>,
    pub(crate) paging: Paging,
}

impl Criteria {
    /// Reads the parameters of a search of this type. The namespace is that of the facility's identifiers.
    pub(crate) fn read(
        request: &FacadeRequest<'_>,
        row: &Row,
        namespace: Option<&str>,
        is_lenient: bool,
    ) -> Result<Self, Fault> {
        let mut paging = Paging::default();
        let (mut ids, mut conditions) = (None, BTreeMap::new());
        for (name, value) in request.query {
            if paging.takes(name, value)? {
                continue;
            }
            if name == "_id" {
                ids = Some(narrowed(ids, identifiers(value)?));
            } else if let Some(parameter) = row.search.iter().find(|parameter| parameter.name() == name) {
                let values = Reading { row, namespace, base: request.address }.values(*parameter, value)?;
                // Both names of a reference to the patient mean one condition.
                let parameter = if *parameter == Parameter::Subject { Parameter::Patient } else { *parameter };
                if let Some(values) = values {
                    let before = conditions.remove(&parameter);
                    let both =
                        if parameter == Parameter::Name { longest(before, values) } else { narrowed(before, values) };
                    conditions.insert(parameter, both);
                }
            } else {
                paging.leaves_out(name);
                continue;
            }
            paging.keeps(name, value);
        }
        let paging = paging.checked(is_lenient)?;
        let is_anchored = ids.is_some() || conditions.keys().any(|parameter| parameter.refers_to().is_some());
        if row.is_narrow && !is_anchored {
            return Err(Fault::Required(row.search[0].name()));
        }
        Ok(Self { ids, conditions, paging })
    }

    /// Returns whether no resource can meet all conditions.
    pub(crate) fn is_contradictory(&self) -> bool {
        self.conditions.values().any(Vec::is_empty)
    }

    /// Returns the first value that is asked for; `None` without such a condition.
    pub(crate) fn value(&self, parameter: Parameter) -> Option<&str> {
        self.values(parameter)?.first().map(String::as_str)
    }

    /// Returns the values of which a resource must have one; `None` without such a condition.
    pub(crate) fn values(&self, parameter: Parameter) -> Option<&[String]> {
        self.conditions.get(&parameter).map(Vec::as_slice)
    }

    /// Returns the record that a reference names; `None` without such a condition.
    pub(crate) fn number<T: TryFrom<i64>>(&self, parameter: Parameter) -> Option<T> {
        self.value(parameter).and_then(number)
    }

    /// Returns the paths of the texts that the conditions are about.
    pub(crate) fn paths(&self) -> Vec<Path> {
        self.conditions.keys().map(|parameter| parameter.path()).filter(|path| !path.is_empty()).collect()
    }

    /// Returns whether a resource meets every condition.
    pub(crate) fn admits(&self, instance: &Instance) -> bool {
        self.conditions.iter().all(|(parameter, values)| values.iter().any(|value| has(instance, *parameter, value)))
    }

    /// Returns the parameters that ask for this search, each with its values in their one form. One that nothing can
    /// meet has an empty value.
    pub(crate) fn canonical(&self) -> Vec<(&'static str, String)> {
        let ids = self.ids.iter().map(|ids| ("_id", ids));
        let conditions = self.conditions.iter().map(|(parameter, values)| (parameter.name(), values));
        let mut canonical = Vec::new();
        for (name, values) in ids.chain(conditions) {
            canonical.extend(values.is_empty().then(|| (name, String::new())));
            canonical.extend(values.iter().map(|value| (name, value.clone())));
        }
        canonical
    }
}

/// The reading of a search's values.
struct Reading<'a> {
    row: &'a Row,
    namespace: Option<&'a str>,
    base: Option<&'a str>,
}

impl Reading<'_> {
    /// Returns the values of a parameter as they are compared, without those that no resource can have; `None` where
    /// every resource has one.
    fn values(&self, parameter: Parameter, value: &str) -> Result<Option<Vec<String>>, Fault> {
        let name = parameter.name();
        let all = split(value);
        if all.iter().any(|value| value.text().trim().is_empty()) || all.len() > MOST_VALUES {
            return Err(Fault::Invalid(name));
        }
        if parameter == Parameter::Status {
            let mut codes: Vec<_> = all.iter().flat_map(|value| self.codes(parameter, value)).collect();
            codes.sort_unstable();
            codes.dedup();
            return Ok(Some(codes));
        }
        let [value] = all.as_slice() else {
            return Err(Fault::List(name));
        };
        let one = match parameter {
            Parameter::Identifier if self.is_namespace(value) && value.code.is_empty() => return Ok(None),
            Parameter::Identifier if self.is_namespace(value) || value.system.is_none() => Some(value.code.clone()),
            Parameter::Identifier => None,
            Parameter::Name => match NamePrefix::new(&value.text()).as_str() {
                "" => return Err(Fault::Invalid(name)),
                prefix => Some(prefix.to_owned()),
            },
            Parameter::Phone => value.without_system().and_then(|phone| {
                let all = || phone.chars().filter(char::is_ascii_digit).collect();
                let digits = phone_digits(phone).unwrap_or_else(all);
                number::<Phone>(&digits).map(|_| digits)
            }),
            Parameter::Email => value.without_system().and_then(|email| {
                let email = Email::new(email).ok()?;
                Some(email.as_str().to_owned())
            }),
            Parameter::Status | Parameter::Code | Parameter::Category => {
                return Ok(Some(self.codes(parameter, value)));
            }
            Parameter::Patient
            | Parameter::Subject
            | Parameter::Whose
            | Parameter::Encounter
            | Parameter::Prescription => {
                parameter.refers_to().and_then(|kind| self.referred(Row::of(kind), &value.text()))
            }
        };
        Ok(Some(one.into_iter().collect()))
    }

    /// Returns those codes of the type that a token names: a code, a code of a system, or all of a system. Each of them
    /// has a system.
    fn codes(&self, parameter: Parameter, token: &Token) -> Vec<String> {
        let (system, codes) = self.row.codes(parameter);
        let is_of = token.system.as_ref().is_none_or(|of| of == system);
        let is_named = |code: &str| token.code == code || (token.code.is_empty() && token.system.is_some());
        codes.iter().filter(|code| is_of && is_named(code)).map(|code| (*code).to_owned()).collect()
    }

    /// Returns whether a token names the system of the identifiers of patients.
    fn is_namespace(&self, token: &Token) -> bool {
        let system = token.system.as_ref().and_then(|system| system.strip_suffix("/patient"));
        system.is_some() && system == self.namespace
    }

    /// Returns the number in a reference to this type: `7`, `Patient/7`, or an address below this server's own.
    fn referred(&self, row: &Row, reference: &str) -> Option<String> {
        let below = self.base.and_then(|base| reference.strip_prefix(base)?.strip_prefix('/'));
        let id = match below.unwrap_or(reference).split_once('/') {
            Some((of, id)) => (of == row.name).then_some(id)?,
            None if below.is_some() => return None,
            None => reference,
        };
        number::<i64>(id).map(|number| number.to_string())
    }
}

/// A value of a parameter. Only a token has a system, before a bar.
#[derive(Debug, Default, PartialEq, Eq)]
struct Token {
    system: Option<String>,
    code: String,
}

impl Token {
    /// Returns the value of a parameter that is no token.
    fn text(&self) -> String {
        match &self.system {
            Some(system) => [system, "|", &self.code].concat(),
            None => self.code.clone(),
        }
    }

    /// Returns the code where what it is compared with has no system.
    fn without_system(&self) -> Option<&str> {
        self.system.as_ref().is_none_or(String::is_empty).then_some(&self.code)
    }
}

/// Returns the identifiers of one `_id`.
fn identifiers(value: &str) -> Result<Vec<String>, Fault> {
    let all = split(value);
    if all.len() > MOST_VALUES || all.iter().any(|id| id.text().is_empty()) {
        return Err(Fault::Invalid("_id"));
    }
    let mut ids: Vec<_> = all.iter().filter_map(Token::without_system).map(str::to_owned).collect();
    ids.sort_by_cached_key(|id| (number::<i64>(id.split('-').next().unwrap_or_default()), id.clone()));
    ids.dedup();
    Ok(ids)
}

/// Returns the values that two conditions on one parameter leave.
fn narrowed(before: Option<Vec<String>>, mut values: Vec<String>) -> Vec<String> {
    if let Some(before) = before {
        values.retain(|value| before.contains(value));
    }
    values
}

/// Returns the prefix that two conditions on a name leave: the longer one, if the other is its beginning.
fn longest(before: Option<Vec<String>>, values: Vec<String>) -> Vec<String> {
    match before.as_deref() {
        None => values,
        Some([before]) => {
            let longer = |value: String| {
                let is_longer = value.starts_with(before.as_str());
                (is_longer || before.starts_with(&value)).then(|| if is_longer { value } else { before.clone() })
            };
            values.into_iter().filter_map(longer).collect()
        }
        Some(_) => Vec::new(),
    }
}

/// Splits a value at its commas, and each part at its first bar. A backslash makes the next character one of the text.
fn split(value: &str) -> Vec<Token> {
    let (mut all, mut last, mut chars) = (Vec::new(), Token::default(), value.chars());
    while let Some(char) = chars.next() {
        match char {
            '\\' => last.code.extend(chars.next()),
            ',' => all.push(std::mem::take(&mut last)),
            '|' if last.system.is_none() => last.system = Some(std::mem::take(&mut last.code)),
            char => last.code.push(char),
        }
    }
    all.push(last);
    all
}

/// Returns whether a resource has this value where the parameter looks.
fn has(instance: &Instance, parameter: Parameter, value: &str) -> bool {
    let mut texts = instance.texts(parameter.path());
    match parameter {
        Parameter::Identifier => value == instance.id,
        Parameter::Name => texts.any(|name| folded_name(name).starts_with(value)),
        Parameter::Patient | Parameter::Subject | Parameter::Whose | Parameter::Encounter | Parameter::Prescription => {
            let target = parameter.refers_to().map(|kind| [Row::of(kind).name, "/", value].concat());
            texts.any(|text| target.as_deref() == Some(text))
        }
        // A phone number has no @, and a mail address no digits alone.
        Parameter::Phone | Parameter::Email | Parameter::Status | Parameter::Code | Parameter::Category => {
            texts.any(|text| text == value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_split_at_commas_that_are_not_escaped() {
        let texts = |value: &str| split(value).iter().map(Token::text).collect::<Vec<_>>();
        assert_eq!(texts("a,b\\,c,,d\\,e|f|g"), ["a", "b,c", "", "d,e|f|g"]);
        let token = |system: &str, code: &str| Token { system: Some(system.to_owned()), code: code.to_owned() };
        assert_eq!(split("x|y,|y,x|"), [token("x", "y"), token("", "y"), token("x", "")]);
        assert_eq!(split("x\\|y"), [Token { system: None, code: "x|y".to_owned() }]);
        assert_eq!(identifiers("10,9,9-b,9-a,9").unwrap(), ["9", "9-a", "9-b", "10"]);
        assert_eq!(identifiers("|1,x|2,3").unwrap(), ["1", "3"]);
        assert_eq!(identifiers("1,,2"), Err(Fault::Invalid("_id")));
        assert_eq!(identifiers(&["1"; 51].join(",")), Err(Fault::Invalid("_id")));
    }

    #[test]
    fn two_conditions_leave_what_meets_both() {
        let of = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        assert_eq!(narrowed(Some(of(&["a", "b"])), of(&["b", "c"])), ["b"]);
        assert_eq!(longest(Some(of(&["ad"])), of(&["ada"])), ["ada"]);
        assert_eq!(longest(Some(of(&["ada"])), of(&["ad"])), ["ada"]);
        assert_eq!(longest(Some(of(&["ada"])), of(&["bo"])), [""; 0]);
        assert_eq!(longest(Some(of(&[])), of(&["bo"])), [""; 0]);
    }

    #[test]
    fn references_of_this_server_have_three_spellings() {
        let reading =
            Reading { row: Row::of(crate::kind::Kind::Encounter), namespace: None, base: Some("http://a/fhir") };
        let patient = Row::of(crate::kind::Kind::Patient);
        for own in ["7", "Patient/7", "http://a/fhir/Patient/7"] {
            assert_eq!(reading.referred(patient, own).as_deref(), Some("7"), "{own}");
        }
        for other in ["07", "Group/7", "http://b/fhir/Patient/7", "http://a/fhir/7", "Patient/7/_history/1", "x"] {
            assert_eq!(reading.referred(patient, other), None, "{other}");
        }
    }
}
