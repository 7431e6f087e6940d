//! Lists of texts and of records.

use super::*;

#[test]
fn a_fault_in_a_list_is_named_by_its_place() {
    assert_eq!(
        from_json(r#""diseases":["x",null,"y",3,""]"#),
        decode([("diseases[1]", "must be a string"), ("diseases[3]", "must be a string")])
    );
    assert_eq!(from_json(r#""diseases":["x",""]"#), rules([("diseases[1]", "must not be empty")]));
    for list in ["{}", r#""x""#, "7", "true"] {
        assert_eq!(from_json(&format!("\"diseases\":{list}")), decode([("diseases", "must be a list")]));
        assert_eq!(from_json(&format!("\"items\":{list}")), decode([("items", "must be a list")]));
    }
    assert_eq!(
        from_json(r#""items":[{},{"medicine":"x","price":true},null,[],{"medicine":null},{"medicine":1}]"#),
        decode([
            ("items[0].medicine", "is required"),
            ("items[1].price", "must be an integer"),
            ("items[2]", "must be an object"),
            ("items[3]", "must be an object"),
            ("items[4].medicine", "is required"),
            ("items[5].medicine", "must be a string"),
        ])
    );
    assert_eq!(
        from_json(r#""items":[{"medicine":"","price":999}]"#),
        rules([("items[0].medicine", "must not be empty"), ("items[0].price", "must be 0 to 150")])
    );
}

#[test]
fn the_elements_of_a_list_that_is_too_long_are_not_read() {
    let long = |element: &str| [element; 7].join(",");
    for (list, element) in [("diseases", "3"), ("diseases", r#""x""#), ("items", "{}"), ("items", "null")] {
        assert_eq!(from_json(&format!("\"{list}\":[{}]", long(element))), rules([(list, "must be at most 6")]));
    }
    let long = "<diseases><child/></diseases>".repeat(7);
    assert_eq!(from_xml(&long), rules([("diseases", "must be at most 6")]));
}

#[test]
fn a_list_in_xml_is_its_element_repeated() {
    let two = Ok(Record { diseases: vec![name("x"), name(" ")].into(), ..NOTHING });
    assert_eq!(
        from_xml("<diseases>x</diseases><age xsi:nil='1'/><diseases> </diseases>"),
        two.map(|record| Record { age: Patch::Clear, ..record })
    );
    assert_eq!(from_xml("<diseases xsi:nil='true'/>"), Ok(Record { diseases: Patch::Clear, ..NOTHING }));
    assert_eq!(from_xml("<items xsi:nil='true'/>"), Ok(Record { items: Patch::Clear, ..NOTHING }));
    assert_eq!(
        from_xml("<diseases>x</diseases><diseases xsi:nil='1'/><diseases xsi:nil='1'/>"),
        decode([("diseases[1]", "must be a string"), ("diseases[2]", "must be a string")])
    );
    assert_eq!(
        from_xml("<items>x</items><items xsi:nil='1'/>"),
        decode([("items[0]", "must be an object"), ("items[1]", "must be an object")])
    );
    for empty in ["<items/>", "<items> \n</items>", "<items><!-- --></items>"] {
        assert_eq!(from_xml(empty), decode([("items[0].medicine", "is required")]), "{empty}");
    }
    let item = Item { medicine: name("x"), price: Patch::Clear };
    let items = "<items><price xsi:nil='1'/><medicine>x</medicine></items>";
    assert_eq!(from_xml(items), Ok(Record { items: vec![item].into(), ..NOTHING }));
}

#[test]
fn the_number_of_faults_told_is_bounded() {
    let members: Vec<_> = (0..10_000).map(|number| format!("\"m{number}\":1")).collect();
    let Err(BodyRefusal::Decode(faults)) = from_json(&members.join(",")) else { panic!() };
    assert_eq!(faults.len(), 100);
}
