//! The filter of a list, or the settings of a report, as the parameters by which a client asks for them.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{DeriveInput, Type};

use crate::{
    checks::check_names,
    declaration::{Field, named_fields},
    document::{all, member},
    members::filled,
    words::{Misuse, Words},
};

/// A struct with `derive(Filter)`.
struct Filter {
    name: Ident,
    /// The kind of record whose rows it chooses.
    rows: Option<Ident>,
    parameters: Vec<Parameter>,
}

struct Parameter {
    /// The field, which is an `Option` or a flag.
    field: Field,
    term: Option<Term>,
    unindexed: Option<Ident>,
    needs: Vec<Ident>,
    empty_needs: Vec<Ident>,
    excludes: Vec<Ident>,
}

/// The choice of rows by a parameter.
struct Term {
    /// The word of the declaration.
    said: Ident,
    way: Way,
    column: Ident,
}

/// The way in which a parameter chooses rows: the comparisons, a word that a statement names, an index of other rows,
/// the beginning of a text, that of a patient's name, and the order of the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Equal,
    OneOf,
    AtLeast,
    AtMost,
    Word,
    Among,
    Beginning,
    Prefix,
    Descending,
}

/// The ways, each by its word in a declaration.
const WAYS: [(&str, Way); 9] = [
    ("equal", Way::Equal),
    ("one_of", Way::OneOf),
    ("at_least", Way::AtLeast),
    ("at_most", Way::AtMost),
    ("word", Way::Word),
    ("among", Way::Among),
    ("beginning", Way::Beginning),
    ("prefix", Way::Prefix),
    ("descending", Way::Descending),
];

/// The other words of a parameter, some of which a field of a record has too.
const OTHERS: [&str; 10] =
    ["name", "required", "example", "default", "least", "most", "unindexed", "needs", "empty_needs", "excludes"];

/// Returns what follows from the declaration of a filter, and a mistake in it.
pub(crate) fn expand(input: &DeriveInput) -> Result<(TokenStream, Option<Misuse>), Misuse> {
    let mut words = Words::of(&input.attrs, "filter")?;
    let rows = words.names("rows")?;
    let (None, [] | [_]) = (words.close(), rows.as_slice()) else {
        return Err(Misuse::at(&input.ident, "a filter says `rows(…)` of one kind of record, and nothing else"));
    };
    let fields = named_fields(input, "filter")?.iter();
    let parameters = fields.map(Parameter::of).collect::<Result<Vec<_>, _>>()?;
    let filter = Filter { name: input.ident.clone(), rows: rows.into_iter().next(), parameters };
    let made = [filter.values(), filter.list(), filter.query(), filter.document()].into_iter().collect();
    Ok((made, filter.check().err()))
}

impl Filter {
    fn check(&self) -> Result<(), Misuse> {
        check_names(self.parameters.iter().map(|parameter| &parameter.field))?;
        for (place, parameter) in self.parameters.iter().enumerate() {
            parameter.check(self)?;
            let Some(Term { said, way, column }) = &parameter.term else {
                continue;
            };
            if self.parameters[..place].iter().any(|other| other.chooses(*way, column)) {
                return Err(Misuse::at(said, format!("another parameter says `{said}` of `{column}`")));
            }
            if *way == Way::AtLeast && !self.parameters.iter().any(|other| other.chooses(Way::AtMost, column)) {
                let message = format!("a period has two ends: no parameter is `at_most({column})`");
                return Err(Misuse::at(said, message));
            }
        }
        Ok(())
    }

    /// Returns the names of parameters, of which the fields have these names.
    fn wires(&self, fields: &[Ident]) -> Vec<&str> {
        let named = |name: &Ident| self.parameters.iter().find(|parameter| parameter.field.name == *name);
        fields.iter().filter_map(named).map(|parameter| &*parameter.field.wire).collect()
    }

    /// Returns each period: its first day, its last day, and the rule.
    fn periods(&self) -> impl Iterator<Item = (&Field, &Field, String)> {
        self.parameters.iter().filter_map(|from| {
            let column = &from.term.as_ref().filter(|term| term.way == Way::AtLeast)?.column;
            let to = self.parameters.iter().find(|to| to.chooses(Way::AtMost, column))?;
            Some((&from.field, &to.field, format!("must not be after {}", to.field.wire)))
        })
    }

