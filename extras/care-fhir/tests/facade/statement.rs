//! The `CapabilityStatement` lists what is not refused, and nothing else.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::clinic::{ask, clinic, refused};

/// Search parameters of R4, those of the types here and of all, with some that no type has.
const PARAMETERS: &str = "\
    _content _count _cursor _elements _filter _format _has _id _include _lastUpdated _list _pretty _profile _query \
    _revinclude _score _security _sort _summary _tag _text _total _type account active address address-city \
    animal-breed appointment asserter authoredon based-on birthdate body-site category class code code-value-quantity \
    combo-code component-code context coverage cursor data-absent-reason date death-date deceased derived-from \
    destination device diagnosis email encounter episode-of-care evidence expiration-date family form gender \
    general-practitioner given has-member identifier ingredient intended-performer intent issuer language length \
    limit link location lot-number manufacturer medication method name onset-date organization part-of participant \
    participant-type patient performer phone phonetic practitioner prescription priority reason-code receiver \
    recipient recorded-date requester responsibleparty severity special-arrangement specimen stage status subject \
    telecom total-gross total-net type value-concept value-quantity verification-status whenhandedover whenprepared";

fn listed(resource: &Value, list: &str, member: &str) -> BTreeSet<String> {
    let items = resource[list].as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item[member].as_str().unwrap().to_owned()).collect()
}

#[test]
fn it_lists_a_parameter_if_and_only_if_it_is_not_refused() {
    let (_, api) = clinic();
    let statement: Value = serde_json::from_slice(ask(&api, "metadata", "").body()).unwrap();
    let resources = statement["rest"][0]["resource"].as_array().unwrap();
    assert_eq!(resources.len(), 9);
    for resource in resources {
        let kind = resource["type"].as_str().unwrap();
        let taken = PARAMETERS.split_whitespace().filter(|name| {
            let value = if *name == "_format" { "json" } else { "1" };
            let (status, code, named) = match ask(&api, &format!("{kind}?_id=1&{name}={value}"), "") {
                answer if answer.status() == 200 => return true,
                _ => refused(&api, &format!("{kind}?_id=1&{name}={value}")),
            };
            assert_eq!((status, named.as_deref()), (400, Some(*name)), "{kind}?{name}");
            code != "not-supported"
        });
        let taken: BTreeSet<_> = taken.map(str::to_owned).collect();
        assert_eq!(taken, listed(resource, "searchParam", "name"), "{kind}");
        let unknown = |path: String| refused(&api, &path).0 == 404 && !is_routed(&api, &path);
        let interactions = listed(resource, "interaction", "code");
        assert!(["read", "vread", "search-type"].iter().all(|code| interactions.contains(*code)), "{interactions:?}");
        assert_eq!(interactions.contains("history-instance"), !unknown(format!("{kind}/9/_history")), "{kind}");
        assert_eq!(
            listed(resource, "operation", "name").contains("everything"),
            !unknown(format!("{kind}/9/$everything"))
        );
        assert_eq!(interactions.len() - usize::from(interactions.contains("history-instance")), 3);
    }
}

/// Returns whether a path is one of the facade, whatever it finds.
fn is_routed(api: &care_core::Api, path: &str) -> bool {
    let request = http::Request::options(format!("/1.0.0/fhir/{path}")).body(bytes::Bytes::new()).unwrap();
    futures_executor::block_on(api.handle(request)).status() == 204
}
