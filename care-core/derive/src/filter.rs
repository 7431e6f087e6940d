//! The filter of a list, or the settings of a report, as the parameters by which a client asks for them.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{DeriveInput, Expr, Type, ext::IdentExt};

use crate::{
    declaration::{camel_case, inner, named_fields, sentence, text},
    document::{needs_example, showing},
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
    field: Ident,
    /// The name in queries.
    wire: String,
    ty: Type,
    /// The type of the value; `None` for a flag.
    value: Option<Type>,
    sentence: String,
    term: Option<Term>,
    unindexed: Option<Ident>,
    required: Option<Ident>,
    needs: Vec<Ident>,
    excludes: Vec<Ident>,
    example: Option<Expr>,
    /// Keywords of the schema.
    keywords: Vec<(&'static str, Expr)>,
}

/// The way in which a parameter chooses rows.
struct Term {
    /// One of the ways.
    way: Ident,
    column: Ident,
}

/// The comparisons, a word that a statement names, the beginning of a name, and the order of the rows.
const WAYS: [&str; 6] = ["equal", "at_least", "at_most", "word", "prefix", "descending"];

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
        for (place, parameter) in self.parameters.iter().enumerate() {
            parameter.check(self)?;
            if self.parameters[..place].iter().any(|other| other.wire == parameter.wire) {
                return Err(Misuse::at(&parameter.field, format!("another parameter is `{}`", parameter.wire)));
            }
            let Some(Term { way, column }) = &parameter.term else {
                continue;
            };
            if self.parameters[..place].iter().any(|other| other.chooses(&way.to_string(), column)) {
                return Err(Misuse::at(way, format!("another parameter says `{way}` of `{column}`")));
            }
            if way == "at_least" && !self.parameters.iter().any(|other| other.chooses("at_most", column)) {
                let message = format!("a period has two ends: no parameter is `at_most({column})`");
                return Err(Misuse::at(way, message));
            }
        }
        Ok(())
    }

    /// Returns the names of parameters, of which the fields have these names.
    fn wires(&self, fields: &[Ident]) -> Vec<&str> {
        let named = |field: &Ident| self.parameters.iter().find(|parameter| parameter.field == *field);
        fields.iter().filter_map(named).map(|parameter| &*parameter.wire).collect()
    }

    /// Returns each period: its first day, its last day, and the rule.
    fn periods(&self) -> impl Iterator<Item = (&Parameter, &Parameter, String)> {
        self.parameters.iter().filter_map(|from| {
            let column = &from.term.as_ref().filter(|term| term.way == "at_least")?.column;
            let to = self.parameters.iter().find(|to| to.chooses("at_most", column))?;
            Some((from, to, format!("must not be after {}", to.wire)))
        })
    }

    /// Implements `Filter`, and defines `filled`.
    fn values(&self) -> TokenStream {
        let name = &self.name;
        let declared =
            self.parameters.iter().map(|Parameter { wire, unindexed, required, needs, excludes, .. }| {
                let is_unindexed = unindexed.is_some();
                let required = required.as_ref().map(|_| quote!(crate::store::Beside::Required,));
                let rule = |names: &[Ident], rule: &str| {
                    let wires = self.wires(names);
                    let rule = rule.replace('…', &wires.join(" or "));
                    (!names.is_empty()).then(|| quote!(&[#(#wires),*], #rule))
                };
                let needs = rule(needs, "needs … beside it").map(|rule| quote!(crate::store::Beside::Needs(#rule),));
                let excludes = rule(excludes, "must not stand beside …");
                let excludes = excludes.map(|rule| quote!(crate::store::Beside::Excludes(#rule),));
                quote!(crate::store::Parameter {
                    name: #wire,
                    is_unindexed: #is_unindexed,
                    beside: &[#required #needs #excludes],
                })
            });
        let given = self.parameters.iter().map(|Parameter { field, wire, value, .. }| match value {
            Some(_) => quote!(self.#field.as_ref().map(|value| (#wire, crate::model::InQuery::text(value)))),
            None => quote!(self.#field.then(|| (#wire, "true".to_owned()))),
        });
        let filled =
            filled(self.parameters.iter().map(|Parameter { field, wire, ty, .. }| (field, &**wire, quote!(#ty))));
        quote! {
            impl crate::store::Filter for #name {
                const PARAMETERS: &'static [crate::store::Parameter] = &[#(#declared),*];

                fn parameters(&self) -> Vec<(&'static str, String)> {
                    [#(#given),*].into_iter().flatten().collect()
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
        let terms = self.parameters.iter().filter_map(|Parameter { field, term, .. }| {
            let Term { way, column } = term.as_ref()?;
            let (way, column) = (way.to_string(), column.to_string());
            let by = match &*way {
                "equal" => quote!(Equal),
                "at_least" => quote!(AtLeast),
                "at_most" => quote!(AtMost),
                "word" => return Some(quote!(.word(#column, filter.#field.map(<&'static str>::from)))),
                "descending" => return Some(quote!(.ordered(filter.#field))),
                // The names with a prefix are chosen below.
                "prefix" => return None,
                // A parameter that chose nothing would list every row.
                way => unreachable!("no term is made of `{way}`"),
            };
            Some(quote!(.filtered(#column, crate::store::Comparison::#by, filter.#field.as_ref())))
        });
        let named = self.parameters.iter().find(|parameter| parameter.chooses_by("prefix"));
        let named = named.map(|Parameter { field, .. }| quote!(.named(filter.#field.clone())));
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
            let (first, last, name) = (&from.field, &to.field, &from.wire);
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
        let fields = self.parameters.iter().map(|parameter| {
            let Parameter { wire, sentence, value, example, keywords, required, .. } = parameter;
            let Some(ty) = value else {
                return quote! {
                    crate::rest::openapi::Field::of::<bool>(#wire, #sentence).example(false).with("default", false)
                };
            };
            let needed = example.is_none().then(|| needs_example(&parameter.field, ty));
            let example = example.as_ref().map(|example| showing(example, ty));
            let keywords = keywords.iter().map(|(name, value)| quote!(.with(#name, #value)));
            let required = required.as_ref().map(|_| quote!(.required()));
            quote!({
                #needed
                crate::rest::openapi::Field::of::<#ty>(#wire, #sentence) #(#keywords)* #example #required
            })
        });
        quote! {
            #[cfg(feature = "openapi")]
            impl crate::rest::openapi::Asked for #name {
                fn members() -> Vec<crate::rest::openapi::Field> {
                    vec![#(#fields),*]
                }
            }
        }
    }
}

impl Parameter {
    fn of(field: &syn::Field) -> Result<Self, Misuse> {
        let name = field.ident.clone().ok_or_else(|| Misuse::at(field, "a parameter has a name"))?;
        let mut words = Words::of(&field.attrs, "filter")?;
        let wire = words.value("name")?.map(|value| text(&value)).transpose()?;
        let mut terms = Vec::new();
        for way in WAYS {
            terms.extend(words.name_or(way, &name)?.map(|(way, column)| Term { way, column }));
        }
        if let [_, second, ..] = terms.as_slice() {
            return Err(Misuse::at(&second.way, "a parameter chooses rows in one way"));
        }
        let mut keywords = Vec::new();
        for (word, keyword) in [("least", "minimum"), ("most", "maximum"), ("default", "default")] {
            keywords.extend(words.value(word)?.map(|value| (keyword, value)));
        }
        let parameter = Self {
            wire: wire.map_or_else(|| camel_case(&name.unraw().to_string()), |wire| wire.value()),
            ty: field.ty.clone(),
            value: inner(&field.ty),
            sentence: sentence(&field.attrs),
            term: terms.pop(),
            unindexed: words.flag("unindexed")?,
            required: words.flag("required")?,
            needs: words.names("needs")?,
            excludes: words.names("excludes")?,
            example: words.value("example")?,
            keywords,
            field: name,
        };
        words.close().map_or(Ok(parameter), Err)
    }

    fn chooses_by(&self, way: &str) -> bool {
        self.term.as_ref().is_some_and(|term| term.way == way)
    }

    fn chooses(&self, way: &str, column: &Ident) -> bool {
        self.term.as_ref().is_some_and(|term| term.way == way && term.column == *column)
    }

    fn check(&self, filter: &Filter) -> Result<(), Misuse> {
        let Self { field, ty, value, term, .. } = self;
        match (&filter.rows, term) {
            (Some(_), None) => {
                return Err(Misuse::at(field, format!("say how it chooses rows: {}", WAYS.join(", "))));
            }
            (None, Some(term)) => return Err(Misuse::at(&term.way, "only a filter with `rows(…)` chooses rows")),
            (Some(_), Some(_)) | (None, None) => {}
        }
        if let (None, Some(unindexed)) = (&filter.rows, &self.unindexed) {
            return Err(Misuse::at(unindexed, "only a filter with `rows(…)` has indexes"));
        }
        match value {
            Some(_) if self.chooses_by("descending") => return Err(Misuse::at(ty, "an order is a `bool`")),
            None if !matches!(ty, Type::Path(path) if path.path.is_ident("bool")) => {
                return Err(Misuse::at(ty, "a parameter may be absent: an `Option`, or a `bool`"));
            }
            None if !self.chooses_by("descending") && filter.rows.is_some() => {
                return Err(Misuse::at(ty, "a `bool` is an order; a column of truth values is met by an `Option`"));
            }
            _ => {}
        }
        if let (None, Some(said)) =
            (value, self.example.iter().chain(self.keywords.iter().map(|(_, value)| value)).next())
        {
            return Err(Misuse::at(said, "a `bool` is false unless it is set"));
        }
        for name in self.needs.iter().chain(&self.excludes) {
            if name == field {
                return Err(Misuse::at(name, "a parameter always stands beside itself"));
            }
            if filter.parameters.iter().all(|other| other.field != *name) {
                return Err(Misuse::at(name, format!("`{name}` is no parameter")));
            }
        }
        if self.sentence.is_empty() || self.sentence.contains("[`") {
            return Err(Misuse::at(field, "clients read the comment of a parameter, which links to no item"));
        }
        Ok(())
    }
}
