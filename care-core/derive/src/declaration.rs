//! A declared record.

use proc_macro2::{Ident, Span, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, Data, DeriveInput, Expr, ExprLit, Fields, GenericArgument, Generics, Lit, LitStr, Meta, PathArguments,
    Token, Type, TypeParamBound, ext::IdentExt, punctuated::Punctuated,
};

use crate::{
    owner::Ownership,
    words::{Misuse, Words},
};

/// A struct with `derive(Record)`.
pub(crate) struct Record {
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) fields: Vec<Field>,
    /// The first paragraph of its comment.
    pub(crate) sentence: String,
    pub(crate) table: Option<Table>,
    /// Its owner, or that it is the person.
    pub(crate) ownership: Option<Ownership>,
    pub(crate) is_group: bool,
    /// Whether it is the body of a request, or a part of one.
    pub(crate) is_body: bool,
    /// Whether a rule of the body is about several of its fields.
    pub(crate) is_judged: bool,
    pub(crate) has_new: bool,
    pub(crate) details: Option<Ident>,
    pub(crate) document: Option<LitStr>,
    pub(crate) root: Option<LitStr>,
    /// Whether the document has it once for each member that holds it, under that member's name.
    pub(crate) is_per_member: bool,
    /// The segment of the path behind which the record stands, and the field that follows it.
    pub(crate) answered: Vec<Ident>,
    /// A mistake that leaves the declaration readable.
    pub(crate) misuse: Option<Misuse>,
}

/// The table of a record. Its lists name columns.
pub(crate) struct Table {
    pub(crate) name: LitStr,
    pub(crate) key: Vec<Ident>,
    pub(crate) moving: Vec<Ident>,
    pub(crate) derived: Vec<Ident>,
}

pub(crate) struct Field {
    pub(crate) name: Ident,
    /// The name in documents.
    pub(crate) wire: String,
    pub(crate) ty: Type,
    /// The type of the value where the field is an `Option`.
    pub(crate) inner: Option<Type>,
    pub(crate) comment: Vec<Attribute>,
    pub(crate) sentence: String,
    /// The attributes for serde, beside the name.
    pub(crate) serde: Vec<Attribute>,
    pub(crate) is_key: bool,
    /// Whether a medicine stands in two columns, its key and its spelling.
    pub(crate) is_keyed: bool,
    /// Whether the field is a group of columns.
    pub(crate) is_group: bool,
    /// The parts of the value that have a column each.
    pub(crate) columns: Vec<Ident>,
    pub(crate) edit: Option<Ident>,
    pub(crate) personal: Option<Ident>,
    pub(crate) kept: Option<Ident>,
    /// Whether the interface document does not show the field.
    pub(crate) extension: Option<Ident>,
    pub(crate) is_aside: bool,
    /// Whether documents always have the member.
    pub(crate) is_required: bool,
    /// Whether a body repeats in it what the path names.
    pub(crate) is_named: bool,
    /// The value of a body with which the others are judged where this one is at fault.
    pub(crate) otherwise: Option<Expr>,
    /// The type that documents tell, the lengths of a list, and the words that may occur.
    pub(crate) like: Option<Expr>,
    pub(crate) least: Option<Expr>,
    pub(crate) most: Option<Expr>,
    pub(crate) words: Vec<Ident>,
    pub(crate) example: Option<Expr>,
    pub(crate) default: Option<Expr>,
    /// The words of its attributes.
    pub(crate) said: Vec<Ident>,
}

impl Record {
    pub(crate) fn of(input: &DeriveInput) -> Result<Self, Misuse> {
        let named = named_fields(input, "record")?;
        let mut words = Words::of(&input.attrs, "record")?;
        let keyed = words.names("keyed")?;
        let table = Table::of(&mut words)?;
        let ownership = Ownership::of(&mut words)?;
        let mut unread = None;
        let fields = named.iter().map(|field| {
            let mut words = Words::of(&field.attrs, "field")?;
            let field = Field::of(field, &mut words, &keyed, table.as_ref())?;
            unread = unread.take().or(words.close());
            Ok(field)
        });
        let mut record = Self {
            name: input.ident.clone(),
            generics: input.generics.clone(),
            fields: fields.collect::<Result<_, _>>()?,
            sentence: sentence(&input.attrs),
            table,
            ownership,
            is_group: words.flag("group")?.is_some(),
            is_body: words.flag("body")?.is_some(),
            is_judged: words.flag("judged")?.is_some(),
            has_new: words.flag("new")?.is_some(),
            details: words.value("details")?.map(|value| ident(&value)).transpose()?,
            document: words.value("document")?.map(|value| text(&value)).transpose()?,
            root: words.value("root")?.map(|value| text(&value)).transpose()?,
            is_per_member: words.flag("per_member")?.is_some(),
            answered: words.names("answered")?,
            misuse: None,
        };
        record.misuse = words.close().or(unread).or_else(|| record.check(&keyed).err());
        Ok(record)
    }

    /// Returns the fields that a request names.
    pub(crate) fn edited(&self) -> impl Iterator<Item = &Field> + Clone {
        self.fields.iter().filter(|field| field.edit.is_some())
    }

