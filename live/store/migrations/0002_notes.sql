-- What a part of the market beside the log must remember before it acts, such
-- as the number a batch system gave a job.
CREATE TABLE notes (
	kind {text} NOT NULL,
	key  {text} NOT NULL,
	body {bytes} NOT NULL,
	PRIMARY KEY (kind, key)
) {keyed};
