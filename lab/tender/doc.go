// Package tender puts an application out to tender among several sites of a
// simulated grid (003, section 3.1): each is asked what the application would
// add to its earnings, and the one that gains most gets it.
//
// A [Seller] is anything that can be asked, be given work, and tell what became
// of it; here these are sites of package grid. A [Tender] knows no more of them
// than that, schedules nothing, and keeps no memory between two applications.
// It asks what a sale is worth to the seller. The live broker is another idea
// under another name (live/broker): it buys for its users, at binding quotes,
// from markets that may be slow, gone or lying.
//
// Read seller.go first, then tender.go (the choice), then run.go (a whole
// workload) and outcome.go (what is reported of it).
package tender
