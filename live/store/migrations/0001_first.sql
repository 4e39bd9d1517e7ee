-- Words in braces stand for what the two databases spell differently; see the
-- dialects. Keyed tables without large columns are clustered by their key.

-- The truth, and where it ends. The fence counts the appends: a writer that
-- does not know its present value has missed one, and its own must not be
-- written. Its check turns a wrong value into an error where a statement
-- cannot be followed by a question.
CREATE TABLE log (
	seq  {id},
	at   {int} NOT NULL,
	kind {text} NOT NULL,
	body {bytes} NOT NULL,
	hash {bytes} NOT NULL
) {plain};

CREATE TABLE head (
	one   {int} NOT NULL PRIMARY KEY CHECK (one = 1),
	seq   {int} NOT NULL,
	hash  {bytes},
	fence {int} NOT NULL CHECK (fence >= 0)
) {hot};

INSERT INTO head (one, seq, hash, fence) VALUES (1, 0, NULL, 0);

-- Jobs as people see them. Specs are apart because they are large and never
-- change. There is no index on the time of submission: it goes with the ID.
CREATE TABLE jobs (
	id        {id},
	owner     {text} NOT NULL,
	account   {text} NOT NULL,
	name      {text} NOT NULL,
	state     {text} NOT NULL,
	submitted {int} NOT NULL,
	ended     {int} NOT NULL,
	body      {bytes} NOT NULL
) {plain};

CREATE INDEX jobs_by_owner ON jobs (owner, account, state, id);
CREATE INDEX jobs_by_state ON jobs (state, id);

CREATE TABLE job_specs (
	id   {id},
	spec {bytes} NOT NULL
) {plain};

-- How many jobs there are for each first part of jobs_by_owner: the counts
-- people ask for, and the list of places in that index where a page is found.
CREATE TABLE job_counts (
	owner   {text} NOT NULL,
	account {text} NOT NULL,
	state   {text} NOT NULL,
	n       {int} NOT NULL,
	PRIMARY KEY (owner, account, state)
) {hot};

CREATE INDEX job_counts_by_account ON job_counts (account);

CREATE TABLE job_totals (
	state {text} NOT NULL PRIMARY KEY,
	n     {int} NOT NULL
) {hot};

-- The ledger. Postings are a JSON array in the transaction they belong to;
-- tx_accounts says which transactions touch an account.
CREATE TABLE txs (
	seq      {id},
	at       {int} NOT NULL,
	kind     {text} NOT NULL,
	job      {int} NOT NULL,
	memo     {text} NOT NULL,
	hash     {bytes} NOT NULL,
	body     {bytes} NOT NULL,
	postings {bytes} NOT NULL
) {plain};

CREATE TABLE tx_accounts (
	account {text} NOT NULL,
	tx      {int} NOT NULL,
	PRIMARY KEY (account, tx)
) {keyed};

-- Answers given, numbered in the order in which they were: the oldest are
-- forgotten first, and there is no index on the time because it goes with it.
CREATE TABLE replies (
	id     {id},
	owner  {text} NOT NULL,
	key    {text} NOT NULL,
	digest {bytes} NOT NULL,
	body   {bytes} NOT NULL,
	at     {int} NOT NULL,
	UNIQUE (owner, key)
) {plain};

-- A snapshot counts once done is 1.
CREATE TABLE snapshots (
	id      {id},
	seq     {int} NOT NULL,
	at      {int} NOT NULL,
	version {text} NOT NULL,
	digest  {bytes} NOT NULL,
	done    {int} NOT NULL
) {plain};

CREATE TABLE snapshot_parts (
	snapshot {int} NOT NULL,
	n        {int} NOT NULL,
	body     {bytes} NOT NULL,
	PRIMARY KEY (snapshot, n)
) {plain};

CREATE TABLE tokens (
	hash    {bytes} NOT NULL PRIMARY KEY,
	person  {text} NOT NULL,
	role    {text} NOT NULL,
	name    {text} NOT NULL,
	created {int} NOT NULL,
	expires {int} NOT NULL,
	used    {int} NOT NULL,
	revoked {int} NOT NULL
) {plain};

CREATE INDEX tokens_by_person ON tokens (person);

CREATE TABLE meta (
	key   {text} NOT NULL PRIMARY KEY,
	value {text} NOT NULL
) {keyed};
