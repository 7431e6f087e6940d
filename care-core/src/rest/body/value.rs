//! The members of a request body, which both readers yield, their values, and the types as which they can be read.

use std::borrow::Cow;

use serde_json::value::RawValue;

/// The error for a body that is not a document, as one sentence that never quotes the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Syntax(pub(crate) &'static str);

/// The deepest nesting of records and lists, the document itself included. The contract needs three levels.
pub(crate) const MAX_DEPTH: usize = 16;

/// The error for a document that is nested more deeply.
pub(crate) const TOO_DEEP: Syntax = Syntax("The body is nested too deeply.");

/// The members of one record in document order. Repeated ones are included; the form refuses them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Members<'a> {
    pub(crate) fields: Vec<(Cow<'a, str>, Value<'a>)>,
    /// Whether they come from XML, where a list is its element repeated.
    pub(crate) markup: bool,
}

/// The value of a member.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    /// `null` in JSON, `xsi:nil` in XML.
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    List(Vec<Self>),
    Members(Members<'a>),
    /// Untyped text from XML. The type of the field decides how it is read.
    Markup(Cow<'a, str>),
}

/// A number in JSON's grammar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    /// A number written as an integer (no point, no exponent, not `-0`) within 64 bits.
    Integer(i64),
    /// Any other number that a double holds.
    Real(f64),
    /// A number that is too large for a double.
    Beyond,
}

/// A type as which a value is read.
pub(crate) trait Readable: Sized {
    /// Reads a value. The error is the fault of the field.
    fn read(value: Value<'_>) -> Result<Self, &'static str>;
}

macro_rules! readable {
    ($($ty:ty => $reader:ident;)*) => {
        $(impl Readable for $ty {
            fn read(value: Value<'_>) -> Result<Self, &'static str> {
                value.$reader()
            }
        })*
    };
}

readable! {
    String => text;
    i64 => integer;
    f64 => number;
    bool => boolean;
}

/// White space in XML, which may surround numbers and booleans.
pub(crate) const XML_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

impl Number {
    /// Returns a number in JSON's grammar, with white space around it; `None` for any other text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let literal = serde_json::from_str::<&RawValue>(text).ok()?.get();
        literal.starts_with(|first: char| first == '-' || first.is_ascii_digit()).then(|| Self::of(literal))
    }

    /// Returns a number in JSON's grammar. `-0` is not an integer: it would not read back as it was written.
    pub(crate) fn of(literal: &str) -> Self {
        if literal != "-0"
            && let Ok(integer) = literal.parse()
        {
            return Self::Integer(integer);
        }
        match literal.parse::<f64>() {
            Ok(real) if real.is_finite() => Self::Real(real),
            _ => Self::Beyond,
        }
    }
}

/// The error of each method is the fault of the field.
impl<'a> Value<'a> {
    pub(crate) fn integer(self) -> Result<i64, &'static str> {
        match self.numeric() {
            Some(Number::Integer(integer)) => Ok(integer),
            Some(_) => Err("must be an integer within 64 bits, without a point or an exponent"),
            None => Err("must be an integer"),
        }
    }

    pub(crate) fn number(self) -> Result<f64, &'static str> {
        match self.numeric() {
            Some(Number::Integer(integer)) => Ok(integer as f64),
            Some(Number::Real(real)) => Ok(real),
            Some(Number::Beyond) => Err("must be a number that a double can hold"),
            None => Err("must be a number"),
        }
    }

    pub(crate) fn text(self) -> Result<String, &'static str> {
        match self {
            Self::Text(text) | Self::Markup(text) => Ok(text.into_owned()),
            _ => Err("must be a string"),
        }
    }

    pub(crate) fn boolean(self) -> Result<bool, &'static str> {
        match self {
            Self::Bool(value) => Ok(value),
            Self::Markup(text) => match text.trim_matches(XML_SPACE) {
                "true" | "1" => Ok(true),
                "false" | "0" => Ok(false),
                _ => Err("must be true or false"),
            },
            _ => Err("must be true or false"),
        }
    }

    pub(crate) fn members(self) -> Result<Members<'a>, &'static str> {
        match self {
            Self::Members(members) => Ok(members),
            // XML cannot distinguish an empty record from an empty text.
            Self::Markup(text) if text.trim_matches(XML_SPACE).is_empty() => {
                Ok(Members { fields: Vec::new(), markup: true })
            }
            _ => Err("must be an object"),
        }
    }

    fn numeric(self) -> Option<Number> {
        match self {
            Self::Number(number) => Some(number),
            Self::Markup(text) => Number::read(&text),
            _ => None,
        }
    }
}
