-- Who leads, by number. Whoever takes the lead raises the term, here and in the
-- head, and every append says under which term it was decided: a leader that
-- stood still and did not notice can write nothing any more. The beat grows while
-- the leader is there (SQLite: in the lock file beside the database, which a full
-- disk does not hinder).
ALTER TABLE head ADD COLUMN term {int} NOT NULL DEFAULT 0;

CREATE TABLE leader (
	one   {int} NOT NULL PRIMARY KEY CHECK (one = 1),
	term  {int} NOT NULL,
	beat  {int} NOT NULL,
	pid   {int} NOT NULL,
	place {text} NOT NULL
) {hot};

INSERT INTO leader (one, term, beat, pid, place) VALUES (1, 0, 0, 0, '');
