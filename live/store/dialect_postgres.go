package store

import (
	"database/sql"
	"strings"
)

// postgresDialect is how PostgreSQL spells what the two databases have in
// common. Texts are compared byte by byte, like in SQLite.
func postgresDialect() dialect {
	return dialect{
		words: strings.NewReplacer(
			"{id}", "BIGINT NOT NULL PRIMARY KEY",
			"{int}", "BIGINT",
			"{text}", `TEXT COLLATE "C"`,
			"{bytes}", "BYTEA",
			"{plain}", "",
			"{keyed}", "",
			"{hot}", "WITH (fillfactor = 50)", // updated in place, over and over
		),
		numbered: true,
		among:    "%s = ANY(?)",
		list:     func(ids []int64) any { return ids },
		contains: "strpos(%s, ?) > 0",
		reading:  sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead},
		lock:     "SELECT pg_advisory_xact_lock(hashtextextended('libra.migrate.' || current_schema(), 0))",
		foreign: "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename IN" +
			" ('log', 'head', 'jobs', 'job_specs', 'job_counts', 'job_totals', 'txs', 'tx_accounts'," +
			" 'replies', 'snapshots', 'snapshot_parts', 'tokens', 'meta', 'notes', 'leader', 'archives')",
		present: "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'libra_migrations'",
		shared:  " FOR SHARE",
	}
}

// postgresSession is said once on every connection. A server may be set to
// acknowledge what it has not written yet; stronger settings than ours stay.
const postgresSession = "SELECT set_config('synchronous_commit', 'on', false)" +
	" WHERE current_setting('synchronous_commit') = 'off'"

// The statements of an append. They are sent together and form one transaction:
// a whole table is one statement, its rows come as one array per column.
const (
	postgresFence = "UPDATE head SET fence = fence + 1 WHERE $1 = 0 OR term = $1 RETURNING seq, hash, fence"

	// A fence that has moved, or the term of another leader, becomes one that the table does not accept, which
	// stops all that follows without another question to the server.
	postgresHead = "UPDATE head SET seq = $1, hash = $2, fence = CASE WHEN fence = $3 AND ($4 = 0 OR term = $4) THEN fence + 1 ELSE -1 END"

	postgresLog = "INSERT INTO log (seq, at, kind, version, body, hash)" +
		" SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bytea[], $6::bytea[])"

	// All parts of this statement see the jobs as they were before it.
	postgresJobs = "WITH new AS (SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[]," +
		" $6::bigint[], $7::bigint[], $8::bytea[]) AS t (id, owner, account, name, state, submitted, ended, body))," +
		" old AS (SELECT owner, account, state FROM jobs WHERE id = ANY($1::bigint[]))," +
		" written AS (INSERT INTO jobs (id, owner, account, name, state, submitted, ended, body) SELECT * FROM new" +
		" ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, account = excluded.account, name = excluded.name," +
		" state = excluded.state, submitted = excluded.submitted, ended = excluded.ended, body = excluded.body)," +
		" change AS (SELECT owner, account, state, sum(n)::bigint AS n FROM (SELECT owner, account, state, 1 AS n FROM new" +
		" UNION ALL SELECT owner, account, state, -1 FROM old) AS c GROUP BY owner, account, state HAVING sum(n) <> 0)," +
		" counted AS (INSERT INTO job_counts AS c (owner, account, state, n) SELECT owner, account, state, n FROM change" +
		" ON CONFLICT (owner, account, state) DO UPDATE SET n = c.n + excluded.n)" +
		" INSERT INTO job_totals AS t (state, n) SELECT state, sum(n)::bigint FROM change GROUP BY state" +
		" ON CONFLICT (state) DO UPDATE SET n = t.n + excluded.n"

	postgresSpecs = "INSERT INTO job_specs (id, spec) SELECT * FROM unnest($1::bigint[], $2::bytea[])" +
		" ON CONFLICT (id) DO UPDATE SET spec = excluded.spec"

	postgresTxs = "INSERT INTO txs (seq, at, kind, job, memo, hash, body, postings) SELECT * FROM unnest(" +
		"$1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bytea[], $7::bytea[], $8::bytea[])"

	postgresTouched = "INSERT INTO tx_accounts (account, tx) SELECT * FROM unnest($1::text[], $2::bigint[])"

	postgresReplies = "INSERT INTO replies (id, owner, key, digest, body, at) SELECT * FROM unnest(" +
		"$1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::bytea[], $6::bigint[])" +
		" ON CONFLICT (owner, key) DO UPDATE SET" +
		" id = excluded.id, digest = excluded.digest, body = excluded.body, at = excluded.at"
)

// The statements of the lead.
const (
	// Older versions led by a lock that one session has alone. Ours have it
	// together, so that no such version leads beside one of ours.
	postgresElders = "SELECT pg_try_advisory_lock_shared(hashtextextended('libra.lead.' || current_schema(), 0))"

	postgresElder = "SELECT l.pid, coalesce(host(a.client_addr), 'local') FROM pg_locks l" +
		" LEFT JOIN pg_stat_activity a ON a.pid = l.pid" +
		" WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1" +
		" AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())" +
		" AND ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended('libra.lead.' || current_schema(), 0)"

	// The same questions within a transaction, by whoever is about to change the
	// tables.
	postgresNoElder  = "SELECT pg_try_advisory_xact_lock_shared(hashtextextended('libra.lead.' || current_schema(), 0))"
	postgresNoLeader = "SELECT pg_try_advisory_xact_lock(hashtextextended('libra.lead.' || current_schema() || '.' || term, 0)) FROM leader"

	postgresLock    = "SELECT pg_try_advisory_lock(hashtextextended('libra.lead.' || current_schema() || '.' || $1::bigint, 0))"
	postgresUnlock  = "SELECT pg_advisory_unlock(hashtextextended('libra.lead.' || current_schema() || '.' || $1::bigint, 0))"
	postgresRelease = "SELECT pg_advisory_unlock_all()"

	postgresLeader = "SELECT term, beat, pid, place FROM leader"
	postgresTake   = "UPDATE leader SET term = term + 1, beat = 0, pid = pg_backend_pid()," +
		" place = coalesce(host(inet_client_addr()), 'local') WHERE term = $1 AND beat = $2"
	postgresRaise = "UPDATE head SET term = $1, fence = fence + 1"
	postgresRenew = "UPDATE leader SET beat = beat + 1 WHERE term = $1"

	// A process that stands still may have sent half of an append: its transaction
	// would stay open, and the head locked, for as long as it stands.
	postgresTakePatience = "SET LOCAL lock_timeout = '1s'"
	postgresEndWriters   = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE granted AND pid <> pg_backend_pid()" +
		" AND relation IN ('head'::regclass, 'leader'::regclass) AND mode IN ('RowExclusiveLock', 'RowShareLock')" +
		" AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"

	// A server that is promoted, or brought back to a time, begins a timeline; one
	// that was made anew and filled is another system.
	postgresHistory = "SELECT (SELECT system_identifier FROM pg_control_system())::text || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"
	// Tables that were made anew and filled from a dump have another number.
	postgresTables  = "SELECT 'meta'::regclass::oid::text"
	postgresSetMeta = "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value"

	// A leader whose machine is gone must lose the lock in seconds, not in the
	// hours after which the system gives up a silent connection.
	postgresLeadSession = "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3;" +
		" SET tcp_user_timeout = 11000; SET statement_timeout = 0;" +
		" SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
)
