// Package store keeps what the live market must not lose: the log of commands
// and what came of them, and beside it what people look up (jobs, ledger
// transactions, answers given, tokens).
//
// The log is the truth. Every entry carries the hash of the one before, so a
// line that was changed, dropped or put in later is found by [Log.VerifyLog].
// Jobs, transactions and answers are written in the same step as the entries
// they follow from, never apart from them: [Writer.Append] writes a batch whole
// or not at all, and what it has acknowledged survives the end of the process
// and of the machine.
//
// There are two databases and one behaviour: SQLite in a file beside the
// controller, and PostgreSQL for several controllers of which one leads. All
// of the package but the files named after a database is common to both, and
// storetest holds the one suite that both must pass.
//
// A store has a form, which is the number of its last migration, and carries it:
// form.go refuses what is newer before anything is touched. [Save] and [Load]
// are backups: one portable file, of a state of a running store, restored in one
// transaction into an empty one of either database (backup.go, restore.go). A
// restored store is of another [Identity.Generation].
//
// Who leads has a lease that must be renewed, and a term that every write is under:
// a leader that stood still loses the lead within seconds and can write nothing any
// more (lead.go).
//
// The package decides nothing about the market. It never looks into a body, it
// knows no time but how long a lease lasts, and it never repairs a log: what does
// not fit is said.
//
// Read store.go first (the words), then parts.go (the contract, in small parts
// for small readers), then append.go (how a batch becomes durable), then
// migrations/0001_first.sql (the tables).
package store
