//! Schemas of values, with the ranges and lengths of the model's own types.
//!
//! A pattern repeats a rule that the model states in code. Tests compare the two for every character and for every kind
//! of day.

use std::borrow::Cow;

use super::node::{Node, object, reference};
use crate::{
    model::{
        Age, Basis, ConsultationState, Currency, Date, Delta, FindText, InvoiceState, KeyName, LotKey, LotText,
        MedicineKey, MedicineName, MedicinePrefix, MovementKind, MovementReason, Name, NamePrefix, PatientId,
        PatientIds, PaymentMethod, Phone, PrescriptionState, Price, ReceiptKind, RefundReason, Scope, Scopes,
        ServiceLevel, Timestamp, Units, Weight, each_count, each_identifier, each_text,
    },
    rest::contract::view::told,
    service::DayPart,
    stock::Hundredths,
    store::{Link, RecordKind, Seq},
    wire::{ChangeKind, EntryNumber, JournaledKind, RecordId, ShownKind},
};

/// The schema of a value, and an example.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) schema: Node,
    pub(crate) example: Node,
    /// The schema of the value in answers, where a stored one may break the rule for new ones.
    pub(crate) answered: Option<Node>,
    /// The name and the schema of each record to which the schema refers, also by another one.
    pub(crate) parts: Vec<(Cow<'static, str>, Node)>,
}

/// The characters that no text may contain: control characters other than tab and line feed, U+FFFE and U+FFFF.
const FORBIDDEN: &str = r"\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFFFE\uFFFF";
/// The White_Space characters that texts may contain.
const SPACE: &str = r"\t\n \u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000";
/// The Default_Ignorable_Code_Point characters of the basic plane. Pattern dialects write ranges beyond it in different
/// ways, so the pattern accepts a name that consists only of others, and the service refuses it.
const IGNORABLE: &str = concat!(
    r"\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F",
    r"\uFEFF\uFFA0\uFFF0-\uFFF8",
);
/// The days `DD/MM/YYYY` of the years 1900 to 9999.
const DAY: &str = concat!(
    r"^(((0[1-9]|[12][0-9]|3[01])/(0[13578]|1[02])|(0[1-9]|[12][0-9]|30)/(0[469]|11)",
    r"|(0[1-9]|1[0-9]|2[0-8])/02)/(19|[2-9][0-9])[0-9]{2}",
    r"|29/02/((19|[2-9][0-9])(0[48]|[2468][048]|[13579][26])|([2468][048]|[3579][26])00))$"
);

impl Value {
    /// Returns a value with this schema and example.
    pub(crate) fn new(schema: Node, example: impl Into<Node>) -> Self {
        Self { schema, example: example.into(), answered: None, parts: Vec::new() }
    }

    /// Returns a list of such values.
    pub(crate) fn list(self) -> Self {
        let schema = object().with("type", "array").with("items", self.schema);
        Self { parts: self.parts, ..Self::new(schema, [self.example]) }
    }

    /// Sets the example. Of words, it becomes the first.
    pub(super) fn showing(mut self, example: Node) -> Self {
        if let (Node::Object(keywords), Node::Text(first)) = (&mut self.schema, &example)
            && let Some((_, Node::List(words))) = keywords.iter_mut().find(|(name, _)| name == "enum")
        {
            words.sort_by_key(|word| !matches!(word, Node::Text(word) if word == first));
        }
        // An example of a list is that of its elements.
        let example = if let Node::List(_) = self.example { [example].into() } else { example };
        Self { example, ..self }
    }

    /// Adds a keyword to the schema.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Node>) -> Self {
        self.schema = self.schema.with(name, value);
        self
    }
}

/// A type that has a schema: a value type of the model, a record, or a list of these.
pub(crate) trait Described {
    /// The type of an example.
    type Example: Into<Node>;
    /// Whether each member needs an example of its own, since the type has none.
    const NEEDS_EXAMPLE: bool = false;

    /// Returns the schema of a member of this name, and an example.
    fn described(member: &'static str) -> Value;
}

impl<T: Described + ToOwned> Described for Cow<'_, T> {
    type Example = T::Example;
    const NEEDS_EXAMPLE: bool = T::NEEDS_EXAMPLE;

    fn described(member: &'static str) -> Value {
        T::described(member)
    }
}

impl<T: Described> Described for Vec<T> {
    type Example = T::Example;
    const NEEDS_EXAMPLE: bool = T::NEEDS_EXAMPLE;

    fn described(member: &'static str) -> Value {
        T::described(member).list()
    }
}

macro_rules! described {
    ($($example:ty, $needed:literal: { $($ty:ty => $value:expr;)* })*) => {
        $($(impl Described for $ty {
            type Example = $example;
            const NEEDS_EXAMPLE: bool = $needed;

            fn described(_: &'static str) -> Value {
                $value
            }
        })*)*
    };
}

