// Package ledger keeps the money of the live market: who has how much, what is
// held for which job, and how it came to be so. It is double entry: every
// change is a transaction whose postings sum to zero, and every transaction
// carries the hash of the one before it, so that a log of them is a chain.
//
// It decides whether there is money enough for a hold, from whose pocket it
// comes and whether a limit forbids it. It never decides a price, never reads a
// clock and never writes anywhere: times come in as microseconds since 1970,
// transactions go out to be stored, and [Ledger.Apply] makes stored ones true
// again. It is not safe for use by several goroutines.
//
// Accounts form a tree by their paths, such as org/project/user. A job is paid
// by one account, from its own money first and then from that of the accounts
// above it, so that a project's money is spent by its members; the limits of
// the account and of all above it bound what may be held and spent in a month.
//
// Read tx.go first (what a transaction is), then ledger.go (how one becomes
// true), then hold.go and charge.go (the way of a job's money).
package ledger
