//! Sentences of advice, made together with the rule and the figures from which they can be said in another language.

use std::borrow::Cow;

use care_derive::Record;

/// A sentence of advice without its words: the rule that it states, and the figures in it.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "Reasoning")]
pub struct Reasoning {
    /// The name of the rule. Rules may be added, and none is renamed.
    #[field(example = "position")]
    pub rule: Cow<'static, str>,
    /// The figures, in the order of the sentence.
    pub figures: Vec<Figure>,
}

/// A figure in a sentence of advice.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "Figure")]
pub struct Figure {
    /// The name of the figure.
    #[field(example = "available")]
    pub name: Cow<'static, str>,
    /// The figure as the sentence has it.
    #[field(example = "80")]
    pub value: String,
}

/// A sentence, and its reasoning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) text: String,
    pub(crate) reasoning: Reasoning,
}

/// Makes a [`Sentence`] of a rule from its words and the named figures in them. A figure that the words do not contain
/// does not compile.
macro_rules! sentence {
    ($rule:literal, $words:literal $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::stock::reasoning::Sentence {
            text: format!($words $(, $name = $value)*),
            reasoning: $crate::stock::reasoning::Reasoning {
                rule: ::std::borrow::Cow::Borrowed($rule),
                figures: vec![$($crate::stock::reasoning::Figure {
                    name: ::std::borrow::Cow::Borrowed(stringify!($name)),
                    value: $value.to_string(),
                }),*],
            },
        }
    };
}
pub(crate) use sentence;

impl Sentence {
    /// Parts sentences from their reasoning.
    pub(crate) fn part(sentences: Vec<Self>) -> (Vec<String>, Vec<Reasoning>) {
        sentences.into_iter().map(|sentence| (sentence.text, sentence.reasoning)).unzip()
    }
}
