-- One table for each kind of record, the journal, and the keys: those of the SQLite store.
--
-- The CHECKs repeat the rules of the model, so that nothing else that writes here can break them. `version` is the
-- `seq` of the journal entry that put the row. Days are counted from 1970-01-01, instants are milliseconds from then,
-- and lists are text of JSON, because the chain of the journal is made of its letters. Foreign keys are left out: the
-- journal proves what refers to what, and each would cost every write a look-up.
--
-- Texts that are ordered or found by their beginning are ordered by their bytes, as the model orders them.

CREATE TABLE patient (
    version     bigint NOT NULL CHECK (version >= 1),
    patient_id  bigint PRIMARY KEY CHECK (patient_id >= 1),
    name        text CHECK (pg_catalog.length(name) BETWEEN 1 AND 256),
    -- What prefixes of the name are looked up in.
    folded_name text COLLATE "C" CHECK ((folded_name IS NULL) = (name IS NULL)),
    -- The name and the mail address as they are looked for, unless both are ASCII.
    spelling    text,
    phone       bigint CHECK (phone BETWEEN 1 AND 999999999999999),
    insurance   boolean,
    age         integer CHECK (age BETWEEN 0 AND 150),
    birth_date  integer CHECK (birth_date BETWEEN -25567 AND 2932896),
    address     text CHECK (pg_catalog.length(address) <= 1024),
    gender      text CHECK (pg_catalog.length(gender) <= 256),
    weight      double precision CHECK (weight > 0 AND weight <= 1000),
    email       text COLLATE "C" CHECK (pg_catalog.length(email) BETWEEN 3 AND 254),
    location    text CHECK (pg_catalog.length(location) <= 256),
    lastvisit   integer CHECK (lastvisit BETWEEN -25567 AND 2932896),
    allergies   text CHECK (pg_catalog.length(allergies) <= 1024)
);
CREATE INDEX patient_by_name ON patient (folded_name, patient_id) WHERE folded_name IS NOT NULL;
CREATE INDEX patient_by_phone ON patient (phone, patient_id) WHERE phone IS NOT NULL;
CREATE INDEX patient_by_email ON patient (email, patient_id) WHERE email IS NOT NULL;

-- The terms by which patients are found. They follow from the rows of `patient`, are in no journal, and come and go with
-- them.
CREATE TABLE patient_term (
    term       text COLLATE "C" NOT NULL CHECK (term <> ''),
    patient_id bigint NOT NULL CHECK (patient_id >= 1),
    PRIMARY KEY (term, patient_id)
);
CREATE INDEX patient_term_of_patient ON patient_term (patient_id);

CREATE TABLE voided (
    version    bigint NOT NULL CHECK (version >= 1),
    patient_id bigint PRIMARY KEY CHECK (patient_id >= 1)
);

CREATE TABLE history (
    version    bigint NOT NULL CHECK (version >= 1),
    patient_id bigint PRIMARY KEY CHECK (patient_id >= 1),
    medicine   text CHECK (pg_catalog.length(medicine) BETWEEN 1 AND 128),
    dosage     text CHECK (pg_catalog.length(dosage) <= 256),
    -- How many diseases the rows in `diagnosis` hold together.
    diseases   bigint NOT NULL CHECK (diseases >= 0),
    visits     bigint NOT NULL CHECK (visits >= 0),
    lastvisit  integer CHECK (lastvisit BETWEEN -25567 AND 2932896)
);

CREATE TABLE consultation (
    version          bigint NOT NULL CHECK (version >= 1),
    consultation_id  bigint PRIMARY KEY CHECK (consultation_id >= 1),
    patient_id       bigint NOT NULL CHECK (patient_id >= 1),
    date             integer NOT NULL CHECK (date BETWEEN -25567 AND 2932896),
    prescription_ids text NOT NULL CHECK (pg_catalog.json_typeof(prescription_ids::json) = 'array'),
    state            text NOT NULL CHECK (state IN ('open', 'completed')),
    implicit         boolean NOT NULL
);
CREATE INDEX consultation_by_patient ON consultation (patient_id, consultation_id);
CREATE INDEX consultation_by_state ON consultation (state, consultation_id);

