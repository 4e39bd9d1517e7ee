-- Parts of the log that are in files, one after the other from the first entry on:
-- what is here goes on after the last of them, and follows from its hash. Since
-- this form the rows of what ended long ago may be packed (pack.go), and a spec may
-- say in which entry it is instead.
CREATE TABLE archives (
	first    {id},
	last     {int} NOT NULL,
	first_at {int} NOT NULL,
	last_at  {int} NOT NULL,
	hash     {bytes} NOT NULL,
	file     {text} NOT NULL,
	size     {int} NOT NULL,
	digest   {bytes} NOT NULL,
	index_at {int} NOT NULL
) {plain};
