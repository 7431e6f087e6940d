//! Each mistake in a declaration is refused where it stands.

use syn::{DeriveInput, parse_str};

use super::{expand, filter};

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
    let fields = "#[field(edit, personal, extension)] note: Option<Note>, #[field(kept)] day: Date";
    let text = expanded(&record(", moving(day), details = RowDetails, new, person", fields));
    for made in [
        "fn documented (self) -> Self { Self { note : None , .. self } }",
        "EXTENSIONS : & 'static [& 'static str] = & [\"note\"]",
        "form . extended_by (Row :: EXTENSIONS) ;",
        "Tabular for Row",
        "Date > (\"day\") . moving ()",
        "struct RowDetails",
        "fn emptied",
        "const IS_EMPTIED : bool = true",
        "Some (crate :: store :: Subject :: Patient (self . row_id))",
        "fn filled",
        "const fn new (row_id : RowId , day : Date)",
    ] {
        assert!(text.contains(made), "{made}: {text}");
    }
    assert!(!text.contains("Documented for Row "));
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
fn a_body_has_its_reader_and_the_document_says_what_that_asks_for() {
    let declaration = r#"#[doc = "A row."] #[record(body, document = "RowInput")] struct Row {
        #[doc = "A."] a: Units,
        #[doc = "B."] b: Option<Note>,
        #[doc = "C."] #[field(default = false)] c: bool,
        #[doc = "D."] #[field(optional, most = 3)] d: Vec<Lot>,
        #[doc = "E."] #[field(group)] e: LotId,
    }"#;
    let text = expanded(declaration);
    for made in [
        "form . required (\"a\" , given)",
        "Some (form . field (\"b\") . value ())",
        "Some (form . field (\"c\") . value () . unwrap_or (false))",
        "Most :: of (3) }) . value () . unwrap_or_default ())",
        "FromForm :: read (form)",
        "of :: < Units > (\"a\" , \"A.\") . required ())",
        "of :: < bool > (\"c\" , \"C.\"))",
        ". input ()",
    ] {
        assert!(text.contains(made), "{made}: {text}");
    }
}

#[test]
fn a_list_of_columns_names_columns_once() {
    is_refused(", moving(nothing)", "", "nothing", "`nothing` is no column of the table");
    is_refused(
        ", moving(medicine_key)",
        "medicine: MedicineName",
        "medicine_key",
        "`medicine_key` is no column of the table",
    );
    is_refused(", moving(day, day)", "day: Date", "day", "`day` has a part in the table already");
    is_refused(", derived(day)", "day: Date", "day", "`day` is a field already");
    is_refused(", keyed(medicine)", "", "medicine", "`medicine` is no field");
    is_refused(", moving", "", "moving", "`moving` needs names: `moving(…)`");
    let keyless = refusal("#[record(table = \"row\")] struct Row { day: Date }");
    assert_eq!(keyless, ("\"row\"".to_owned(), "a table needs a `key(…)`".to_owned()));
}

#[test]
fn a_key_is_always_there_and_stays() {
    let optional = refusal("#[record(table = \"row\", key(day))] struct Row { day: Option<Date> }");
    assert_eq!(optional, ("Option < Date >".to_owned(), "a key is never absent".to_owned()));
    let edited = "#[record(table = \"row\", key(day), details = RowDetails)] struct Row { #[field(edit)] day: Date }";
    assert_eq!(refusal(edited), ("edit".to_owned(), "no request changes a key".to_owned()));
    let erased = "#[record(table = \"row\", key(day), person)] struct Row { #[field(personal)] day: Date }";
    assert_eq!(refusal(erased), ("personal".to_owned(), "an erasure leaves the key".to_owned()));
}

/// The words of a record that is a patient's, and its first field.
const OWNED: &str = ", owner(patient = patient_id, on_void = keep)";
const OWNER: &str = "#[field(kept)] patient_id: PatientId,";

