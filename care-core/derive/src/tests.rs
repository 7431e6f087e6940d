//! Each mistake in a declaration is refused where it stands.

use syn::{DeriveInput, parse_str};

use super::expand;

/// Expands a declaration, and returns the tokens at fault and the message.
fn refusal(declaration: &str) -> (String, String) {
    let input: DeriveInput = parse_str(declaration).unwrap();
    match expand(&input) {
        Ok((_, None)) => panic!("accepted: {declaration}"),
        Ok((_, Some(misuse))) | Err(misuse) => (misuse.place.to_string(), misuse.message),
    }
}

/// Returns the code that a declaration makes.
fn expanded(declaration: &str) -> String {
    match expand(&parse_str(declaration).unwrap()) {
        Ok((made, None)) => made.to_string(),
        Ok((_, Some(misuse))) | Err(misuse) => panic!("{}: {}", misuse.place, misuse.message),
    }
}

/// Returns a record with a table, with these words and fields.
fn record(words: &str, fields: &str) -> String {
    format!("/// A row.\n#[record(table = \"row\", key(row_id) {words})] struct Row {{ row_id: RowId, {fields} }}")
}

fn is_refused(words: &str, fields: &str, place: &str, message: &str) {
    assert_eq!(refusal(&record(words, fields)), (place.to_owned(), message.to_owned()));
}

#[test]
fn what_is_right_is_expanded() {
    let fields = "#[field(edit, personal)] note: Option<Note>, #[field(kept)] day: Date";
    let text = expanded(&record(", indexed(day), details = RowDetails, new", fields));
    for made in [
        "Tabular for Row",
        "Date > (\"day\") . indexed ()",
        "struct RowDetails",
        "fn emptied",
        "fn filled",
        "const fn new (row_id : RowId , day : Date)",
    ] {
        assert!(text.contains(made), "{made}: {text}");
    }
    assert!(!text.contains("Documented"));
}

#[test]
fn a_document_has_what_is_always_there() {
    let declaration = r#"#[doc = "A row."] #[record(document = "Row")] struct Row {
        #[doc = "A."] #[field(optional, like = u64)] a: i64,
        #[doc = "B."] #[field(required)] b: Option<Note>,
        #[doc = "C."] #[serde(default)] c: Vec<Note>,
        #[doc = "D."] #[field(words(low, high))] d: Level,
    }"#;
    let text = expanded(declaration);
    for made in [
        "of :: < u64 > (\"a\" , \"A.\"))",
        "of :: < Note > (\"b\" , \"B.\") . required ())",
        "of :: < Vec < Note > > (\"c\" , \"C.\"))",
        "of_words (\"d\" , & [\"low\" , \"high\"] , \"D.\") . required ())",
    ] {
        assert!(text.contains(made), "{made}: {text}");
    }
}

#[test]
fn a_list_of_columns_names_columns_once() {
    is_refused(", indexed(nothing)", "", "nothing", "`nothing` is no column of the table");
    is_refused(
        ", moving(medicine_key)",
        "medicine: MedicineName",
        "medicine_key",
        "`medicine_key` is no column of the table",
    );
    is_refused(", indexed(day), moving(day)", "day: Date", "day", "`day` has a part in the table already");
    is_refused(", derived(day)", "day: Date", "day", "`day` is a field already");
    is_refused(", keyed(medicine)", "", "medicine", "`medicine` is no field");
    is_refused(", indexed", "", "indexed", "`indexed` needs names: `indexed(…)`");
    let keyless = refusal("#[record(table = \"row\")] struct Row { day: Date }");
    assert_eq!(keyless, ("\"row\"".to_owned(), "a table needs a `key(…)`".to_owned()));
}

#[test]
fn a_key_is_always_there_and_stays() {
    let optional = refusal("#[record(table = \"row\", key(day))] struct Row { day: Option<Date> }");
    assert_eq!(optional, ("Option < Date >".to_owned(), "a key is never absent".to_owned()));
    let edited = "#[record(table = \"row\", key(day), details = RowDetails)] struct Row { #[field(edit)] day: Date }";
    assert_eq!(refusal(edited), ("edit".to_owned(), "no request changes a key".to_owned()));
    let erased = "#[record(table = \"row\", key(day))] struct Row { #[field(personal)] day: Date }";
    assert_eq!(refusal(erased), ("personal".to_owned(), "an erasure leaves the key".to_owned()));
}

