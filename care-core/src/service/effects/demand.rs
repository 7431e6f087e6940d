//! Updating the counts of the restock report.

use crate::{
    model::{Demand, EveryDays, MedicineKey, PrescribedUnits, Prescription, Refill, RegularDemand, Supply},
    service::base::draft::Draft,
    store::{Key, RecordKey, Stop},
};

/// A state of a prescription, and whether an invoice of it is unpaid; `None` before it is made, and after it is
/// withdrawn.
type State<'a> = Option<(&'a Prescription, bool)>;

/// The share of one prescription in the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Share {
    prescribed: u64,
    regular: u64,
    dispensed: u64,
    wanted: PrescribedUnits,
    waiting: PrescribedUnits,
    refill: Option<Refill>,
}

impl Share {
    fn of(state: State<'_>) -> Self {
        let Some((prescription, is_invoiced)) = state else { return Self::default() };
        let regular = prescription.is_regular();
        let active_regular = regular && prescription.is_active();
        let waits = !regular && prescription.is_active() && !prescription.dispensed && !is_invoiced;
        let wanted = PrescribedUnits::of(prescription.quantity);
        let every_days = interval(prescription.every_days);
        Self {
            prescribed: 1,
            regular: u64::from(regular),
            dispensed: u64::from(prescription.dispensed),
            wanted: if regular { PrescribedUnits::default() } else { wanted },
            waiting: if waits { wanted } else { PrescribedUnits::default() },
            refill: active_regular.then_some(Refill { every_days, wanted }),
        }
    }

    /// Returns the share that stays after a withdrawal: a paid prescription stays in the demand, an unpaid one does
    /// not.
    fn left_by(before: State<'_>) -> Self {
        let left = Self { refill: None, ..Self::of(before) };
        if left.dispensed > 0 { left } else { Self::default() }
    }
}

/// Takes prescriptions that are removed out of the counts. One that is completed no longer recurs and was paid, so its
/// counts stay.
pub(crate) fn forget<'p>(
    draft: &mut Draft<'_>,
    removed: impl Iterator<Item = &'p Prescription> + Clone,
) -> Result<(), Stop> {
    let active = removed.filter(|prescription| prescription.is_active());
    draft.need(active.clone().flat_map(counts))?;
    active.into_iter().try_for_each(|prescription| account(draft, Some((prescription, false)), None))
}

/// Returns the keys that [`account`] needs for a prescription.
fn counts(prescription: &Prescription) -> impl Iterator<Item = Key> + use<> {
    let medicine = prescription.medicine.key();
    let regular = prescription.is_regular().then(|| of_interval(medicine.clone(), prescription.every_days));
    std::iter::once(of_day(prescription)).chain(regular)
}

/// Returns the key of the counts of the day on which a prescription was made.
pub(crate) fn of_day(prescription: &Prescription) -> Key {
    RecordKey::Demand((prescription.prescribed, prescription.medicine.key().clone())).into()
}

/// Returns the key of the counts of a medicine's regular prescriptions with this interval.
pub(crate) fn of_interval(medicine: MedicineKey, every_days: Option<EveryDays>) -> Key {
    RecordKey::RegularDemand((medicine, interval(every_days))).into()
}

fn interval(every_days: Option<EveryDays>) -> EveryDays {
    every_days.unwrap_or(Supply::EVERY_DAYS)
}

/// Updates the counts from one state of a prescription to the next.
pub(crate) fn account(draft: &mut Draft<'_>, before: State<'_>, after: State<'_>) -> Result<(), Stop> {
    let (old, new) = (Share::of(before), after.map_or_else(|| Share::left_by(before), |after| Share::of(Some(after))));
    let Some((prescription, _)) = after.or(before).filter(|_| old != new) else {
        return Ok(());
    };
    // A count that is too low, as in a damaged store, must not fail the whole use case.
    let moved = |count: u64, old: u64, new: u64| (count + new).saturating_sub(old);
    let key = prescription.medicine.key();
    let day = prescription.prescribed;
    // Where the interval changes, the two are separate records.
    let mut intervals: Vec<_> =
        [old.refill, new.refill].into_iter().flatten().map(|refill| refill.every_days).collect();
    intervals.dedup();
    if old.refill == new.refill {
        intervals.clear();
    }
    let counts = intervals.iter().map(|every_days| of_interval(key.clone(), Some(*every_days)));
    draft.need(counts.chain([of_day(prescription)]))?;

    let demand = draft.get::<Demand>((day, key.clone()))?;
    let mut demand = demand.unwrap_or_else(|| Demand::new(prescription.medicine.clone(), day));
    demand.prescribed = moved(demand.prescribed, old.prescribed, new.prescribed);
    demand.regular = moved(demand.regular, old.regular, new.regular);
    demand.dispensed = moved(demand.dispensed, old.dispensed, new.dispensed);
    demand.wanted = demand.wanted.moved(old.wanted, new.wanted);
    demand.waiting = demand.waiting.moved(old.waiting, new.waiting);
    if demand.prescribed == 0 {
        draft.remove(RecordKey::Demand((day, key.clone())));
    } else {
        draft.put(demand);
    }

    for every_days in intervals {
        let of = |refill: Option<Refill>| refill.filter(|refill| refill.every_days == every_days);
        let (was, is) = (of(old.refill), of(new.refill));
        let units = |refill: Option<Refill>| refill.map_or_else(PrescribedUnits::default, |refill| refill.wanted);
        let regular = draft.get::<RegularDemand>((key.clone(), every_days))?;
        let mut regular = regular.unwrap_or_else(|| RegularDemand::new(prescription.medicine.clone(), every_days));
        regular.active_regular = moved(regular.active_regular, u64::from(was.is_some()), u64::from(is.is_some()));
        regular.wanted = regular.wanted.moved(units(was), units(is));
        if regular.active_regular == 0 {
            draft.remove(RecordKey::RegularDemand((key.clone(), every_days)));
        } else {
            draft.put(regular);
        }
    }
    Ok(())
}