#[test]
fn each_field_says_whether_an_erasure_takes_it() {
    let owned =
        |fields: &str, place: &str, message: &str| is_refused(OWNED, &format!("{OWNER} {fields}"), place, message);
    let unsaid = "say whether an erasure takes the field: `personal` or `kept`";
    owned("#[field(personal)] note: Option<Note>, day: Date", "day", unsaid);
    owned("day: Date", "day", unsaid);
    is_refused(OWNED, "patient_id: PatientId", "patient_id", unsaid);
    is_refused(", person", "day: Date", "day", unsaid);
    owned("#[field(personal, kept)] note: Option<Note>", "kept", "either `personal` or `kept`");
    is_refused(OWNED, "#[field(personal)] patient_id: PatientId", "personal", "an erasure leaves the owner");
    let ownerless = "an erasure takes nothing of a record without an owner";
    is_refused("", "#[field(kept)] note: Option<Note>", "kept", ownerless);
    let ownerless = "only a record that says whose it is has it: `owner(…)`, or `person`";
    is_refused("", "#[field(personal)] note: Option<Note>", "personal", ownerless);
}

#[test]
fn a_record_says_whose_it_is() {
    let text = expanded(&record(OWNED, &format!("{OWNER} #[field(personal)] note: Option<Note>")));
    for made in [
        "kind : crate :: store :: RecordKind :: Patient , column : \"patient_id\" ,",
        "on_void : crate :: store :: OnVoid :: Keep",
        "Option :: < crate :: model :: PatientId > :: from (self . patient_id)",
        ". map (crate :: store :: Subject :: Patient)",
        "left . note = Default :: default () ;",
        // An index begins with the column, as the compiler sees it.
        "beginning_with (< Row as crate :: store :: Entity > :: KIND , \"patient_id\") . is_some ()",
        "\"no index, and no key, begins with `patient_id`, the owner of the record\"",
    ] {
        assert!(text.contains(made), "{made}: {text}");
    }
    let optional = ", owner(on_void = remove, invoice = invoice_id)";
    let text = expanded(&record(optional, "#[field(kept)] invoice_id: Option<InvoiceId>"));
    assert!(
        text.contains("RecordKind :: Invoice , column : \"invoice_id\" , on_void : crate :: store :: OnVoid :: Remove")
    );
    // Where it begins the key, no index is needed, and nothing is left to say of it.
    let key = "#[record(table = \"row\", key(patient_id, day), owner(patient = patient_id, on_void = remove))]";
    let text = expanded(&format!("{key} struct Row {{ patient_id: PatientId, day: Date }}"));
    assert!(text.contains("OWNER") && !text.contains("beginning_with"), "{text}");
    assert!(!expanded(&record("", "day: Date")).contains("OWNER"));
}

#[test]
fn an_owner_is_a_patient_or_an_invoice_in_a_column() {
    let message = "say `owner(patient = …, on_void = …)`, or `invoice = …` for `patient = …`";
    for (owner, place) in [
        ("owner(patient = patient_id)", "owner"),
        ("owner(on_void = keep)", "owner"),
        ("owner(patient = patient_id, on_void = keep, on_void = keep)", "on_void"),
        ("owner(patient = patient_id, invoice = patient_id, on_void = keep)", "invoice"),
        ("owner(visit = patient_id, on_void = keep)", "visit"),
    ] {
        is_refused(&format!(", {owner}"), OWNER, place, message);
    }
    let way = "a voiding can `remove` the record, or `keep` it";
    is_refused(", owner(patient = patient_id, on_void = empty)", OWNER, "empty", way);
    is_refused(", owner(patient_id)", OWNER, "owner", "`owner` needs pairs: `owner(… = …)`");
    is_refused(OWNED, "", "patient_id", "`patient_id` is no column of the table");
    let medicine = ", keyed(medicine), owner(patient = medicine, on_void = keep)";
    is_refused(medicine, "medicine: MedicineName", "medicine", "`medicine` is no column of the table");
    is_refused(&format!(", person {OWNED}"), OWNER, "person", "a person has no owner");
    let tableless =
        refusal("#[record(owner(patient = patient_id, on_void = keep))] struct Row { patient_id: PatientId }");
    assert_eq!(tableless, ("owner".to_owned(), "only a record with a `table` says whose it is".to_owned()));
    let keyed = refusal("#[record(table = \"row\", key(a, b), person)] struct Row { a: PatientId, b: Date }");
    assert_eq!(keyed, ("person".to_owned(), "the key of a person is the number of the patient".to_owned()));
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
    is_refused("", "#[field(example = 1)] day: Date", "example", "only a record with a `document` has it");
    is_refused(", root = \"Row\"", "", "\"Row\"", "only a record with a `document` has a root");
    let rootless = "a record with a `root` is `answered(…)`, behind a segment by a field";
    is_refused(", answered(rows, row_id)", "", "rows", rootless);
    let declaration = |words: &str| {
        format!(
            "/// A.\n#[record(document = \"A\", root = \"A\", answered({words}))] struct A {{ /// B.\n a_id: AId, \
             /// C.\n #[serde(skip_serializing)] c: Date }}"
        )
    };
    assert_eq!(refusal(&declaration("rows")), ("rows".to_owned(), rootless.to_owned()));
    let made = expanded(&declaration("rows, a_id"));
    assert!(made.contains("numbered (base , \"rows\" , self . a_id . value ())"), "{made}");
    assert!(!made.contains("(\"c\" , \"C.\")"), "{made}");
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
}

