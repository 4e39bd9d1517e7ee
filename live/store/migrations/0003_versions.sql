-- Which form the body of an entry has. All that was written before this column
-- is of the first.
ALTER TABLE log ADD COLUMN version {int} NOT NULL DEFAULT 1;