described! {
    bool, false: { bool => boolean(true); }
    f64, false: {
        Weight => weight();
        f64 => decimals();
        Hundredths => decimals();
    }
    &'static str, true: {
        String => plain_text("");
        Cow<'_, str> => plain_text("");
    }
    &'static str, false: {
        Date => Value::new(reference("schemas", "Date"), "31/01/2026");
        MedicineName => medicine();
        Currency => currency();
        LotText => lot();
        // Longer texts are read as well, if no more of them can be seen.
        LotKey => text(LotText::MAX, said_beside(&[SPACE, IGNORABLE].concat()), "A1");
        // An empty value means lots without a text.
        Option<LotKey> => plain_text("A1");
        MedicineKey => medicine();
        MedicinePrefix => text(MedicineName::MAX, said_beside(&[SPACE, IGNORABLE].concat()), "ibu");
        NamePrefix => not_blank(Name::MAX, "Ada Example");
        PatientIds => plain_text("6,7");
        FindText => plain_text("ada 1632").with("minLength", 1_i64).with("maxLength", FindText::MAX);
        DayPart => words(DayPart::ALL.iter().copied());
        Basis => words(Basis::ALL.iter().copied());
        MovementKind => words(MovementKind::ALL.iter().copied());
        MovementReason => words(MovementReason::ALL.iter().copied());
        ReceiptKind => words(ReceiptKind::ALL.iter().copied());
        PaymentMethod => words(PaymentMethod::ALL.iter().copied());
        RefundReason => words(RefundReason::ALL.iter().copied());
        PrescriptionState => words(PrescriptionState::ALL.iter().copied());
        InvoiceState => words(InvoiceState::ALL.iter().copied());
        ConsultationState => words(ConsultationState::ALL.iter().copied());
        ChangeKind => words(["put", "remove", "read"]);
        ShownKind => words(RecordKind::ALL.iter().copied().filter_map(told));
        JournaledKind => words(RecordKind::ALL.iter().copied().filter_map(RecordKind::journaled));
        Scope => words(Scopes::ALL.iter().map(Scope::as_str));
        Timestamp => plain_text("2026-03-15T12:00:00.000Z").with("format", "date-time");
        Link => plain_text("5b1d8a9f3c0e7264d5b1d8a9f3c0e7264d5b1d8a9f3c0e7264d5b1d8a9f3c0e7")
            .with("pattern", "^[0-9a-f]{64}$");
        // The holder of a key.
        Box<str> => not_blank(KeyName::MAX, "front desk");
    }
    i64, false: {
        Phone => ranged(Phone::MIN, Phone::MAX, 441_632_960_001);
        Age => ranged(Age::MIN, Age::MAX, 36);
        Price => ranged(Price::MIN, Price::MAX, 4);
        Delta => ranged(-Units::MAX, Units::MAX, 100);
        ServiceLevel => levels();
        i64 => Value::new(int64(), 0_i64);
        u64 => count(1);
        usize => count(1);
        // 0 stands for what is before the first entry.
        Seq => ranged(0_i64, i64::MAX, 12);
        EntryNumber => identifier(12);
        RecordId<'_> => Value::new(object().with("type", ["integer", "string"]), 7_i64);
    }
}

macro_rules! identifiers {
    ($($id:ident $series:ident $name:literal $of:literal)*) => {
        described! { i64, false: { $(crate::model::$id => identifier(if $name == "patientId" { 7 } else { 1 });)* } }

        /// Returns the meaning and the schema of the identifier that has this name in paths; `None` when none has it.
        pub(crate) fn identifier_in_path(name: &'static str) -> Option<(&'static str, Value)> {
            match name {
                $($name => Some((concat!($of, " identifier."), crate::model::$id::described(name))),)*
                _ => None,
            }
        }
    };
}

each_identifier!(identifiers);

// The rules of the model, which say the words, have the schemas of the same names below.
macro_rules! texts {
    ($($text:ident $rule:ident $example:literal)*) => {
        $(impl Described for crate::model::$text {
            type Example = &'static str;
            const NEEDS_EXAMPLE: bool = $example.is_empty();

            fn described(_: &'static str) -> Value {
                $rule(Self::MAX, $example)
            }
        })*
    };
}

each_text!(texts);

macro_rules! counts {
    ($($count:ident $example:literal)*) => {
        described! {
            i64, false: { $(crate::model::$count => ranged(Self::MIN, Self::MAX, $example);)* }
        }
    };
}

each_count!(counts);

/// Returns an identifier. Its format sets the upper limit.
pub(crate) fn identifier(example: i64) -> Value {
    Value::new(int64().with("minimum", PatientId::FIRST.value()), example)
}

