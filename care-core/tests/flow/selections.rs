//! Selections: what queries and keys mean for tables.

use care_core::{
    model::{
        ConsultationId, ConsultationState, Date, InvoiceId, InvoiceState, LotId, LotText, MedicineKey, MovementId,
        MovementKind, PatientId, PrescriptionId, PrescriptionState, Timestamp,
    },
    store::{
        ConsultationFilter, InvoiceFilter, Key, MovementFilter, PatientFilter, PrescriptionFilter, Query, RecordKind,
        RequestKey, StockFilter, kinds,
        rows::{KeyRows, QueryRows, Selection, Table, Tabular, Term},
    },
};

fn table(kind: RecordKind) -> Table {
    macro_rules! tables {
        ($($kind:ident)*) => {
            match kind {
                $(RecordKind::$kind => kinds::$kind::TABLE,)*
            }
        };
    }
    care_core::record_kinds!(tables)
}

/// Returns the columns that a selection names.
fn named<'a>(selection: &'a Selection<'_>) -> impl Iterator<Item = &'a str> {
    let terms = selection.terms.iter().map(|term| match term {
        Term::Compared(columns, _, values) => {
            assert_eq!(columns.split(", ").count(), values.len());
            *columns
        }
        Term::Word(column, _) | Term::Null(column) | Term::NotTrue(column) => column,
    });
    let order = selection.order.trim_end_matches(" DESC");
    terms.chain([order]).flat_map(|columns| columns.split(", "))
}

#[test]
fn a_selection_names_columns_of_its_table() {
    let medicine = || MedicineKey::from_stored("aspirin");
    let (patient_id, day) = (Some(PatientId::FIRST), Some(Date::MAX));
    let expires_to = day;
    let lots = [None, Some(None), Some(Some(LotText::try_from("A".to_owned()).unwrap()))];
    let mut queries = vec![
        Query::Patients {
            filter: PatientFilter {
                name_prefix: None,
                phone: Some(441_632_960_001.try_into().unwrap()),
                email: Some("a@example.org".to_owned().try_into().unwrap()),
            },
            after: patient_id,
        },
        Query::Prescriptions {
            filter: PrescriptionFilter {
                patient_id,
                medicine: Some(medicine()),
                state: Some(PrescriptionState::Active),
            },
            after: Some(PrescriptionId::FIRST),
        },
        Query::SinglePrescriptions { after: Some(PrescriptionId::FIRST) },
        Query::Consultations {
            filter: ConsultationFilter { patient_id, state: Some(ConsultationState::Open) },
            after: Some(ConsultationId::FIRST),
        },
        Query::Invoices {
            filter: InvoiceFilter {
                patient_id,
                state: Some(InvoiceState::Unpaid),
                from: Some(Date::MIN),
                to: Some(Date::MAX),
                newest: true,
            },
            after: Some(InvoiceId::FIRST),
        },
        Query::Items { after: Some(medicine()) },
        Query::Demand { from: Date::MAX, to: Date::MAX, after: Some((Date::MAX, medicine())) },
        Query::DemandOf { medicine: medicine(), from: Date::MAX, to: Date::MAX },
        Query::RegularDemands { after: Some((medicine(), 30.try_into().unwrap())) },
        Query::Stocks { filter: StockFilter { expires_to }, after: Some(medicine()) },
        Query::OpenLots { after: Some((medicine(), LotId::default())) },
    ];
    queries.extend(lots.map(|lot| Query::Movements {
        filter: MovementFilter {
            medicine: Some(medicine()),
            lot,
            expires: day,
            kind: Some(MovementKind::Receipt),
            invoice_id: None,
            from: day,
            to: day,
        },
        after: Some(MovementId::FIRST),
    }));
    let request = RequestKey { actor: "a".into(), key: "k".into() };
    let keys = [
        Key::ActivePrescription(PatientId::FIRST, medicine()),
        Key::NewestPrescription(PatientId::FIRST, medicine()),
        Key::ActivePrescriptionFor(medicine()),
        Key::ActivePrescriptions(PatientId::FIRST),
        Key::PrescriptionsOf(PatientId::FIRST),
        Key::ConsultationsOf(PatientId::FIRST),
        Key::DiagnosesOf(PatientId::FIRST),
        Key::UnpaidInvoice(PrescriptionId::FIRST),
        Key::UnpaidInvoiceOf(PatientId::FIRST),
        Key::OpenLots(medicine()),
        Key::ReversalOf(MovementId::FIRST),
        Key::ReplyTo(request),
        Key::RepliesBefore(Timestamp::from_unix_millis(0).unwrap()),
    ];
    let of_queries = queries.iter().map(|query| match QueryRows::of(query) {
        QueryRows::Selected(selection) => selection,
        other => panic!("{other:?}"),
    });
    let of_keys = keys.iter().map(|key| match KeyRows::of(key) {
        KeyRows::Selected(selection) => selection,
        other => panic!("{other:?}"),
    });
    for selection in of_queries.chain(of_keys) {
        let columns: Vec<_> = table(selection.kind).all().map(|column| column.name).collect();
        assert!(named(&selection).all(|name| columns.contains(&name)), "{selection:?}");
    }
}

#[test]
fn a_cursor_before_the_period_means_its_beginning() {
    let (early, from) = (Date::from_unix_days(1).unwrap(), Date::from_unix_days(2).unwrap());
    let terms = |after: Option<Date>| {
        let after = after.map(|day| (day, MedicineKey::from_stored("aspirin")));
        let query = Query::Demand { from, to: from, after };
        format!("{:?}", QueryRows::of(&query))
    };
    assert_eq!(terms(Some(early)), terms(None));
    assert_ne!(terms(Some(from)), terms(None));
}
