//! The checks.

mod day;
mod desk;
mod drafts;
mod drawer;
mod keys;
mod left;
mod live;
mod look;
mod lost;
mod money;
mod naming;
mod rough;
mod session;
mod shelf;
mod speech;
mod store_room;
mod swift;
mod today;
mod typing;

use crate::{Verdict, stage::Stage};

/// A check with its name.
pub(crate) type Check = (&'static str, fn(&Stage) -> Verdict);

/// The checks that hold the page to a time, and so run on both servers with nothing beside them.
pub(crate) const TIMED: &[Check] = &[
    ("the first screen is there within a second", day::first_screen),
    ("two windows show the same availability within two seconds", live::two_windows),
    ("the journal is followed", live::journal),
    ("a screen reads again when what it shows has changed, and only then", live::concerned),
    ("the first screen says what is open today", today::today),
    ("orders that are put on their way leave the first screen", today::orders),
    ("2,000 medicines block the page for at most 200 ms", swift::many),
    ("a search over 10,000 patients", rough::crowd::search),
];

/// The checks that depend on what a server answers, and so run on both. The longest start first, so that the
/// run does not end with one of them alone.
pub(crate) const ON_BOTH: &[Check] = &[
    ("nothing is cut off from 320 to 1,700 pixels", look::fits::widths),
    ("no finding of axe-core", look::looks::axe),
    ("hostile names do no harm", rough::hostile::names),
    ("a day by keyboard alone", day::by_keyboard),
    ("reads that are written down do not go round in circles", live::audited),
    ("a refused key is asked for again (401)", rough::refusals::unauthorized),
    ("a key with one scope sees one screen (403)", rough::refusals::forbidden),
    ("a key in an address asks before it takes over a session", session::in_the_address),
    ("signing out leaves nothing of the session behind", session::left),
    ("a lost answer registers nobody twice", drafts::lost),
    ("a lost movement is entered once after a reload", lost::reloaded),
    ("a payment is corrected and refunded", money::put_right),
    ("a lost refund is given once", money::lost),
    ("what was taken is shown live, and the slip covers receipts by number", money::takings),
    ("a conflict is shown (409)", rough::refusals::conflict),
    ("faults stand at their fields (422)", rough::refusals::invalid),
    ("a change meanwhile is shown side by side (412)", rough::stale::side_by_side),
    ("requests are shown as JSON, XML and curl", drawer::forms),
    ("bodies about units are shown in XML that the service takes", drawer::roots),
    ("a shelf is filled, counted, held and emptied", shelf::day),
    ("one box finds patients, medicines and invoices", today::find),
    ("a recall finds who got a lot", store_room::recall),
    ("a patient is removed", rough::refusals::voided),
    ("the restock list is saved as CSV", drawer::csv),
    ("the explorer tries requests in JSON and XML", look::explorer::tries),
    ("a slow and a stopping server", rough::weather::slow_and_stopping),
];

/// The checks of what the page does by itself. Both servers hand out the same files, so each runs on one of them, in
/// turn.
pub(crate) const ON_EITHER: &[Check] = &[
    ("every screen in other languages, and in longer words", speech::screens),
    ("a key is kept in memory alone", keys::in_memory),
    ("a key is kept in the tab if it is asked for", keys::in_the_tab),
    ("a key is forgotten after 15 idle minutes", keys::idle),
    ("an address that cannot be decoded is no page", session::undecodable),
    ("titles of pages have numbers and no names", session::titles),
    ("a key is offered what it may do alone", session::narrow),
    ("what was typed is kept for its holder", drafts::survive),
    ("a lost answer is learned after a reload", drafts::reloaded),
    ("a lost visit is no other patient's", drafts::visits),
    ("a form of the shelf is corrected after a lost answer", lost::corrected),
    ("a lost medicine is added and tracked once", lost::medicine),
    ("a lost correction of a registration is no dead end", lost::twice),
    ("a request older than the memory of its key is not repeated", lost::forgotten),
    ("a day that is half typed is a fault, never no day", typing::days),
    ("a number that may be read in two ways is a fault", typing::numbers),
    ("a phone number is taken as people write it", typing::phones),
    ("a visit is recorded only when it is meant", typing::visits),
    ("nobody is left without a name by mistake", typing::nameless),
    ("a question is closed with its screen", left::questions),
    ("a late answer takes nobody away", left::answers),
    ("what is handed out stands once", look::paper::once),
    ("a printed invoice is the invoice alone", look::paper::bill),
    ("a printed screen has its record and no controls", look::paper::records),
    ("a printed order list names its day and period", look::paper::orders),
    ("the head of the journal is printed alone", look::paper::head),
    ("each sheet fits on each paper", money::papers),
    ("a label shows every word", look::labels::whole),
    ("a label with a word that does not fit is not printed", look::labels::too_long),
    ("a setting of a shelf is not overwritten unseen (412)", rough::stale::settings),
    ("the stored values can be taken (412)", rough::stale::theirs),
    ("a removal takes from the lot that was chosen", shelf::lots),
    ("bills are found by patient, day and number", today::bills),
    ("a patient's visits are linked for a key that opens them", today::visits),
    ("a visit is one bill", desk::bill),
    ("what expires is removed with one click", store_room::expiring),
    ("a delivery is received row by row", store_room::delivery),
    ("a delivery is received under whole names alone", naming::delivered),
    ("a visit prescribes under whole names alone", naming::prescribed),
    ("a list that has not arrived says nothing of a name", naming::awaited),
    ("a refused scan keeps the focus", naming::refused),
    ("a package is read whatever its order", naming::packages),
    ("a count is printed blind, and an order put on its way", store_room::sheet),
    ("advice is shown with its arithmetic", shelf::advice),
    ("a supply is edited", shelf::supply),
    ("every language has the same texts", speech::texts),
    ("counts and negative figures read as they are said", speech::counts),
    ("the page speaks the language of the browser, or another by hand", speech::spoken),
    ("medicines are suggested with their units", swift::suggestions),
    ("the way back leads to where a page was left", swift::back),
    ("a button that is pressed twice works once", swift::twice),
    ("today is the facility's", swift::day),
    ("a page shows what others change, and what its policy uses", swift::shown),
    ("states are told apart in forced colours", look::looks::forced_colours),
    ("every target has 24 pixels", look::looks::targets),
    ("nothing is cut off at 400 % of zoom", look::fits::zoom),
    ("the focus returns to what opened a form", look::fits::focus),
];