-- What was diagnosed in a consultation, apart from it. Consultations in which nothing was diagnosed have no row.
CREATE TABLE diagnosis (
    version         bigint NOT NULL CHECK (version >= 1),
    consultation_id bigint PRIMARY KEY CHECK (consultation_id >= 1),
    patient_id      bigint NOT NULL CHECK (patient_id >= 1),
    -- Which of the patient's visits the consultation was counted as, from 1; NULL until it is completed.
    visit           bigint CHECK (visit >= 1),
    diseases        text NOT NULL CHECK (pg_catalog.json_array_length(diseases::json) <= 30)
);
CREATE INDEX diagnosis_by_patient ON diagnosis (patient_id, consultation_id);

CREATE TABLE prescription (
    version         bigint NOT NULL CHECK (version >= 1),
    prescription_id bigint PRIMARY KEY CHECK (prescription_id >= 1),
    consultation_id bigint NOT NULL CHECK (consultation_id >= 1),
    patient_id      bigint NOT NULL CHECK (patient_id >= 1),
    medicine_key    text COLLATE "C" NOT NULL CHECK (medicine_key <> ''),
    medicine        text NOT NULL CHECK (pg_catalog.length(medicine) BETWEEN 1 AND 128),
    dosage          text CHECK (pg_catalog.length(dosage) <= 256),
    is_regular      boolean,
    price           bigint CHECK (price BETWEEN 0 AND 9007199254740991),
    currency        text CHECK (currency ~ '^[A-Z]{3}$'),
    prescribed      integer NOT NULL CHECK (prescribed BETWEEN -25567 AND 2932896),
    state           text NOT NULL CHECK (state IN ('active', 'completed')),
    dispensed       boolean NOT NULL,
    quantity        integer CHECK (quantity BETWEEN 1 AND 100000),
    every_days      integer CHECK (every_days BETWEEN 1 AND 365)
);
CREATE INDEX prescription_of_patient ON prescription (patient_id, prescription_id);
CREATE INDEX prescription_by_patient ON prescription (patient_id, medicine_key, prescription_id);
CREATE UNIQUE INDEX prescription_active ON prescription (patient_id, medicine_key) WHERE state = 'active';
CREATE INDEX prescription_by_medicine ON prescription (medicine_key, state, prescription_id);
CREATE INDEX prescription_by_state ON prescription (state, prescription_id);
-- Those that wait for an invoice, or for its payment.
CREATE INDEX prescription_single ON prescription (state, prescription_id) WHERE state = 'active' AND is_regular IS NOT TRUE;

CREATE TABLE invoice (
    version         bigint NOT NULL CHECK (version >= 1),
    invoice_id      bigint PRIMARY KEY CHECK (invoice_id >= 1),
    prescription_id bigint NOT NULL CHECK (prescription_id >= 1),
    patient_id      bigint NOT NULL CHECK (patient_id >= 1),
    medicine        text NOT NULL CHECK (pg_catalog.length(medicine) BETWEEN 1 AND 128),
    name            text CHECK (pg_catalog.length(name) BETWEEN 1 AND 256),
    age             integer CHECK (age BETWEEN 0 AND 150),
    invoice_date    integer NOT NULL CHECK (invoice_date BETWEEN -25567 AND 2932896),
    gender          text CHECK (pg_catalog.length(gender) <= 256),
    phone           bigint CHECK (phone BETWEEN 1 AND 999999999999999),
    email           text CHECK (pg_catalog.length(email) BETWEEN 3 AND 254),
    companyaddress  text CHECK (pg_catalog.length(companyaddress) <= 1024),
    dosage          text CHECK (pg_catalog.length(dosage) <= 256),
    price           bigint CHECK (price BETWEEN 0 AND 9007199254740991),
    currency        text CHECK (currency ~ '^[A-Z]{3}$'),
    state           text NOT NULL CHECK (state IN ('unpaid', 'paid', 'refunded')),
    quantity        integer CHECK (quantity BETWEEN 1 AND 100000),
    -- The receipt of its payment, and the credit note of its refund.
    receipt_id      bigint CHECK (receipt_id >= 1),
    credit_note_id  bigint CHECK (credit_note_id >= 1)
);
CREATE INDEX invoice_by_patient ON invoice (patient_id, invoice_id);
CREATE INDEX invoice_by_state ON invoice (state, invoice_id);
CREATE INDEX invoice_unpaid_by_patient ON invoice (patient_id, invoice_id) WHERE state = 'unpaid';
CREATE UNIQUE INDEX invoice_unpaid ON invoice (prescription_id) WHERE state = 'unpaid';
CREATE INDEX invoice_paid ON invoice (prescription_id, invoice_id) WHERE state = 'paid';
CREATE INDEX invoice_paid_by_patient ON invoice (patient_id, receipt_id, invoice_id) WHERE state = 'paid';

