//! Damaged files: each is refused or detected, unless the damage is where nothing is stored.

use std::{fs, time::Duration};

use care_conformance::Dice;

use crate::{Clinic, Finding, Front as _, Inside, Place, Result, Run, prove, stock};

/// Damages a database in random places: changed bytes, replaced runs of bytes, swapped pages, a truncated end. No
/// record may be missing from a file that passes as sound.
pub(crate) fn damage(run: &Run) -> Result<Vec<Finding>> {
    let mut clinic = Clinic::new()?;
    let inside = Inside::open(&clinic.database())?;
    stock(&mut inside.clone())?;
    clinic.write_for(Duration::from_millis(100), inside.ports(8), &mut run.dice())?;
    drop(inside);
    let sound = fs::read(clinic.database())?;
    let mut noticed = 0;
    run.play(|_, dice| {
        let place = Place::new()?;
        let mut content = sound.clone();
        ruin(&mut content, dice);
        fs::write(place.database(), &content)?;
        match prove(&place.database(), &clinic.asked, usize::MAX) {
            Err(failure) if failure.to_string().contains(" is Done, but ") => return Err(failure),
            Err(_) => noticed += 1,
            Ok(()) => {}
        }
        Ok(())
    })?;
    let found = format!("{noticed} refused or found out, in the others nothing is missing");
    let mut finding = Finding::new(format!("{} files", run.rounds)).found(found);
    finding.bar(noticed * 2 >= run.rounds, || format!("only {noticed} are noticed"));
    Ok(vec![finding])
}

fn ruin(content: &mut Vec<u8>, dice: &mut Dice) {
    const PAGE: usize = 4096;
    let at = dice.roll(content.len() as u64) as usize;
    let pages = content.len() as u64 / PAGE as u64;
    match dice.roll(5) {
        0 => content[at] ^= 1 << dice.roll(8),
        1 => {
            let end = content.len().min(at + 1 + dice.roll(600) as usize);
            content[at..end].fill(dice.roll(256) as u8);
        }
        2 => content.truncate(at),
        3 => {
            let (one, other) = (dice.roll(pages) as usize * PAGE, dice.roll(pages) as usize * PAGE);
            let page = content[one..one + PAGE].to_vec();
            content.copy_within(other..other + PAGE, one);
            content[other..other + PAGE].copy_from_slice(&page);
        }
        _ => {
            let page = dice.roll(pages) as usize * PAGE;
            content[page..page + PAGE].fill(0);
        }
    }
}