    /// Implements `Filter`, and defines `filled`.
    fn values(&self) -> TokenStream {
        let name = &self.name;
        let declared = self.parameters.iter().map(|parameter| {
            let Parameter { field, unindexed, needs, empty_needs, excludes, .. } = parameter;
            let (wire, is_unindexed) = (&field.wire, unindexed.is_some());
            let required = is_required(field).then(|| quote!(crate::store::Beside::Required,));
            let rule = |names: &[Ident], rule: &str| {
                let wires = self.wires(names);
                let rule = rule.replace('…', &wires.join(" or "));
                (!names.is_empty()).then(|| quote!(&[#(#wires),*], #rule))
            };
            let needs = rule(needs, "needs … beside it").map(|rule| quote!(crate::store::Beside::Needs(#rule),));
            let empty = rule(empty_needs, "needs … beside an empty value");
            let empty = empty.map(|rule| quote!(crate::store::Beside::EmptyNeeds(#rule),));
            let excludes = rule(excludes, "must not stand beside …");
            let excludes = excludes.map(|rule| quote!(crate::store::Beside::Excludes(#rule),));
            quote!(crate::store::Parameter {
                name: #wire,
                is_unindexed: #is_unindexed,
                beside: &[#required #needs #empty #excludes],
            })
        });
        let fields = self.parameters.iter().map(|parameter| &parameter.field);
        let given = fields.clone().map(|Field { name, wire, inner, .. }| match inner {
            Some(_) => quote!(self.#name.as_ref().map(|value| (#wire, crate::model::InQuery::text(value)))),
            None => quote!(self.#name.then(|| (#wire, "true".to_owned()))),
        });
        let length = self.parameters.len();
        let filled = filled(fields.map(|Field { name, wire, ty, .. }| (name, &**wire, quote!(#ty))));
        quote! {
            impl crate::store::Filter for #name {
                const PARAMETERS: &'static [crate::store::Parameter] = &[#(#declared),*];

                fn parameters(&self) -> Vec<(&'static str, String)> {
                    let given: [Option<(&'static str, String)>; #length] = [#(#given),*];
                    given.into_iter().flatten().collect()
                }
            }

            impl #name {
                #filled
            }
        }
    }

    /// Defines the list of the records that meet the filter.
    fn list(&self) -> TokenStream {
        let (name, Some(record)) = (&self.name, &self.rows) else {
            return TokenStream::new();
        };
        let terms = self.parameters.iter().filter_map(|Parameter { field: Field { name, .. }, term, .. }| {
            let Term { way, column: named, .. } = term.as_ref()?;
            let column = named.to_string();
            let by = match way {
                Way::Equal => quote!(Equal),
                Way::AtLeast => quote!(AtLeast),
                Way::AtMost => quote!(AtMost),
                Way::Word => return Some(quote!(.word(#column, filter.#name.map(<&'static str>::from)))),
                Way::OneOf => return Some(quote!(.one_of(#column, filter.#name.as_ref()))),
                Way::Among => {
                    return Some(quote!(.among(&crate::store::ask::index::#named, filter.#name.as_ref())));
                }
                Way::Beginning => return Some(quote!(.beginning(#column, filter.#name.as_ref()))),
                Way::Descending => return Some(quote!(.ordered(filter.#name))),
                // The names with a prefix are chosen below.
                Way::Prefix => return None,
            };
            Some(quote!(.filtered(#column, crate::store::Comparison::#by, filter.#name.as_ref())))
        });
        let named = self.parameters.iter().find(|parameter| parameter.chooses_by(Way::Prefix));
        let named = named.map(|Parameter { field: Field { name, .. }, .. }| quote!(.named(filter.#name.clone())));
        let about = format!(
            "Lists the records that meet a filter, by key: those behind a key. See [`{name}`](crate::store::{name})."
        );
        quote! {
            impl #record {
                #[doc = #about]
                pub fn list(
                    filter: &#name,
                    after: Option<<Self as crate::store::Entity>::Id>,
                ) -> crate::store::List<Self> {
                    let rows = crate::store::Selection::of(crate::store::RecordKind::#record)#(#terms)*;
                    crate::store::List::of(rows, after.map(<Self as crate::store::Entity>::key))#named
                }
            }
        }
    }

    /// Implements the reader of the query.
    fn query(&self) -> TokenStream {
        let name = &self.name;
        let periods = self.periods().map(|(from, to, rule)| {
            let (first, last, name) = (&from.name, &to.name, &from.wire);
            quote! {
                if read.#first.zip(read.#last).is_some_and(|(first, last)| first > last) {
                    query.refuse(#name, #rule);
                }
            }
        });
        quote! {
            #[cfg(feature = "rest")]
            impl crate::rest::Queried for #name {
                fn read(query: &mut crate::rest::Parameters) -> Self {
                    let read = Self::filled(query);
                    #(#periods)*
                    query.check(<Self as crate::store::Filter>::PARAMETERS);
                    read
                }
            }
        }
    }

    /// Implements the description of the parameters.
    fn document(&self) -> TokenStream {
        let name = &self.name;
        let members = all(self.parameters.iter().map(|Parameter { field, .. }| {
            let default = match (&field.inner, &field.default) {
                (None, _) => Some(quote!(.example(false).with("default", false))),
                (Some(_), default) => default.as_ref().map(|default| quote!(.with("default", #default))),
            };
            let required = is_required(field).then(|| quote!(.required()));
            member(field, ["minimum", "maximum"], Some(quote!(#default #required)))
        }));
        quote! {
            #[cfg(feature = "openapi")]
            impl crate::rest::openapi::Asked for #name {
                #members
            }
        }
    }
}

/// Returns whether a query must have the parameter.
const fn is_required(field: &Field) -> bool {
    field.inner.is_some() && field.is_required
}

impl Parameter {
    fn of(field: &syn::Field) -> Result<Self, Misuse> {
        let mut words = Words::of(&field.attrs, "filter")?;
        let field = Field::of(field, &mut words, &[], None)?;
        let mut terms = Vec::new();
        for (word, way) in WAYS {
            terms.extend(words.name_or(word, &field.name)?.map(|(said, column)| Term { said, way, column }));
        }
        if let [_, second, ..] = terms.as_slice() {
            return Err(Misuse::at(&second.said, "a parameter chooses rows in one way"));
        }
        let parameter = Self {
            term: terms.pop(),
            unindexed: words.flag("unindexed")?,
            needs: words.names("needs")?,
            empty_needs: words.names("empty_needs")?,
            excludes: words.names("excludes")?,
            field,
        };
        words.close().map_or(Ok(parameter), Err)
    }

    fn chooses_by(&self, way: Way) -> bool {
        self.term.as_ref().is_some_and(|term| term.way == way)
    }

    fn chooses(&self, way: Way, column: &Ident) -> bool {
        self.term.as_ref().is_some_and(|term| term.way == way && term.column == *column)
    }

    fn check(&self, filter: &Filter) -> Result<(), Misuse> {
        let Self { field: Field { name, ty, inner, sentence, .. }, term, .. } = self;
        let ways = WAYS.map(|(word, _)| word);
        let is_unknown = |word: &&Ident| ways.iter().chain(&OTHERS).all(|known| *word != known);
        if let Some(word) = self.field.said.iter().find(is_unknown) {
            return Err(Misuse::at(word, "only a field of a record has it"));
        }
        match (&filter.rows, term) {
            (Some(_), None) => {
                return Err(Misuse::at(name, format!("say how it chooses rows: {}", ways.join(", "))));
            }
            (None, Some(term)) => return Err(Misuse::at(&term.said, "only a filter with `rows(…)` chooses rows")),
            (Some(_), Some(_)) | (None, None) => {}
        }
        if let (None, Some(unindexed)) = (&filter.rows, &self.unindexed) {
            return Err(Misuse::at(unindexed, "only a filter with `rows(…)` has indexes"));
        }
        match inner {
            Some(_) if self.chooses_by(Way::Descending) => return Err(Misuse::at(ty, "an order is a `bool`")),
            None if !matches!(ty, Type::Path(path) if path.path.is_ident("bool")) => {
                return Err(Misuse::at(ty, "a parameter may be absent: an `Option`, or a `bool`"));
            }
            None if !self.chooses_by(Way::Descending) && filter.rows.is_some() => {
                return Err(Misuse::at(ty, "a `bool` is an order; a column of truth values is met by an `Option`"));
            }
            _ => {}
        }
        let Field { example, default, least, most, .. } = &self.field;
        if let (None, Some(value)) = (inner, [example, default, least, most].into_iter().flatten().next()) {
            return Err(Misuse::at(value, "a `bool` is false unless it is set"));
        }
        for other in self.needs.iter().chain(&self.empty_needs).chain(&self.excludes) {
            if other == name {
                return Err(Misuse::at(other, "a parameter always stands beside itself"));
            }
            if filter.parameters.iter().all(|parameter| parameter.field.name != *other) {
                return Err(Misuse::at(other, format!("`{other}` is no parameter")));
            }
        }
        if sentence.is_empty() || sentence.contains("[`") {
            return Err(Misuse::at(name, "clients read the comment of a parameter, which links to no item"));
        }
        Ok(())
    }
}