CREATE TABLE item (
    version      bigint NOT NULL CHECK (version >= 1),
    medicine_key text COLLATE "C" PRIMARY KEY CHECK (medicine_key <> ''),
    medicine     text NOT NULL CHECK (pg_catalog.length(medicine) BETWEEN 1 AND 128),
    is_available boolean NOT NULL,
    dosage       text CHECK (pg_catalog.length(dosage) <= 256),
    is_regular   boolean,
    price        bigint CHECK (price BETWEEN 0 AND 9007199254740991),
    currency     text CHECK (currency ~ '^[A-Z]{3}$')
);

-- Today's rows are written again and again: there is room in each page for the next version of a row.
CREATE TABLE demand (
    version         bigint NOT NULL CHECK (version >= 1),
    day             integer NOT NULL CHECK (day BETWEEN -25567 AND 2932896),
    medicine_key    text COLLATE "C" NOT NULL CHECK (medicine_key <> ''),
    medicine        text NOT NULL CHECK (pg_catalog.length(medicine) BETWEEN 1 AND 128),
    prescribed      bigint NOT NULL CHECK (prescribed >= 0),
    regular         bigint NOT NULL CHECK (regular >= 0),
    dispensed       bigint NOT NULL CHECK (dispensed >= 0),
    -- Of those that do not recur: what they are for, and what those of them are for that wait for an invoice.
    wanted_units    bigint NOT NULL CHECK (wanted_units >= 0),
    wanted_unnamed  bigint NOT NULL CHECK (wanted_unnamed >= 0),
    waiting_units   bigint NOT NULL CHECK (waiting_units >= 0),
    waiting_unnamed bigint NOT NULL CHECK (waiting_unnamed >= 0),
    PRIMARY KEY (day, medicine_key)
) WITH (fillfactor = 50);
CREATE INDEX demand_by_medicine ON demand (medicine_key, day);

-- Each interval apart, so that a prescription writes those that it changes.
CREATE TABLE regular_demand (
    version        bigint NOT NULL CHECK (version >= 1),
    medicine_key   text COLLATE "C" NOT NULL CHECK (medicine_key <> ''),
    every_days     integer NOT NULL CHECK (every_days BETWEEN 1 AND 365),
    medicine       text NOT NULL CHECK (pg_catalog.length(medicine) BETWEEN 1 AND 128),
    active_regular bigint NOT NULL CHECK (active_regular >= 0),
    wanted_units   bigint NOT NULL CHECK (wanted_units >= 0),
    wanted_unnamed bigint NOT NULL CHECK (wanted_unnamed >= 0),
    PRIMARY KEY (medicine_key, every_days)
) WITH (fillfactor = 50);

-- A medicine that is tracked.
CREATE TABLE stock (
    version       bigint NOT NULL CHECK (version >= 1),
    medicine_key  text COLLATE "C" PRIMARY KEY CHECK (medicine_key <> ''),
    medicine      text NOT NULL CHECK (pg_catalog.length(medicine) BETWEEN 1 AND 128),
    unit          text NOT NULL CHECK (pg_catalog.length(unit) BETWEEN 1 AND 32),
    pack_units    integer NOT NULL CHECK (pack_units BETWEEN 1 AND 1000000),
    supply_units  integer NOT NULL CHECK (supply_units BETWEEN 1 AND 100000),
    keep_days     integer NOT NULL CHECK (keep_days BETWEEN 0 AND 365),
    held          boolean NOT NULL,
    ordered       integer NOT NULL CHECK (ordered BETWEEN 0 AND 1000000000),
    policy        text NOT NULL CHECK (policy IN ('none', 'minMax', 'cover', 'service')),
    min           integer CHECK (min BETWEEN 0 AND 1000000000),
    max           integer CHECK (max BETWEEN 0 AND 1000000000),
    min_days      integer NOT NULL CHECK (min_days BETWEEN 0 AND 730),
    max_days      integer NOT NULL CHECK (max_days BETWEEN 1 AND 1095),
    lead_days     integer NOT NULL CHECK (lead_days BETWEEN 0 AND 365),
    review_days   integer NOT NULL CHECK (review_days BETWEEN 1 AND 365),
    service_level integer NOT NULL CHECK (service_level IN (80, 90, 95, 98, 99)),
    basis         text NOT NULL CHECK (basis IN ('dispensed', 'prescribed')),
    reserved      integer NOT NULL CHECK (reserved BETWEEN 0 AND 1000000000),
    -- The number of the last movement of any medicine before its tracking began, which tells one time of tracking from
    -- another.
    tracked_since bigint CHECK (tracked_since >= 1),
    -- The number of the last movement since its tracking began.
    moved         bigint CHECK (moved >= 1),
    -- The units of its open lots, and the earliest of their last days, so that its availability needs none of them.
    on_hand       integer NOT NULL CHECK (on_hand BETWEEN 0 AND 1000000000),
    expires       integer CHECK (expires BETWEEN -25567 AND 2932896)
) WITH (fillfactor = 50);

