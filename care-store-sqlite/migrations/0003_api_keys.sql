-- The keys that were issued to clients: the operator's data, of which no journal entry speaks.

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