#[test]
fn a_word_without_effect_is_refused() {
    for word in ["aside", "required", "optional", "like = u64", "most = 3", "words(low, high)"] {
        let place = word.split([' ', '(']).next().unwrap();
        let field = format!("#[field({word})] day: Date");
        is_refused("", &field, place, "only a record with a `document` has it");
    }
    let document =
        |field: &str| format!("#[doc = \"A.\"] #[record(document = \"A\")] struct A {{ #[doc = \"B.\"] {field} }}");
    for (field, place, message) in [
        ("#[field(required)] day: Date", "required", "documents always have the field"),
        ("#[field(optional)] day: Option<Date>", "optional", "documents need not have the field"),
        ("#[field(like = u64, words(low, high))] n: i64", "like", "words are no type"),
        ("#[field(group, most = 3)] others: Others", "most", "the fields of the group say it"),
        ("#[field(columns(a))] day: Pair", "columns", "only a record with a `table` has columns"),
    ] {
        assert_eq!(refusal(&document(field)), (place.to_owned(), message.to_owned()), "{field}");
    }
    let message = "only a field to `edit`, or of a record with `new`, has a default";
    is_refused("", "#[field(default = 3)] n: Age", "default", message);
    let keyed = refusal("#[record(keyed(medicine))] struct A { medicine: MedicineName }");
    assert_eq!(keyed, ("medicine".to_owned(), "only a record with a `table` has columns".to_owned()));
    is_refused(", group", "", "\"row\"", "a group stands in the table of another record");
}

#[test]
fn only_a_struct_with_names_is_a_record() {
    assert_eq!(refusal("enum Row { One }"), ("Row".to_owned(), "only a struct is a record".to_owned()));
    assert_eq!(refusal("struct Row(Date);"), ("Row".to_owned(), "the fields of a record have names".to_owned()));
}

/// Returns a filter of rows with these parameters.
fn choosing(fields: &str) -> String {
    format!("#[filter(rows(Row))] struct RowFilter {{ #[doc = \"Only these.\"] {fields} }}")
}

/// Expands the declaration of a filter, and returns the tokens at fault and the message.
fn filter_refusal(declaration: &str) -> (String, String) {
    match filter::expand(&parse_str(declaration).unwrap()) {
        Ok((_, None)) => panic!("accepted: {declaration}"),
        Ok((_, Some(misuse))) | Err(misuse) => (misuse.place.to_string(), misuse.message),
    }
}

fn is_refused_filter(fields: &str, place: &str, message: &str) {
    assert_eq!(filter_refusal(&choosing(fields)), (place.to_owned(), message.to_owned()));
}