-- The lots with units. The key has the order in which they are handed out: a lot without a date has the day after the
-- last, and one without a text the empty text. The text of others is folded there.
CREATE TABLE open_lot (
    version      bigint NOT NULL CHECK (version >= 1),
    medicine_key text COLLATE "C" NOT NULL CHECK (medicine_key <> ''),
    expires      integer NOT NULL CHECK (expires BETWEEN -25567 AND 2932897),
    lot_key      text COLLATE "C" NOT NULL,
    medicine     text NOT NULL CHECK (pg_catalog.length(medicine) BETWEEN 1 AND 128),
    lot          text CHECK (pg_catalog.length(lot) BETWEEN 1 AND 20) CHECK ((lot IS NULL) = (lot_key = '')),
    on_hand      integer NOT NULL CHECK (on_hand BETWEEN 1 AND 1000000000),
    PRIMARY KEY (medicine_key, expires, lot_key)
) WITH (fillfactor = 50);
CREATE INDEX open_lot_by_lot ON open_lot (lot_key, medicine_key, expires);

-- The ledger. Its rows refer to invoices and prescriptions that may be gone.
CREATE TABLE movement (
    version         bigint NOT NULL CHECK (version >= 1),
    movement_id     bigint PRIMARY KEY CHECK (movement_id >= 1),
    medicine_key    text COLLATE "C" NOT NULL CHECK (medicine_key <> ''),
    medicine        text NOT NULL CHECK (pg_catalog.length(medicine) BETWEEN 1 AND 128),
    kind            text NOT NULL
        CHECK (kind IN ('receipt', 'dispense', 'return', 'removal', 'adjustment', 'reversal')),
    reason          text
        CHECK (reason IN ('expired', 'damaged', 'lost', 'recalled', 'supplier', 'other', 'opening', 'count')),
    units           integer NOT NULL CHECK (units BETWEEN -1000000000 AND 1000000000 AND units <> 0),
    balance         integer NOT NULL CHECK (balance BETWEEN 0 AND 1000000000),
    lot             text CHECK (pg_catalog.length(lot) BETWEEN 1 AND 20),
    expires         integer CHECK (expires BETWEEN -25567 AND 2932896),
    day             integer NOT NULL CHECK (day BETWEEN -25567 AND 2932896),
    invoice_id      bigint CHECK (invoice_id >= 1),
    prescription_id bigint CHECK (prescription_id >= 1),
    reverses        bigint CHECK (reverses >= 1),
    cost            bigint CHECK (cost BETWEEN 0 AND 9007199254740991),
    currency        text CHECK (currency ~ '^[A-Z]{3}$'),
    from_order      integer CHECK (from_order BETWEEN 1 AND 1000000000),
    note            text CHECK (pg_catalog.length(note) BETWEEN 1 AND 256),
    lot_key         text COLLATE "C" CHECK (lot_key <> '') CHECK ((lot_key IS NULL) = (lot IS NULL))
);
CREATE INDEX movement_by_lot ON movement (lot_key, medicine_key, movement_id) WHERE lot_key IS NOT NULL;
CREATE INDEX movement_by_medicine ON movement (medicine_key, movement_id);
CREATE INDEX movement_by_invoice ON movement (invoice_id, movement_id) WHERE invoice_id IS NOT NULL;
CREATE UNIQUE INDEX movement_reversal ON movement (reverses) WHERE reverses IS NOT NULL;

