package exchange

import (
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/underway"
)

// An exchange is made of parts that stand on each other. Each has what there is to
// know (state), and by name those below that it asks: a lower one has no way to call
// a higher one. What has to happen above because of something below is noted there
// and done by who is above (followUp).

// assessor says what package bill is told of a job under way: what was agreed with
// it, and how it has ended or would end now.
type assessor struct{ *state }

// bank is whose money is whose: accounts, who may spend from them, what can be held.
type bank struct{ *state }

// pricer says what a request would cost, whether it can be had, and what could be
// had instead.
type pricer struct {
	*state

	bank *bank
}

// teller says how things stand to people who ask.
type teller struct {
	*state

	owed  *assessor
	bank  *bank
	price *pricer
}

// agents says to nodes what they should be doing, and what of their reports is news.
type agents struct {
	*state

	owed *assessor
}

// floor lets the cluster step and makes true what it says: places, shares, ends,
// bills. It notes what has changed, and for whom something follows.
type floor struct {
	*state

	owed  *assessor
	bank  *bank
	price *pricer

	todo    []followUp
	fx      Effects
	touched journal.Changes
	found   []*underway.Job // see notePoints
	moving  []*underway.Job
}

// overseer looks after jobs that run: what nodes report of them, more work than was
// estimated, optional parts, the end that somebody asks for.
type overseer struct {
	*state

	owed  *assessor
	floor *floor
}

// door is where people come in: submissions, quotes, cancellations.
type door struct {
	*state

	bank  *bank
	price *pricer
	tell  *teller
	floor *floor
	runs  *overseer

	program int  // see OfferPrograms
	alone   bool // nobody waits for an answer: there is nobody to offer anything else
}

// yard is where nodes come and go, and where the cluster is set up, for them or
// for another epoch.
type yard struct {
	*state

	tell  *teller
	floor *floor
}

// treasury carries out what is asked of accounts.
type treasury struct {
	*state

	bank  *bank
	floor *floor
}