#[test]
fn a_filter_is_all_that_follows_from_its_parameters() {
    let fields = r#"#[filter(equal(medicine_key))] medicine: Option<MedicineKey>,
        #[doc = "A."] #[filter(word, needs(medicine), unindexed)] kind: Option<Kind>,
        #[doc = "B."] #[filter(at_least(day))] from: Option<Date>,
        #[doc = "C."] #[filter(at_most(day), example = "15/03/2026")] to: Option<Date>,
        #[doc = "D."] #[filter(descending)] newest: bool"#;
    let made = filter::expand(&parse_str(&choosing(fields)).unwrap()).map(|(made, misuse)| (made.to_string(), misuse));
    let Ok((text, None)) = made else {
        panic!("refused: {fields}");
    };
    for made in [
        "filtered (\"medicine_key\" , crate :: store :: Comparison :: Equal , filter . medicine . as_ref ())",
        "word (\"kind\"",
        "ordered (filter . newest)",
        "\"kind\" , is_unindexed : true , beside : & [crate :: store :: Beside :: Needs (& [\"medicine\"]",
        "\"needs medicine beside it\")",
        "query . refuse (\"from\" , \"must not be after to\")",
        "of :: < Date > (\"to\" , \"C.\")",
        "Fill < Option < Date > >",
    ] {
        assert!(text.contains(made), "{made}: {text}");
    }
}

#[test]
fn a_parameter_chooses_rows_in_one_way_that_no_other_has() {
    let ways = "say how it chooses rows: equal, one_of, at_least, at_most, word, among, beginning, prefix, descending";
    is_refused_filter("day: Option<Date>", "day", ways);
    is_refused_filter("#[filter(equal, word)] kind: Option<Kind>", "word", "a parameter chooses rows in one way");
    let twice = "#[filter(equal)] day: Option<Date>, #[doc = \"A.\"] #[filter(equal(day))] on: Option<Date>";
    is_refused_filter(twice, "equal", "another parameter says `equal` of `day`");
    let named = "#[filter(equal)] day: Option<Date>, #[doc = \"A.\"] #[filter(name = \"day\", word)] on: Option<Date>";
    is_refused_filter(named, "on", "another field is called `day` in documents");
    is_refused_filter("#[filter(equal(a, b))] day: Option<Date>", "equal", "`equal` has one name: `equal(…)`");
    let half = "a period has two ends: no parameter is `at_most(day)`";
    is_refused_filter("#[filter(at_least(day))] from: Option<Date>", "at_least", half);
    is_refused_filter("#[filter(equal, kept)] day: Option<Date>", "kept", "only a field of a record has it");
    let message = "`above` is not known here, as name, required, optional, ";
    assert!(filter_refusal(&choosing("#[filter(above(day))] from: Option<Date>")).1.starts_with(message));
}

#[test]
fn a_parameter_may_be_absent_and_stands_beside_others() {
    let absent = "a parameter may be absent: an `Option`, or a `bool`";
    is_refused_filter("#[filter(equal)] day: Date", "Date", absent);
    is_refused_filter("#[filter(descending)] day: Option<Date>", "Option < Date >", "an order is a `bool`");
    let order = "a `bool` is an order; a column of truth values is met by an `Option`";
    is_refused_filter("#[filter(equal)] held: bool", "bool", order);
    is_refused_filter(
        "#[filter(descending, example = true)] newest: bool",
        "true",
        "a `bool` is false unless it is set",
    );
    is_refused_filter("#[filter(equal, needs(lot))] day: Option<Date>", "lot", "`lot` is no parameter");
    let itself = "a parameter always stands beside itself";
    is_refused_filter("#[filter(equal, excludes(day))] day: Option<Date>", "day", itself);
    let linked = "clients read the comment of a parameter, which links to no item";
    is_refused_filter("#[doc = \"A [`Date`].\"] #[filter(equal)] day: Option<Date>", "day", linked);
}

#[test]
fn only_a_filter_with_rows_chooses_rows() {
    let chooses = filter_refusal("struct Query { #[doc = \"A.\"] #[filter(equal)] day: Option<Date> }");
    assert_eq!(chooses, ("equal".to_owned(), "only a filter with `rows(…)` chooses rows".to_owned()));
    let indexed = filter_refusal("struct Query { #[doc = \"A.\"] #[filter(unindexed)] day: Option<Date> }");
    assert_eq!(indexed, ("unindexed".to_owned(), "only a filter with `rows(…)` has indexes".to_owned()));
    let message = "a filter says `rows(…)` of one kind of record, and nothing else";
    assert_eq!(filter_refusal("#[filter(row(A))] struct Query {}"), ("Query".to_owned(), message.to_owned()));
    assert_eq!(filter_refusal("enum Query {}"), ("Query".to_owned(), "only a struct is a filter".to_owned()));
}