-- The medicine comes first: what was there on a day is in the last row up to it.
CREATE TABLE stock_day (
    version           bigint NOT NULL CHECK (version >= 1),
    medicine_key      text COLLATE "C" NOT NULL CHECK (medicine_key <> ''),
    day               integer NOT NULL CHECK (day BETWEEN -25567 AND 2932896),
    medicine          text NOT NULL CHECK (pg_catalog.length(medicine) BETWEEN 1 AND 128),
    receipts          bigint NOT NULL,
    received          bigint NOT NULL,
    dispensed         bigint NOT NULL CHECK (dispensed >= 0),
    returned          bigint NOT NULL CHECK (returned >= 0),
    dispensed_regular bigint NOT NULL CHECK (dispensed_regular >= 0),
    returned_regular  bigint NOT NULL CHECK (returned_regular >= 0),
    removed           bigint NOT NULL,
    adjusted          bigint NOT NULL,
    on_hand           integer NOT NULL CHECK (on_hand BETWEEN 0 AND 1000000000),
    usable            integer NOT NULL CHECK (usable BETWEEN 0 AND 1000000000),
    usable_until      integer CHECK (usable_until BETWEEN -25567 AND 2932896),
    PRIMARY KEY (medicine_key, day)
) WITH (fillfactor = 50);

CREATE TABLE dispensing (
    version      bigint NOT NULL CHECK (version >= 1),
    invoice_id   bigint PRIMARY KEY CHECK (invoice_id >= 1),
    medicine_key text COLLATE "C" NOT NULL CHECK (medicine_key <> ''),
    medicine     text NOT NULL CHECK (pg_catalog.length(medicine) BETWEEN 1 AND 128),
    is_regular   boolean NOT NULL,
    tracked_since bigint CHECK (tracked_since >= 1),
    lots         text NOT NULL CHECK (pg_catalog.json_array_length(lots::json) <= 64)
);

-- The ledger of money.
CREATE TABLE receipt (
    version        bigint NOT NULL CHECK (version >= 1),
    receipt_id     bigint PRIMARY KEY CHECK (receipt_id >= 1),
    kind           text NOT NULL CHECK (kind IN ('payment', 'refund', 'correction')),
    invoice_id     bigint NOT NULL CHECK (invoice_id >= 1),
    credit_note_id bigint CHECK (credit_note_id >= 1),
    corrects       bigint CHECK (corrects >= 1),
    method         text NOT NULL CHECK (method IN ('cash', 'card', 'mobile', 'bank', 'other')),
    from_method    text CHECK (from_method IN ('cash', 'card', 'mobile', 'bank', 'other')),
    amount         bigint CHECK (amount BETWEEN 0 AND 9007199254740991),
    currency       text CHECK (currency ~ '^[A-Z]{3}$'),
    day            integer NOT NULL CHECK (day BETWEEN -25567 AND 2932896),
    holder         text COLLATE "C" NOT NULL,
    reason         text
        CHECK (reason IN ('wrongEntry', 'returned', 'notSupplied', 'duplicate', 'goodwill', 'other')),
    note           text CHECK (pg_catalog.length(note) BETWEEN 1 AND 256)
);
CREATE INDEX receipt_by_invoice ON receipt (invoice_id, receipt_id);
CREATE INDEX receipt_by_holder ON receipt (holder, receipt_id);
-- Refunds and corrections are few among many payments.
CREATE INDEX receipt_refund ON receipt (kind, receipt_id) WHERE kind = 'refund';
CREATE INDEX receipt_correction ON receipt (kind, receipt_id) WHERE kind = 'correction';
CREATE INDEX receipt_corrected ON receipt (corrects, receipt_id) WHERE corrects IS NOT NULL;

-- The receipts of a holder on a day in a currency, counted; the empty text stands for invoices without a currency.
CREATE TABLE takings (
    version  bigint NOT NULL CHECK (version >= 1),
    day      integer NOT NULL CHECK (day BETWEEN -25567 AND 2932896),
    holder   text COLLATE "C" NOT NULL,
    currency text COLLATE "C" NOT NULL CHECK (currency = '' OR currency ~ '^[A-Z]{3}$'),
    receipts bigint NOT NULL CHECK (receipts >= 1),
    unpriced bigint NOT NULL CHECK (unpriced BETWEEN 0 AND receipts),
    totals   text NOT NULL CHECK (pg_catalog.json_array_length(totals::json) <= 5),
    PRIMARY KEY (day, holder, currency)
) WITH (fillfactor = 50);

