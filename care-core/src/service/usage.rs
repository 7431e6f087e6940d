//! Keeping the counts behind the restock report.

use super::draft::Draft;
use crate::{
    model::{Demand, Prescription, Usage},
    store::{Key, RecordKey, Stop},
};

/// What one prescription adds to the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Share {
    prescribed: u64,
    regular: u64,
    dispensed: u64,
    active_regular: u64,
}

impl Share {
    fn of(prescription: Option<&Prescription>) -> Self {
        let Some(prescription) = prescription else {
            return Self::default();
        };
        let regular = prescription.is_regular();
        Self {
            prescribed: 1,
            regular: u64::from(regular),
            dispensed: u64::from(prescription.dispensed),
            active_regular: u64::from(regular && prescription.is_active()),
        }
    }

    /// What stays of it when the prescription goes: what was paid was dispensed, and stays demand; what was not is none.
    fn left_by(prescription: Option<&Prescription>) -> Self {
        match prescription {
            Some(prescription) if prescription.dispensed => Self { active_regular: 0, ..Self::of(Some(prescription)) },
            _ => Self::default(),
        }
    }
}

/// What [`account`] needs to have seen for a prescription.
pub(super) fn counts(prescription: &Prescription) -> impl Iterator<Item = Key> + use<> {
    let medicine = prescription.medicine.key();
    let demand = RecordKey::Demand(prescription.prescribed, medicine.clone());
    let usage = prescription.is_regular().then(|| RecordKey::Usage(medicine.clone()));
    [demand].into_iter().chain(usage).map(Key::Record)
}

/// Moves the counts from what a prescription was to what it becomes. Before it is prescribed it is `None`, and after it
/// is withdrawn.
pub(super) fn account(
    draft: &mut Draft<'_>,
    before: Option<&Prescription>,
    after: Option<&Prescription>,
) -> Result<(), Stop> {
    let old = Share::of(before);
    let new = if after.is_some() { Share::of(after) } else { Share::left_by(before) };
    let Some(prescription) = after.or(before).filter(|_| old != new) else {
        return Ok(());
    };
    // Saturating: a count that a damaged store lost must not take the whole use case down.
    let moved = |count: u64, old: u64, new: u64| (count + new).saturating_sub(old);
    let key = prescription.medicine.key();
    let day = prescription.prescribed;

    let mut demand = draft.get::<Demand>((key.clone(), day))?.unwrap_or_else(|| Demand {
        medicine: prescription.medicine.clone(),
        day,
        prescribed: 0,
        regular: 0,
        dispensed: 0,
    });
    demand.prescribed = moved(demand.prescribed, old.prescribed, new.prescribed);
    demand.regular = moved(demand.regular, old.regular, new.regular);
    demand.dispensed = moved(demand.dispensed, old.dispensed, new.dispensed);
    if demand.prescribed == 0 {
        draft.remove(RecordKey::Demand(day, key.clone()));
    } else {
        draft.put(demand);
    }

    if old.active_regular != new.active_regular {
        let usage = draft.get::<Usage>(key.clone())?;
        let mut usage = usage.unwrap_or_else(|| Usage { medicine: prescription.medicine.clone(), active_regular: 0 });
        usage.active_regular = moved(usage.active_regular, old.active_regular, new.active_regular);
        if usage.active_regular == 0 {
            draft.remove(RecordKey::Usage(key.clone()));
        } else {
            draft.put(usage);
        }
    }
    Ok(())
}
