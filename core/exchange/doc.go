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
// Each file is about one thing, and they lean on those further down:
//
//	exchange.go   Do: check, catch up, carry out, follow up
//	submit.go     a job comes in; quotes.go: on a quote; offers.go: or what instead
//	apply.go      what the cluster says is made true: places, shares, ends
//	report.go     what agents say; overrun.go, refine.go: what follows from it
//	bill.go       the bill is posted; owed.go: what package bill is told
//	money.go      accounts are opened, bound, filled, limited
//	state.go      all there is to know: questions are asked of it, and write nothing
//	facts.go      what a command made true, for the log; image.go: put together again
//
// Below are packages that know nothing of it: bill says what is owed, accounts who
// may spend what, dispatch makes orders for nodes, meter makes work of measurements.
//
// The words are package trade's. Read exchange.go.
package exchange