CREATE TABLE counter (
    version bigint NOT NULL CHECK (version >= 1),
    series  text COLLATE "C" PRIMARY KEY
        CHECK (series IN ('patient', 'prescription', 'invoice', 'consultation', 'movement', 'receipt', 'creditNote')),
    last    bigint NOT NULL CHECK (last >= 1)
) WITH (fillfactor = 10);

-- What was answered to requests that may be repeated, kept for a day.
CREATE TABLE reply (
    reply_id    text COLLATE "C" PRIMARY KEY CHECK (pg_catalog.length(reply_id) = 32),
    version     bigint NOT NULL CHECK (version >= 1),
    -- The owner of the request and the key that its sender gave it; neither once the reply is erased.
    actor       text COLLATE "C" CHECK ((actor IS NULL) = (key IS NULL)),
    key         text COLLATE "C" CHECK (pg_catalog.length(key) BETWEEN 1 AND 255),
    fingerprint text NOT NULL,
    at          bigint NOT NULL CHECK (at BETWEEN -2208988800000 AND 253402300799999),
    -- Whom the request concerned, if it was a patient. An erasure leaves it.
    patient_id  bigint CHECK (patient_id >= 1),
    answer      text NOT NULL CHECK ((answer::json) IS NOT NULL)
);
CREATE UNIQUE INDEX reply_to ON reply (actor, key);
CREATE INDEX reply_by_age ON reply (at, reply_id);
CREATE INDEX reply_by_patient ON reply (patient_id, reply_id) WHERE patient_id IS NOT NULL;

-- What the journal says of the keys that were issued to clients: here, or where an imported journal comes from.
CREATE TABLE key_record (
    key_id  text COLLATE "C" PRIMARY KEY CHECK (pg_catalog.length(key_id) = 12),
    version bigint NOT NULL CHECK (version >= 1),
    name    text NOT NULL CHECK (pg_catalog.length(name) BETWEEN 1 AND 64),
    scopes  text NOT NULL,
    expires bigint CHECK (expires BETWEEN -2208988800000 AND 253402300799999),
    revoked bigint CHECK (revoked BETWEEN -2208988800000 AND 253402300799999)
);

-- Who changed what, and when. Its primary key is what two writers meet at: each batch inserts its entries behind the
-- last one that it knows, and of two that know the same one only the first commits.
CREATE TABLE journal (
    seq       bigint PRIMARY KEY CHECK (seq >= 1),
    at        bigint NOT NULL CHECK (at BETWEEN -2208988800000 AND 253402300799999),
    actor     text NOT NULL,
    operation text NOT NULL,
    -- Each with the version of its record that the entry met, so that the journal leads from each version to the one
    -- before.
    changes   text NOT NULL,
    -- The keys of the records that were read.
    reads     text NOT NULL,
    -- In the entries of an erasure, the values that it has replaced.
    erased    text,
    -- The link of the chain: the SHA-256 of the link before and of what the entry says.
    link      bytea NOT NULL CHECK (pg_catalog.length(link) = 32),
    -- At the first entry of a batch, what tells the batch from any other: a writer whose connection was lost during its
    -- COMMIT looks here for what became of it.
    batch     bigint
);

-- The keys that were issued to clients, with the digests of their secrets, of which no journal entry speaks.
CREATE TABLE api_key (
    key_id   text COLLATE "C" PRIMARY KEY CHECK (pg_catalog.length(key_id) = 12),
    name     text NOT NULL CHECK (pg_catalog.length(name) BETWEEN 1 AND 64),
    -- The words for them, with a space between.
    scopes   text NOT NULL,
    -- SHA-256 of the secret, which is kept nowhere.
    digest   bytea NOT NULL CHECK (pg_catalog.length(digest) = 32),
    created  bigint NOT NULL CHECK (created BETWEEN -2208988800000 AND 253402300799999),
    expires  bigint CHECK (expires BETWEEN -2208988800000 AND 253402300799999),
    revoked  bigint CHECK (revoked BETWEEN -2208988800000 AND 253402300799999),
    replaces text CHECK (pg_catalog.length(replaces) = 12),
    -- SHA-256 of all of the above: nothing else shows whether a key was changed by hand.
    seal     bytea NOT NULL CHECK (pg_catalog.length(seal) = 32)
);
