//! The words of an attribute: flags, values, and lists of names or pairs.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    Attribute, Expr, Ident, Token,
    ext::IdentExt,
    parenthesized,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    token::Paren,
};

/// A mistake in a declaration.
#[derive(Debug)]
pub(crate) struct Misuse {
    /// The tokens at fault.
    pub(crate) place: TokenStream,
    pub(crate) message: String,
}

impl Misuse {
    pub(crate) fn at(place: &impl ToTokens, message: impl Into<String>) -> Self {
        Self { place: place.to_token_stream(), message: message.into() }
    }

    /// Returns the error that the compiler shows at the place.
    pub(crate) fn into_compile_error(self) -> TokenStream {
        syn::Error::new_spanned(self.place, self.message).into_compile_error()
    }
}

/// The words of all attributes of one name on an item. Each word is taken once; [`Words::close`] refuses those left.
pub(crate) struct Words {
    words: Vec<Word>,
    /// The words that were asked for.
    known: Vec<String>,
}

/// `word`, `word = value`, `word(name, …)` or `word(name = name, …)`.
struct Word {
    name: Ident,
    value: Option<Expr>,
    names: Vec<Ident>,
    pairs: Pairs,
}

/// `name = name, …`.
pub(crate) type Pairs = Vec<(Ident, Ident)>;

impl Words {
    pub(crate) fn of(attributes: &[Attribute], name: &str) -> Result<Self, Misuse> {
        let mut words: Vec<Word> = Vec::new();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
            let read = attribute.parse_args_with(Punctuated::<Word, Token![,]>::parse_terminated);
            words.extend(read.map_err(|error| Misuse::at(attribute, error.to_string()))?);
        }
        Ok(Self { words, known: Vec::new() })
    }

    /// Takes a word that stands alone.
    pub(crate) fn flag(&mut self, name: &str) -> Result<Option<Ident>, Misuse> {
        match self.take(name) {
            Some(Word { name, value: None, names, pairs }) if names.is_empty() && pairs.is_empty() => Ok(Some(name)),
            Some(Word { name, .. }) => Err(Misuse::at(&name, format!("`{name}` stands alone"))),
            None => Ok(None),
        }
    }

    /// Takes the value behind a word.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<Expr>, Misuse> {
        match self.take(name) {
            Some(Word { value: Some(value), .. }) => Ok(Some(value)),
            Some(Word { name, .. }) => Err(Misuse::at(&name, format!("`{name}` needs a value: `{name} = …`"))),
            None => Ok(None),
        }
    }

    /// Takes the names behind a word.
    pub(crate) fn names(&mut self, name: &str) -> Result<Vec<Ident>, Misuse> {
        match self.take(name) {
            Some(Word { names, pairs, .. }) if !names.is_empty() && pairs.is_empty() => Ok(names),
            Some(Word { name, .. }) => Err(Misuse::at(&name, format!("`{name}` needs names: `{name}(…)`"))),
            None => Ok(Vec::new()),
        }
    }

    /// Takes a word with pairs of names behind it, and returns it with them.
    pub(crate) fn pairs(&mut self, name: &str) -> Result<Option<(Ident, Pairs)>, Misuse> {
        match self.take(name) {
            Some(Word { name, names, pairs, .. }) if names.is_empty() && !pairs.is_empty() => Ok(Some((name, pairs))),
            Some(Word { name, .. }) => Err(Misuse::at(&name, format!("`{name}` needs pairs: `{name}(… = …)`"))),
            None => Ok(None),
        }
    }

    /// Takes a word with one name behind it, or this one where it stands alone, and returns both.
    pub(crate) fn name_or(&mut self, name: &str, usual: &Ident) -> Result<Option<(Ident, Ident)>, Misuse> {
        match self.take(name) {
            Some(Word { name, value: None, names, pairs }) if names.len() < 2 && pairs.is_empty() => {
                let behind = names.into_iter().next().unwrap_or_else(|| usual.clone());
                Ok(Some((name, behind)))
            }
            Some(Word { name, .. }) => Err(Misuse::at(&name, format!("`{name}` has one name: `{name}(…)`"))),
            None => Ok(None),
        }
    }

    /// Returns the words that stand here and were not taken yet.
    pub(crate) fn said(&self) -> Vec<Ident> {
        self.words.iter().map(|word| word.name.clone()).collect()
    }

    /// Returns the fault of a word that was not taken.
    pub(crate) fn close(self) -> Option<Misuse> {
        let Word { name, .. } = self.words.first()?;
        Some(match self.known.iter().any(|known| name == known) {
            true => Misuse::at(name, format!("`{name}` is said twice")),
            false => Misuse::at(name, format!("`{name}` is not known here, as {} are", self.known.join(", "))),
        })
    }

    fn take(&mut self, name: &str) -> Option<Word> {
        self.known.push(name.to_owned());
        let place = self.words.iter().position(|word| word.name == name)?;
        Some(self.words.remove(place))
    }
}

impl Parse for Word {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        let mut word = Self { name, value: None, names: Vec::new(), pairs: Vec::new() };
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            word.value = Some(input.parse()?);
        } else if input.peek(Paren) {
            let names;
            parenthesized!(names in input);
            while !names.is_empty() {
                // A word of a document may be one of Rust's.
                let name = names.call(Ident::parse_any)?;
                if names.peek(Token![=]) {
                    names.parse::<Token![=]>()?;
                    word.pairs.push((name, names.call(Ident::parse_any)?));
                } else {
                    word.names.push(name);
                }
                if !names.is_empty() {
                    names.parse::<Token![,]>()?;
                }
            }
        }
        Ok(word)
    }
}
