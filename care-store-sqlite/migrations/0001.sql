-- One table for each kind of record, the journal, and the keys.
--
-- The CHECKs repeat the rules of the model, so that nothing else that writes here can break them. `version` is the
-- `seq` of the journal entry that put the row. Days are counted from 1970-01-01, lists are JSON.
--
-- What is referred to is put before what refers to it, and removed after it, so no foreign key is deferred: a decision
-- that breaks one fails alone, and not everything that shares its commit. Invoices have none, because a paid invoice
-- outlives its voided patient and its withdrawn prescription.
--
-- A choice among more than two values is written with OR: for a longer IN list SQLite fills a temporary table at every
-- write.
--
-- An index ends in the primary key of its table without naming it, so each of these also gives the table's order.

CREATE TABLE patient (
    version     INTEGER NOT NULL CHECK (version >= 1),
    patient_id  INTEGER PRIMARY KEY CHECK (patient_id >= 1),
    name        TEXT CHECK (length(name) BETWEEN 1 AND 256),
    -- What prefixes of the name are looked up in.
    folded_name TEXT CHECK ((folded_name IS NULL) = (name IS NULL)),
    -- The name and the mail address as they are looked for, unless both are ASCII.
    spelling    TEXT,
    phone       INTEGER CHECK (phone BETWEEN 1 AND 999999999999999),
    insurance   INTEGER CHECK (insurance IN (0, 1)),
    age         INTEGER CHECK (age BETWEEN 0 AND 150),
    birth_date  INTEGER CHECK (birth_date BETWEEN -25567 AND 2932896),
    address     TEXT CHECK (length(address) <= 1024),
    gender      TEXT CHECK (length(gender) <= 256),
    weight      REAL CHECK (weight > 0 AND weight <= 1000),
    email       TEXT CHECK (length(email) BETWEEN 3 AND 254),
    location    TEXT CHECK (length(location) <= 256),
    lastvisit   INTEGER CHECK (lastvisit BETWEEN -25567 AND 2932896),
    allergies   TEXT CHECK (length(allergies) <= 1024)
) STRICT;
CREATE INDEX patient_by_name ON patient (folded_name) WHERE folded_name IS NOT NULL;

