package store

import (
	"database/sql"
	"encoding/json"
	"strings"
)

// sqliteDialect is how SQLite spells what the two databases have in common.
func sqliteDialect() dialect {
	return dialect{
		words: strings.NewReplacer(
			"{id}", "INTEGER NOT NULL PRIMARY KEY",
			"{int}", "INTEGER",
			"{text}", "TEXT",
			"{bytes}", "BLOB",
			"{plain}", "STRICT",
			"{keyed}", "STRICT, WITHOUT ROWID",
			"{hot}", "STRICT, WITHOUT ROWID",
		),
		among:     "%s IN (SELECT value FROM json_each(?))",
		list:      func(ids []int64) any { text, _ := json.Marshal(ids); return string(text) },
		contains:  "instr(%s, ?) > 0",
		reading:   sql.TxOptions{ReadOnly: true},
		foreign:   "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
		integrity: "PRAGMA integrity_check(20)",
		present:   "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'libra_migrations'",

		tightening: sqliteTighten,
	}
}

// sqlitePragmas are said on every connection. What is acknowledged must survive
// a power cut, so the write-ahead log is synced at every commit.
var sqlitePragmas = []string{
	"busy_timeout(10000)",
	"synchronous(FULL)",
	"temp_store(MEMORY)",
}

// sqliteOld is how many jobs are looked up in one statement.
const sqliteOld = 64

// The statements of an append, each prepared once on the one connection that
// writes. Several rows to a statement were tried and are slower: SQLite then
// runs the rows through a coroutine.
var sqliteStatements = struct {
	fence, head, log                     string
	old, newest                          string
	insertJob, moveJob, updateJob        string
	spec, count, total, tx, touch, reply string
}{
	fence:     "UPDATE head SET fence = fence + 1 WHERE ?1 = 0 OR term = ?1 RETURNING seq, hash, fence",
	head:      "UPDATE head SET seq = ?, hash = ?, fence = fence + 1 WHERE fence = ? AND (?4 = 0 OR term = ?4)",
	log:       "INSERT INTO log (seq, at, kind, version, body, hash) VALUES (?, ?, ?, ?, ?, ?)",
	old:       "SELECT id, owner, account, state FROM jobs WHERE id IN (?" + strings.Repeat(", ?", sqliteOld-1) + ")",
	newest:    "SELECT coalesce(max(id), ?) FROM jobs",
	insertJob: "INSERT INTO jobs (owner, account, name, state, submitted, ended, body, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
	moveJob:   "UPDATE jobs SET owner = ?, account = ?, name = ?, state = ?, submitted = ?, ended = ?, body = ? WHERE id = ?",
	updateJob: "UPDATE jobs SET name = ?, submitted = ?, ended = ?, body = ? WHERE id = ?",
	spec:      "INSERT INTO job_specs (id, spec) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET spec = excluded.spec",
	count: "INSERT INTO job_counts (owner, account, state, n) VALUES (?, ?, ?, ?)" +
		" ON CONFLICT (owner, account, state) DO UPDATE SET n = n + excluded.n",
	total: "INSERT INTO job_totals (state, n) VALUES (?, ?) ON CONFLICT (state) DO UPDATE SET n = n + excluded.n",
	tx:    "INSERT INTO txs (seq, at, kind, job, memo, hash, body, postings) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
	touch: "INSERT INTO tx_accounts (account, tx) VALUES (?, ?)",
	reply: "INSERT INTO replies (id, owner, key, digest, body, at) VALUES (?, ?, ?, ?, ?, ?)" +
		" ON CONFLICT (owner, key) DO UPDATE SET id = excluded.id, digest = excluded.digest, body = excluded.body, at = excluded.at",
}

// The statements of the lead.
const (
	sqliteEnd   = "SELECT seq, hash FROM head"
	sqliteHash  = "SELECT hash FROM log WHERE seq = ?"
	sqliteTerm  = "SELECT term FROM leader"
	sqliteTake  = "UPDATE leader SET term = term + 1, pid = ?, place = ? WHERE term = ?"
	sqliteRaise = "UPDATE head SET term = ?, fence = fence + 1"

	sqliteSetMeta = "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)