    /// Returns the fields that the interface document does not show.
    pub(crate) fn extensions(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.extension.is_some())
    }

    /// Returns the generics of an implementation that needs this of each type.
    pub(crate) fn generics_with(&self, bound: &TypeParamBound) -> Generics {
        let mut generics = self.generics.clone();
        for parameter in generics.type_params_mut() {
            parameter.default = None;
            parameter.bounds.push(bound.clone());
        }
        generics
    }

    /// Returns the fields that an erasure takes.
    pub(crate) fn personal(&self) -> impl Iterator<Item = &Field> + Clone {
        self.fields.iter().filter(|field| field.personal.is_some())
    }

    /// Returns the name of each column that a field has, in the table's order.
    pub(crate) fn columns(&self) -> Vec<String> {
        let of = |field: &Field| {
            let name = field.name.unraw().to_string();
            if field.is_keyed { vec![format!("{name}_key"), name] } else { vec![name] }
        };
        self.fields.iter().flat_map(of).collect()
    }
}

impl Table {
    fn of(words: &mut Words) -> Result<Option<Self>, Misuse> {
        let Some(name) = words.value("table")? else {
            return Ok(None);
        };
        let name = text(&name)?;
        let table =
            Self { key: words.names("key")?, moving: words.names("moving")?, derived: words.names("derived")?, name };
        if table.key.is_empty() {
            return Err(Misuse::at(&table.name, "a table needs a `key(…)`"));
        }
        Ok(Some(table))
    }
}

impl Field {
    /// Returns whether documents never have the field.
    pub(crate) fn is_unwritten(&self) -> bool {
        let is_said = |word| self.serde.iter().any(|attribute| says(attribute, word));
        is_said("skip_serializing") && !is_said("skip_serializing_if")
    }

    /// Reads the words of a field. It leaves those that it does not know.
    pub(crate) fn of(
        field: &syn::Field,
        words: &mut Words,
        keyed: &[Ident],
        table: Option<&Table>,
    ) -> Result<Self, Misuse> {
        let name = field.ident.clone().unwrap_or_else(|| Ident::new("unnamed", Span::call_site()));
        let is_keyed = keyed.contains(&name);
        let column = if is_keyed { format!("{name}_key") } else { name.to_string() };
        let said = words.said();
        let wire = words.value("name")?.map(|value| text(&value)).transpose()?;
        let (inner, serde) = (inner(&field.ty), named(&field.attrs, "serde"));
        let is_left_out = inner.is_some() || serde.iter().any(|attribute| says(attribute, "default"));
        let (is_required, is_optional) = (words.flag("required")?.is_some(), words.flag("optional")?.is_some());
        Ok(Self {
            wire: wire.map_or_else(|| camel_case(&name.unraw().to_string()), |wire| wire.value()),
            inner,
            ty: field.ty.clone(),
            comment: named(&field.attrs, "doc"),
            sentence: sentence(&field.attrs),
            serde,
            is_key: table.is_some_and(|table| table.key.iter().any(|key| *key == column)),
            is_keyed,
            is_group: words.flag("group")?.is_some(),
            columns: words.names("columns")?,
            edit: words.flag("edit")?,
            personal: words.flag("personal")?,
            kept: words.flag("kept")?,
            extension: words.flag("extension")?,
            is_aside: words.flag("aside")?.is_some(),
            is_required: (is_required || !is_left_out) && !is_optional,
            is_named: words.flag("named")?.is_some(),
            otherwise: words.value("otherwise")?,
            like: words.value("like")?,
            least: words.value("least")?,
            most: words.value("most")?,
            words: words.names("words")?,
            example: words.value("example")?,
            default: words.value("default")?,
            name,
            said,
        })
    }

    /// Returns the type of the value, where there is one.
    pub(crate) fn value(&self) -> &Type {
        self.inner.as_ref().unwrap_or(&self.ty)
    }

    /// Returns whether a request can clear the field. One without a default, which is never absent, it cannot.
    pub(crate) const fn is_cleared(&self) -> bool {
        self.inner.is_some() || self.default.is_some()
    }
}

/// Returns the fields of a struct.
pub(crate) fn named_fields<'a>(
    input: &'a DeriveInput,
    what: &str,
) -> Result<&'a Punctuated<syn::Field, Token![,]>, Misuse> {
    let Data::Struct(data) = &input.data else {
        return Err(Misuse::at(&input.ident, format!("only a struct is a {what}")));
    };
    let Fields::Named(named) = &data.fields else {
        return Err(Misuse::at(&input.ident, format!("the fields of a {what} have names")));
    };
    Ok(&named.named)
}

/// Returns the type inside an `Option`.
fn inner(ty: &Type) -> Option<Type> {
    let Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(inner)) => Some(inner.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn named(attributes: &[Attribute], name: &str) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident(name)).cloned().collect()
}

/// Returns whether an attribute for serde has this word.
pub(crate) fn says(attribute: &Attribute, word: &str) -> bool {
    attribute.to_token_stream().into_iter().any(|token| match token {
        TokenTree::Group(group) => group.stream().to_string().contains(word),
        _ => false,
    })
}

/// Returns the first paragraph of a comment, in one line.
fn sentence(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(comment) if comment.path.is_ident("doc") => text(&comment.value).ok(),
        _ => None,
    });
    let lines = lines.map(|line| line.value().trim().to_owned());
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn text(value: &Expr) -> Result<LitStr, Misuse> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.clone()),
        value => Err(Misuse::at(value, "must be a text")),
    }
}

fn ident(value: &Expr) -> Result<Ident, Misuse> {
    match value {
        Expr::Path(path) if path.path.get_ident().is_some() => Ok(path.path.segments[0].ident.clone()),
        value => Err(Misuse::at(value, "must be a name")),
    }
}

/// Returns a field's name as documents write it.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| name + &part[..1].to_uppercase() + &part[1..])
}