-- The terms by which patients are found, and in which lists by phone number and mail address are looked up, so that
-- neither has an index. They follow from the rows of `patient`, are in no journal, and come and go with them.
CREATE TABLE patient_term (
    term       TEXT NOT NULL CHECK (term <> ''),
    patient_id INTEGER NOT NULL CHECK (patient_id >= 1),
    PRIMARY KEY (term, patient_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE voided (
    version    INTEGER NOT NULL CHECK (version >= 1),
    patient_id INTEGER PRIMARY KEY CHECK (patient_id >= 1)
) STRICT;

CREATE TABLE history (
    version    INTEGER NOT NULL CHECK (version >= 1),
    patient_id INTEGER PRIMARY KEY REFERENCES patient,
    medicine   TEXT CHECK (length(medicine) BETWEEN 1 AND 128),
    dosage     TEXT CHECK (length(dosage) <= 256),
    -- How many diseases the rows in `diagnosis` hold together.
    diseases   INTEGER NOT NULL CHECK (diseases >= 0),
    visits     INTEGER NOT NULL CHECK (visits >= 0),
    lastvisit  INTEGER CHECK (lastvisit BETWEEN -25567 AND 2932896)
) STRICT;

CREATE TABLE consultation (
    version          INTEGER NOT NULL CHECK (version >= 1),
    consultation_id  INTEGER PRIMARY KEY CHECK (consultation_id >= 1),
    patient_id       INTEGER NOT NULL REFERENCES patient,
    date             INTEGER NOT NULL CHECK (date BETWEEN -25567 AND 2932896),
    prescription_ids TEXT NOT NULL CHECK (json_type(prescription_ids) = 'array'),
    state            TEXT NOT NULL CHECK (state IN ('open', 'completed')),
    implicit         INTEGER NOT NULL CHECK (implicit IN (0, 1))
) STRICT;
CREATE INDEX consultation_by_patient ON consultation (patient_id);
CREATE INDEX consultation_by_state ON consultation (state);

-- What was diagnosed in a consultation, apart from it: so neither another visit nor what becomes of a prescription
-- writes the diseases again. Consultations in which nothing was diagnosed have no row.
CREATE TABLE diagnosis (
    version         INTEGER NOT NULL CHECK (version >= 1),
    consultation_id INTEGER PRIMARY KEY REFERENCES consultation,
    patient_id      INTEGER NOT NULL REFERENCES patient,
    -- Which of the patient's visits the consultation was counted as, from 1; NULL until it is completed.
    visit           INTEGER CHECK (visit >= 1),
    diseases        TEXT NOT NULL CHECK (json_array_length(diseases) <= 30)
) STRICT;
CREATE INDEX diagnosis_by_patient ON diagnosis (patient_id);

CREATE TABLE prescription (
    version         INTEGER NOT NULL CHECK (version >= 1),
    prescription_id INTEGER PRIMARY KEY CHECK (prescription_id >= 1),
    consultation_id INTEGER NOT NULL REFERENCES consultation,
    patient_id      INTEGER NOT NULL REFERENCES patient,
    medicine        TEXT NOT NULL CHECK (length(medicine) BETWEEN 1 AND 128),
    medicine_key    TEXT NOT NULL CHECK (medicine_key <> ''),
    dosage          TEXT CHECK (length(dosage) <= 256),
    is_regular      INTEGER CHECK (is_regular IN (0, 1)),
    price           INTEGER CHECK (price BETWEEN 0 AND 9007199254740991),
    currency        TEXT CHECK (currency GLOB '[A-Z][A-Z][A-Z]'),
    prescribed      INTEGER NOT NULL CHECK (prescribed BETWEEN -25567 AND 2932896),
    state           TEXT NOT NULL CHECK (state IN ('active', 'completed')),
    dispensed       INTEGER NOT NULL CHECK (dispensed IN (0, 1)),
    quantity        INTEGER CHECK (quantity BETWEEN 1 AND 100000),
    every_days      INTEGER CHECK (every_days BETWEEN 1 AND 365)
) STRICT;
-- The order of a patient's list, of which a page is read and no more.
CREATE INDEX prescription_of_patient ON prescription (patient_id);
CREATE INDEX prescription_by_patient ON prescription (patient_id, medicine_key);
CREATE UNIQUE INDEX prescription_active ON prescription (patient_id, medicine_key) WHERE state = 'active';
CREATE INDEX prescription_by_medicine ON prescription (medicine_key, state);
CREATE INDEX prescription_by_state ON prescription (state);
-- Those that wait for an invoice, or for its payment.
CREATE INDEX prescription_single ON prescription (state) WHERE state = 'active' AND is_regular IS NOT TRUE;
CREATE INDEX prescription_by_consultation ON prescription (consultation_id);

CREATE TABLE invoice (
    version         INTEGER NOT NULL CHECK (version >= 1),
    invoice_id      INTEGER PRIMARY KEY CHECK (invoice_id >= 1),
    prescription_id INTEGER NOT NULL CHECK (prescription_id >= 1),
    patient_id      INTEGER NOT NULL CHECK (patient_id >= 1),
    medicine        TEXT NOT NULL CHECK (length(medicine) BETWEEN 1 AND 128),
    name            TEXT CHECK (length(name) BETWEEN 1 AND 256),
    age             INTEGER CHECK (age BETWEEN 0 AND 150),
    invoice_date    INTEGER NOT NULL CHECK (invoice_date BETWEEN -25567 AND 2932896),
    gender          TEXT CHECK (length(gender) <= 256),
    phone           INTEGER CHECK (phone BETWEEN 1 AND 999999999999999),
    email           TEXT CHECK (length(email) BETWEEN 3 AND 254),
    companyaddress  TEXT CHECK (length(companyaddress) <= 1024),
    dosage          TEXT CHECK (length(dosage) <= 256),
    price           INTEGER CHECK (price BETWEEN 0 AND 9007199254740991),
    currency        TEXT CHECK (currency GLOB '[A-Z][A-Z][A-Z]'),
    state           TEXT NOT NULL CHECK (state = 'unpaid' OR state = 'paid' OR state = 'refunded'),
    quantity        INTEGER CHECK (quantity BETWEEN 1 AND 100000),
    -- The receipt of its payment, and the credit note of its refund.
    receipt_id      INTEGER CHECK (receipt_id >= 1),
    credit_note_id  INTEGER CHECK (credit_note_id >= 1)
) STRICT;
CREATE INDEX invoice_by_patient ON invoice (patient_id);
CREATE INDEX invoice_by_state ON invoice (state);
CREATE INDEX invoice_unpaid_by_patient ON invoice (patient_id) WHERE state = 'unpaid';
CREATE UNIQUE INDEX invoice_unpaid ON invoice (prescription_id) WHERE state = 'unpaid';
CREATE INDEX invoice_paid ON invoice (prescription_id) WHERE state = 'paid';
CREATE INDEX invoice_paid_by_patient ON invoice (patient_id, receipt_id) WHERE state = 'paid';

CREATE TABLE item (
    version      INTEGER NOT NULL CHECK (version >= 1),
    medicine_key TEXT NOT NULL PRIMARY KEY CHECK (medicine_key <> ''),
    medicine     TEXT NOT NULL CHECK (length(medicine) BETWEEN 1 AND 128),
    is_available INTEGER NOT NULL CHECK (is_available IN (0, 1)),
    dosage       TEXT CHECK (length(dosage) <= 256),
    is_regular   INTEGER CHECK (is_regular IN (0, 1)),
    price        INTEGER CHECK (price BETWEEN 0 AND 9007199254740991),
    currency     TEXT CHECK (currency GLOB '[A-Z][A-Z][A-Z]')
) STRICT, WITHOUT ROWID;

-- The day comes first, so that a report reads the days it speaks of and no other, and so that all of today's writes
-- meet in a few pages.
CREATE TABLE demand (
    version      INTEGER NOT NULL CHECK (version >= 1),
    day          INTEGER NOT NULL CHECK (day BETWEEN -25567 AND 2932896),
    medicine_key TEXT NOT NULL CHECK (medicine_key <> ''),
    medicine     TEXT NOT NULL CHECK (length(medicine) BETWEEN 1 AND 128),
    prescribed   INTEGER NOT NULL CHECK (prescribed >= 0),
    regular      INTEGER NOT NULL CHECK (regular >= 0),
    dispensed    INTEGER NOT NULL CHECK (dispensed >= 0),
    -- Of those that do not recur: what they are for, and what those of them are for that wait for an invoice.
    wanted_units    INTEGER NOT NULL CHECK (wanted_units >= 0),
    wanted_unnamed  INTEGER NOT NULL CHECK (wanted_unnamed >= 0),
    waiting_units   INTEGER NOT NULL CHECK (waiting_units >= 0),
    waiting_unnamed INTEGER NOT NULL CHECK (waiting_unnamed >= 0),
    PRIMARY KEY (day, medicine_key)
) STRICT, WITHOUT ROWID;

-- Each interval apart, so that a prescription writes those that it changes.
CREATE TABLE regular_demand (
    version        INTEGER NOT NULL CHECK (version >= 1),
    medicine_key   TEXT NOT NULL CHECK (medicine_key <> ''),
    every_days     INTEGER NOT NULL CHECK (every_days BETWEEN 1 AND 365),
    medicine       TEXT NOT NULL CHECK (length(medicine) BETWEEN 1 AND 128),
    active_regular INTEGER NOT NULL CHECK (active_regular >= 0),
    wanted_units   INTEGER NOT NULL CHECK (wanted_units >= 0),
    wanted_unnamed INTEGER NOT NULL CHECK (wanted_unnamed >= 0),
    PRIMARY KEY (medicine_key, every_days)
) STRICT, WITHOUT ROWID;

-- A medicine that is tracked.
CREATE TABLE stock (
    version       INTEGER NOT NULL CHECK (version >= 1),
    medicine_key  TEXT NOT NULL PRIMARY KEY CHECK (medicine_key <> ''),
    medicine      TEXT NOT NULL CHECK (length(medicine) BETWEEN 1 AND 128),
    unit          TEXT NOT NULL CHECK (length(unit) BETWEEN 1 AND 32),
    pack_units    INTEGER NOT NULL CHECK (pack_units BETWEEN 1 AND 1000000),
    supply_units  INTEGER NOT NULL CHECK (supply_units BETWEEN 1 AND 100000),
    keep_days     INTEGER NOT NULL CHECK (keep_days BETWEEN 0 AND 365),
    held          INTEGER NOT NULL CHECK (held IN (0, 1)),
    ordered       INTEGER NOT NULL CHECK (ordered BETWEEN 0 AND 1000000000),
    policy        TEXT NOT NULL
        CHECK (policy = 'none' OR policy = 'minMax' OR policy = 'cover' OR policy = 'service'),
    min           INTEGER CHECK (min BETWEEN 0 AND 1000000000),
    max           INTEGER CHECK (max BETWEEN 0 AND 1000000000),
    min_days      INTEGER NOT NULL CHECK (min_days BETWEEN 0 AND 730),
    max_days      INTEGER NOT NULL CHECK (max_days BETWEEN 1 AND 1095),
    lead_days     INTEGER NOT NULL CHECK (lead_days BETWEEN 0 AND 365),
    review_days   INTEGER NOT NULL CHECK (review_days BETWEEN 1 AND 365),
    service_level INTEGER NOT NULL CHECK (
        service_level = 80 OR service_level = 90 OR service_level = 95 OR service_level = 98 OR service_level = 99
    ),
    basis         TEXT NOT NULL CHECK (basis IN ('dispensed', 'prescribed')),
    reserved      INTEGER NOT NULL CHECK (reserved BETWEEN 0 AND 1000000000),
    -- The number of the last movement of any medicine before its tracking began, which tells one time of tracking from
    -- another.
    tracked_since INTEGER CHECK (tracked_since >= 1),
    -- The number of the last movement since its tracking began.
    moved         INTEGER CHECK (moved >= 1),
    -- The units of its open lots, and the earliest of their last days, so that its availability needs none of them.
    on_hand       INTEGER NOT NULL CHECK (on_hand BETWEEN 0 AND 1000000000),
    expires       INTEGER CHECK (expires BETWEEN -25567 AND 2932896)
) STRICT, WITHOUT ROWID;

-- The lots with units. The key has the order in which they are handed out: a lot without a date has the day after the
-- last, and one without a text the empty text. The text of others is folded there.
CREATE TABLE open_lot (
    version      INTEGER NOT NULL CHECK (version >= 1),
    medicine_key TEXT NOT NULL CHECK (medicine_key <> ''),
    expires      INTEGER NOT NULL CHECK (expires BETWEEN -25567 AND 2932897),
    lot_key      TEXT NOT NULL,
    medicine     TEXT NOT NULL CHECK (length(medicine) BETWEEN 1 AND 128),
    lot          TEXT CHECK (length(lot) BETWEEN 1 AND 20) CHECK ((lot IS NULL) = (lot_key = '')),
    on_hand      INTEGER NOT NULL CHECK (on_hand BETWEEN 1 AND 1000000000),
    PRIMARY KEY (medicine_key, expires, lot_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX open_lot_by_lot ON open_lot (lot_key);

-- The ledger. Its rows refer to invoices and prescriptions that may be gone.
CREATE TABLE movement (
    version         INTEGER NOT NULL CHECK (version >= 1),
    movement_id     INTEGER PRIMARY KEY CHECK (movement_id >= 1),
    medicine_key    TEXT NOT NULL CHECK (medicine_key <> ''),
    medicine        TEXT NOT NULL CHECK (length(medicine) BETWEEN 1 AND 128),
    kind            TEXT NOT NULL
        CHECK (kind = 'receipt' OR kind = 'dispense' OR kind = 'return' OR kind = 'removal' OR kind = 'adjustment'
            OR kind = 'reversal'),
    reason          TEXT
        CHECK (reason = 'expired' OR reason = 'damaged' OR reason = 'lost' OR reason = 'recalled'
            OR reason = 'supplier' OR reason = 'other' OR reason = 'opening' OR reason = 'count'),
    units           INTEGER NOT NULL CHECK (units BETWEEN -1000000000 AND 1000000000 AND units <> 0),
    balance         INTEGER NOT NULL CHECK (balance BETWEEN 0 AND 1000000000),
    lot             TEXT CHECK (length(lot) BETWEEN 1 AND 20),
    expires         INTEGER CHECK (expires BETWEEN -25567 AND 2932896),
    day             INTEGER NOT NULL CHECK (day BETWEEN -25567 AND 2932896),
    invoice_id      INTEGER CHECK (invoice_id >= 1),
    prescription_id INTEGER CHECK (prescription_id >= 1),
    reverses        INTEGER CHECK (reverses >= 1),
    cost            INTEGER CHECK (cost BETWEEN 0 AND 9007199254740991),
    currency        TEXT CHECK (currency GLOB '[A-Z][A-Z][A-Z]'),
    from_order      INTEGER CHECK (from_order BETWEEN 1 AND 1000000000),
    note            TEXT CHECK (length(note) BETWEEN 1 AND 256),
    lot_key         TEXT CHECK (lot_key <> '') CHECK ((lot_key IS NULL) = (lot IS NULL))
) STRICT;
CREATE INDEX movement_by_lot ON movement (lot_key, medicine_key) WHERE lot_key IS NOT NULL;
CREATE INDEX movement_by_medicine ON movement (medicine_key);
CREATE INDEX movement_by_invoice ON movement (invoice_id) WHERE invoice_id IS NOT NULL;
CREATE UNIQUE INDEX movement_reversal ON movement (reverses) WHERE reverses IS NOT NULL;

-- The medicine comes first: what was there on a day is in the last row up to it.
CREATE TABLE stock_day (
    version           INTEGER NOT NULL CHECK (version >= 1),
    medicine_key      TEXT NOT NULL CHECK (medicine_key <> ''),
    day               INTEGER NOT NULL CHECK (day BETWEEN -25567 AND 2932896),
    medicine          TEXT NOT NULL CHECK (length(medicine) BETWEEN 1 AND 128),
    receipts          INTEGER NOT NULL,
    received          INTEGER NOT NULL,
    dispensed         INTEGER NOT NULL CHECK (dispensed >= 0),
    returned          INTEGER NOT NULL CHECK (returned >= 0),
    dispensed_regular INTEGER NOT NULL CHECK (dispensed_regular >= 0),
    returned_regular  INTEGER NOT NULL CHECK (returned_regular >= 0),
    removed           INTEGER NOT NULL,
    adjusted          INTEGER NOT NULL,
    on_hand           INTEGER NOT NULL CHECK (on_hand BETWEEN 0 AND 1000000000),
    usable            INTEGER NOT NULL CHECK (usable BETWEEN 0 AND 1000000000),
    usable_until      INTEGER CHECK (usable_until BETWEEN -25567 AND 2932896),
    PRIMARY KEY (medicine_key, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE dispensing (
    version      INTEGER NOT NULL CHECK (version >= 1),
    invoice_id   INTEGER PRIMARY KEY CHECK (invoice_id >= 1),
    medicine_key TEXT NOT NULL CHECK (medicine_key <> ''),
    medicine     TEXT NOT NULL CHECK (length(medicine) BETWEEN 1 AND 128),
    is_regular   INTEGER NOT NULL CHECK (is_regular IN (0, 1)),
    tracked_since INTEGER CHECK (tracked_since >= 1),
    lots         TEXT NOT NULL CHECK (json_array_length(lots) <= 64)
) STRICT;

-- The ledger of money.
CREATE TABLE receipt (
    version        INTEGER NOT NULL CHECK (version >= 1),
    receipt_id     INTEGER PRIMARY KEY CHECK (receipt_id >= 1),
    kind           TEXT NOT NULL CHECK (kind = 'payment' OR kind = 'refund' OR kind = 'correction'),
    invoice_id     INTEGER NOT NULL CHECK (invoice_id >= 1),
    credit_note_id INTEGER CHECK (credit_note_id >= 1),
    corrects       INTEGER CHECK (corrects >= 1),
    method         TEXT NOT NULL
        CHECK (method = 'cash' OR method = 'card' OR method = 'mobile' OR method = 'bank' OR method = 'other'),
    from_method    TEXT
        CHECK (from_method = 'cash' OR from_method = 'card' OR from_method = 'mobile' OR from_method = 'bank'
            OR from_method = 'other'),
    amount         INTEGER CHECK (amount BETWEEN 0 AND 9007199254740991),
    currency       TEXT CHECK (currency GLOB '[A-Z][A-Z][A-Z]'),
    day            INTEGER NOT NULL CHECK (day BETWEEN -25567 AND 2932896),
    holder         TEXT NOT NULL,
    reason         TEXT
        CHECK (reason = 'wrongEntry' OR reason = 'returned' OR reason = 'notSupplied' OR reason = 'duplicate'
            OR reason = 'goodwill' OR reason = 'other'),
    note           TEXT CHECK (length(note) BETWEEN 1 AND 256)
) STRICT;
CREATE INDEX receipt_by_invoice ON receipt (invoice_id);
CREATE INDEX receipt_by_holder ON receipt (holder);
-- Refunds and corrections are few among many payments.
CREATE INDEX receipt_refund ON receipt (kind) WHERE kind = 'refund';
CREATE INDEX receipt_correction ON receipt (kind) WHERE kind = 'correction';
CREATE INDEX receipt_corrected ON receipt (corrects) WHERE corrects IS NOT NULL;

-- The receipts of a holder on a day in a currency, counted; the empty text stands for invoices without a currency. The
-- day comes first, so that a report reads the days it speaks of and no other.
CREATE TABLE takings (
    version  INTEGER NOT NULL CHECK (version >= 1),
    day      INTEGER NOT NULL CHECK (day BETWEEN -25567 AND 2932896),
    holder   TEXT NOT NULL,
    currency TEXT NOT NULL CHECK (currency = '' OR currency GLOB '[A-Z][A-Z][A-Z]'),
    receipts INTEGER NOT NULL CHECK (receipts >= 1),
    unpriced INTEGER NOT NULL CHECK (unpriced BETWEEN 0 AND receipts),
    totals   TEXT NOT NULL CHECK (json_array_length(totals) <= 5),
    PRIMARY KEY (day, holder, currency)
) STRICT, WITHOUT ROWID;

CREATE TABLE counter (
    version INTEGER NOT NULL CHECK (version >= 1),
    series  TEXT NOT NULL PRIMARY KEY
        CHECK (series = 'patient' OR series = 'prescription' OR series = 'invoice' OR series = 'consultation'
            OR series = 'movement' OR series = 'receipt' OR series = 'creditNote'),
    last    INTEGER NOT NULL CHECK (last >= 1)
) STRICT, WITHOUT ROWID;

-- What was answered to requests that may be repeated, kept for a day.
CREATE TABLE reply (
    reply_id    TEXT PRIMARY KEY CHECK (length(reply_id) = 32),
    version     INTEGER NOT NULL CHECK (version >= 1),
    -- The owner of the request and the key that its sender gave it; neither once the reply is erased.
    actor       TEXT CHECK ((actor IS NULL) = (key IS NULL)),
    key         TEXT CHECK (length(key) BETWEEN 1 AND 255),
    fingerprint TEXT NOT NULL,
    at          INTEGER NOT NULL CHECK (at BETWEEN -2208988800000 AND 253402300799999),
    -- Whom the request concerned, if it was a patient. An erasure leaves it.
    patient_id  INTEGER CHECK (patient_id >= 1),
    answer      TEXT NOT NULL CHECK (json_valid(answer))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX reply_to ON reply (actor, key);
CREATE INDEX reply_by_age ON reply (at);
CREATE INDEX reply_by_patient ON reply (patient_id) WHERE patient_id IS NOT NULL;

-- What the journal says of the keys that were issued to clients: here, or where an imported journal comes from.
CREATE TABLE key_record (
    key_id  TEXT PRIMARY KEY CHECK (length(key_id) = 12),
    version INTEGER NOT NULL CHECK (version >= 1),
    name    TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    scopes  TEXT NOT NULL,
    expires INTEGER CHECK (expires BETWEEN -2208988800000 AND 253402300799999),
    revoked INTEGER CHECK (revoked BETWEEN -2208988800000 AND 253402300799999)
) STRICT, WITHOUT ROWID;

-- Who changed what, and when, in milliseconds from 1970-01-01. `changes`, `reads` and `erased` are
-- JSON: a text or, if that is long, a blob of its length in 4 bytes and what LZ4 makes of it.
CREATE TABLE journal (
    seq       INTEGER PRIMARY KEY CHECK (seq >= 1),
    at        INTEGER NOT NULL CHECK (at BETWEEN -2208988800000 AND 253402300799999),
    actor     TEXT NOT NULL,
    operation TEXT NOT NULL,
    -- Each with the version of its record that the entry met, so that the journal leads from each version to the one
    -- before.
    changes   ANY NOT NULL CHECK (typeof(changes) IN ('text', 'blob')),
    -- The keys of the records that were read.
    reads     ANY NOT NULL CHECK (typeof(reads) IN ('text', 'blob')),
    -- In the entries of an erasure, the values that it has replaced.
    erased    ANY CHECK (erased IS NULL OR typeof(erased) IN ('text', 'blob')),
    -- The link of the chain: the SHA-256 of the link before and of what the entry says.
    link      BLOB NOT NULL CHECK (length(link) = 32)
) STRICT;

-- Skip pointers into the journal, by which old versions of records are found: of a record that was put many times about
-- every fourth entry that put it and, as a negative number, each entry that removed a record that may be made again.
CREATE TABLE skip_pointer (
    kind TEXT NOT NULL,
    id   TEXT NOT NULL,
    seq  INTEGER NOT NULL CHECK (seq <> 0),
    PRIMARY KEY (kind, id, seq)
) STRICT, WITHOUT ROWID;

-- What tells this database's past from any other's, drawn when it is made, and anew by a restore or an import.
CREATE TABLE epoch (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    epoch INTEGER NOT NULL CHECK (epoch BETWEEN 0 AND 4294967295),
    -- The last entry that another database's journal brought, whose keys this one does not have.
    replayed INTEGER NOT NULL CHECK (replayed >= 0)
) STRICT;
INSERT INTO epoch VALUES (1, random() & 4294967295, 0);

-- The keys that were issued to clients, with the digests of their secrets, of which no journal entry speaks.

CREATE TABLE api_key (
    key_id   TEXT NOT NULL PRIMARY KEY CHECK (length(key_id) = 12),
    name     TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    -- The words for them, with a space between.
    scopes   TEXT NOT NULL,
    -- SHA-256 of the secret, which is kept nowhere.
    digest   BLOB NOT NULL CHECK (length(digest) = 32),
    created  INTEGER NOT NULL CHECK (created BETWEEN -2208988800000 AND 253402300799999),
    expires  INTEGER CHECK (expires BETWEEN -2208988800000 AND 253402300799999),
    revoked  INTEGER CHECK (revoked BETWEEN -2208988800000 AND 253402300799999),
    replaces TEXT CHECK (length(replaces) = 12),
    -- SHA-256 of all of the above: nothing else shows whether somebody changed a key by hand.
    seal     BLOB NOT NULL CHECK (length(seal) = 32)
) STRICT, WITHOUT ROWID;
