// Package bill says what is owed: one pure function from what was agreed with a
// job and how it ended to what it is charged, what it is paid for lateness, the
// lines of its receipt and what the ledger has to post.
//
//	rules, job, ending  ->  Owed  ->  charge, penalty, lines, postings
//
// It knows no ledger, no market floor and no clock. Whoever shows an amount
// before a job has ended asks the same function with the ending that might be:
// what it costs if it ends now, if it is cancelled now, what its delay has come
// to. So no page, terminal or answer can say something that the bill does not.
//
// What is agreed beforehand is here too: the most that a job can cost, which is
// held for it (Most), and what work beyond its estimate costs (Extension). The
// rules that an owner may choose are a struct (Rules), and their version is on
// every receipt.
//
// Money is whole micro-units; a policy's price becomes money once, when it is
// agreed. Read bill.go, then charge.go, storage.go
// and penalty.go.
package bill
