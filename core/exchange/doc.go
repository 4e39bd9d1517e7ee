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
// It is made of parts, each of which knows those below it and none above (parts.go):
//
//	Exchange   exchange.go   Do: check, catch up, carry out, follow up
//	door       submit.go     a job comes in; quotes.go, quotetake.go: on a quote; cancel.go, void.go: out again; dependents.go
//	yard       nodes.go      nodes come and go; epoch.go: another policy, other prices
//	treasury   money.go      accounts are opened, bound, filled, limited
//	overseer   report.go     what nodes say of jobs that run; overrun.go, refine.go, stop.go: what follows from it
//	floor      floor.go      the cluster steps; apply.go: what it says is made true; bill.go, hold.go: and paid for
//	teller     view.go       how things stand, for people; explain.go, view_nodes.go
//	agents     orders.go     what nodes should be doing, and what of what they say is news
//	pricer     price.go      what a request would cost; offers.go: or what instead; working.go: and why
//	bank       accounts.go   whose money is whose
//	assessor   owed.go       what package bill is told of a job; paid.go, optional.go
//	state      state.go      all there is to know
//
// What a command made true, for the log, is gathered in touched.go; package journal
// holds it, and puts it together again.
//
// The words are package trade's. Nodes (roster), jobs (underway), quotes, bills,
// accounts, orders (dispatch) and measurements (meter) are packages below, and know
// nothing of it. Read parts.go, then exchange.go.
package exchange
