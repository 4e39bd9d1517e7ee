// Package exchange is the market floor of a live cluster: what people ask, as
// a pure state machine.
//
// It stands on the cluster, which decides who runs where and how fast, and on
// the ledger, which knows who has what, and adds what a live market needs
// beside them: accounts that pay, binding quotes, counter-offers, arrays and
// dependencies, over-runs, receipts. Commands come in with the time at which
// they happened; what follows is decided here and nowhere else, so the same
// commands give the same state, the same promises and the same bills. It has
// no clock, no files and no goroutines.
//
// Read request.go and job.go for the words, then exchange.go.
package exchange
