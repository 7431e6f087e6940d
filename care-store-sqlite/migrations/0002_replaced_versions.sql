-- Which version of each changed record an entry met, 0 for none, so that the journal leads from each version of a record
-- to the one before. Entries from before this have none.
ALTER TABLE journal ADD COLUMN replaced TEXT NOT NULL DEFAULT '[]';