pub(crate) fn count(example: i64) -> Value {
    Value::new(int64().with("minimum", 0_i64), example)
}

/// Returns a whole number in this range, both ends included.
pub(crate) fn ranged(min: impl Into<Node>, max: impl Into<Node>, example: i64) -> Value {
    Value::new(int64().with("minimum", min).with("maximum", max), example)
}

fn weight() -> Value {
    let schema = object().with("type", "number").with("format", "double");
    let schema = schema.with("exclusiveMinimum", Weight::ABOVE);
    Value::new(schema.with("maximum", Weight::MAX), 61.5)
}

pub(crate) fn boolean(example: bool) -> Value {
    Value::new(object().with("type", "boolean"), example)
}

pub(crate) fn medicine() -> Value {
    // Every pattern accepts `null`.
    let dots = object().with("type", "string");
    let dots = dots.with("pattern", format!(r"^[{SPACE}{IGNORABLE}]*\.([{IGNORABLE}]*\.)?[{SPACE}{IGNORABLE}]*$"));
    text(MedicineName::MAX, said_beside(&[SPACE, IGNORABLE].concat()), "Ibuprofen 400").with("not", dots)
}

fn lot() -> Value {
    let seen = format!("[^{FORBIDDEN}{SPACE}{IGNORABLE}]");
    text(LotText::MAX, format!(r"^{seen}([^{FORBIDDEN}\t\n]*{seen})?$"), "A1")
}

fn currency() -> Value {
    let answered = Some(reference("schemas", "StoredCurrency"));
    Value { answered, ..Value::new(reference("schemas", "Currency"), "EUR") }
}

fn levels() -> Value {
    let levels: Node = ServiceLevel::ALL.iter().map(|level| Node::from(level.percent())).collect();
    Value::new(object().with("type", "integer").with("enum", levels), 95_i64)
}

fn decimals() -> Value {
    Value::new(object().with("type", "number").with("format", "double").with("minimum", 0_i64), 0_i64)
}

/// Returns one of these words, of which the first is the example.
pub(crate) fn words<W: Into<&'static str>>(all: impl IntoIterator<Item = W>) -> Value {
    let all: Vec<&'static str> = all.into_iter().map(Into::into).collect();
    let words: Node = all.iter().map(|word| Node::from(*word)).collect();
    Value::new(object().with("type", "string").with("enum", words), all[0])
}

/// Returns a text of any characters that texts may contain.
fn anything(max: usize, example: &'static str) -> Value {
    text(max, format!("^[^{FORBIDDEN}]*$"), example)
}

/// Returns a text of at least one character.
fn not_empty(max: usize, example: &'static str) -> Value {
    anything(max, example).with("minLength", 1_i64)
}

/// Returns a text that is not all white space.
fn not_blank(max: usize, example: &'static str) -> Value {
    text(max, said_beside(SPACE), example)
}

/// Returns a text with a letter or a digit, which no pattern says in few words: that of a text that is not blank.
fn letter_or_digit(max: usize, example: &'static str) -> Value {
    not_blank(max, example)
}

fn address_of_mail(max: usize, example: &'static str) -> Value {
    let side = format!("[^@{FORBIDDEN}{SPACE}]+");
    text(max, format!("^{side}@{side}$"), example)
}

/// Returns a text without a pattern, whose reader checks it.
pub(crate) fn plain_text(example: impl Into<Node>) -> Value {
    Value::new(object().with("type", "string"), example)
}

/// Returns the values to which records refer by name.
pub(crate) fn components() -> [(&'static str, Node); 3] {
    let date = object()
        .with("type", "string")
        .with("description", "A calendar day, `DD/MM/YYYY`, of the years 1900 to 9999.")
        .with("pattern", DAY);
    let codes: Node = Currency::all().map(|code| Node::from(code.to_string())).collect();
    let currency =
        object().with("type", "string").with("description", "An active ISO 4217 currency code.").with("enum", codes);
    let stored = "An ISO 4217 currency code, which may have been withdrawn since it was stored.";
    let stored = object().with("type", "string").with("description", stored).with("pattern", "^[A-Z]{3}$");
    [("Date", date), ("Currency", currency), ("StoredCurrency", stored)]
}

fn int64() -> Node {
    object().with("type", "integer").with("format", "int64")
}

fn text(max: usize, pattern: String, example: &'static str) -> Value {
    let schema = object().with("type", "string").with("maxLength", max);
    Value::new(schema.with("pattern", pattern), example)
}

/// Returns the pattern of a text with a character that is none of these.
fn said_beside(nothing: &str) -> String {
    format!("^[^{FORBIDDEN}]*[^{FORBIDDEN}{nothing}][^{FORBIDDEN}]*$")
}