#[test]
fn each_field_says_whether_an_erasure_takes_it() {
    let fields = "#[field(personal)] note: Option<Note>, day: Date";
    is_refused("", fields, "day", "say whether an erasure takes the field: `personal` or `kept`");
    is_refused("", "#[field(personal, kept)] note: Option<Note>", "kept", "either `personal` or `kept`");
    is_refused("", "#[field(kept)] note: Option<Note>", "kept", "no field of the record is `personal`");
}

#[test]
fn what_is_edited_stands_in_details() {
    is_refused("", "#[field(edit)] note: Option<Note>", "edit", "only a record with `details` is edited");
    is_refused(", details = RowDetails", "note: Option<Note>", "RowDetails", "details without a field to `edit`");
    is_refused(", details = \"RowDetails\"", "", "\"RowDetails\"", "must be a name");
}

#[test]
fn a_document_has_sentences_for_strangers() {
    let document = ", document = \"Row\"";
    is_refused(document, "", "row_id", "a field of a document needs a comment");
    let linked = "#[record(document = \"Row\")]\n/// A row.\nstruct Row { /// A [`Date`].\n day: Date }";
    let message = "clients read the first paragraph of the comment: it links to no item";
    assert_eq!(refusal(linked), ("day".to_owned(), message.to_owned()));
    let mute = refusal("#[record(document = \"Row\")] struct Row {}");
    assert_eq!(mute, ("Row".to_owned(), "a documented record needs a comment".to_owned()));
    is_refused("", "#[field(example = 1)] day: Date", "1", "only a record with a `document` shows an example");
    is_refused(", root = \"Row\"", "", "\"Row\"", "only a record with a `document` has a root");
}

#[test]
fn words_are_known_and_said_once() {
    let (place, message) = refusal(&record("", "#[field(personel)] day: Date"));
    assert_eq!(place, "personel");
    assert!(
        message.starts_with("`personel` is not known here, as name, required, optional, ")
            && message.contains(" personal, ")
    );
    assert!(refusal(&record(", secondkey", "")).1.starts_with("`secondkey` is not known here, as keyed, "));
    is_refused("", "#[field(aside, aside)] day: Date", "aside", "`aside` is said twice");
    is_refused("", "#[field(aside)] #[field(aside)] day: Date", "aside", "`aside` is said twice");
    is_refused("", "#[field(edit = 1)] day: Date", "edit", "`edit` stands alone");
    is_refused("", "#[field(default)] day: Date", "default", "`default` needs a value: `default = …`");
    is_refused("", "#[field(name = from)] day: Date", "from", "must be a text");
}

#[test]
fn a_mistake_does_not_hide_what_follows() {
    let declaration = record(", details = RowDetails", "#[field(edit, personel)] note: Option<Note>");
    let (made, misuse) =
        expand(&parse_str(&declaration).unwrap()).unwrap_or_else(|misuse| panic!("{}", misuse.message));
    assert_eq!(misuse.map(|misuse| misuse.place.to_string()).as_deref(), Some("personel"));
    assert!(made.to_string().contains("struct RowDetails"));
}

#[test]
fn each_name_is_used_once() {
    let message = "another field is called `day` in documents";
    is_refused("", "day: Date, #[field(name = \"day\")] on: Date", "on", message);
    assert!(expanded(&record("", "r#type: Kind")).contains("rename = \"type\""));
    is_refused("", "#[field(default = 3)] n: Option<Age>", "3", "an optional field is absent unless it is set");
    let message = "only a record with a `document` has an example to be left out of";
    is_refused("", "#[field(aside)] day: Date", "day", message);
}

#[test]
fn only_a_struct_with_names_is_a_record() {
    assert_eq!(refusal("enum Row { One }"), ("Row".to_owned(), "only a struct is a record".to_owned()));
    assert_eq!(refusal("struct Row(Date);"), ("Row".to_owned(), "the fields of a record have names".to_owned()));
}
