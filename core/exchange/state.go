package exchange

import (
	"slices"

	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/allowance"
	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// state is all there is to know of a market. Its methods are questions: they can
// reach neither effects nor follow-ups, and change nothing that a snapshot holds.
// What changes it are the parts that carry out commands (parts.go).
type state struct {
	clock

	version string
	epochs  []trade.EpochView
	ruled   []rules.Rules // by epoch: how the market trades

	kind     policy.Kind
	rates    trade.Rates
	nodes    *roster.Roster
	cluster  *cluster.Cluster
	ledger   *ledger.Ledger
	accounts *accounts.Register // who may spend from what
	bound    bool               // by what was said, and not by names: see settle
	income   *allowance.Book    // who gets money by itself

	generation string // of the store that the market goes on in

	next    int64 // number of the next job or quote
	jobs    *underway.Book
	leaving map[int64]bool // jobs of which an attempt is being ended that another follows
	quotes  quote.Book
	wake    market.Time
	record  trade.Track

	// storeBy is before when the next job has to be sold more time for its memory and
	// disk: it may be early, and not late.
	storeBy market.Time

	readBack int64 // when it was read back from what was written down, by what that says; 0: never
	again    bool  // what is carried out was carried out before: see Again
}

func newState(version string) *state {
	books := ledger.New()
	books.Rule = ledger.RuleFirst
	return &state{
		version:  version,
		nodes:    roster.New(),
		jobs:     underway.NewBook(),
		leaving:  map[int64]bool{},
		quotes:   quote.NewBook(),
		ledger:   books,
		accounts: accounts.New(),
		income:   allowance.New(),
		next:     1,
		wake:     market.Never,
		storeBy:  market.Never,
	}
}

// Opened reports whether the exchange has had its first command.
func (x *state) Opened() bool { return len(x.epochs) > 0 }

// Underway counts the jobs that have not ended.
func (x *state) Underway() int { return x.jobs.Len() }

// Watch is who has waited, and wants to be let in.
func (x *state) Watch() *underway.Watch { return x.jobs.Watch() }

// epoch is the span of the log that is under way.
func (x *state) epoch() *trade.EpochView { return &x.epochs[len(x.epochs)-1] }

// nextDeadline is when the next job with an optional part has to end.
func (x *state) nextDeadline() market.Time {
	if due, some := x.jobs.NextDue(); some {
		return x.timeOf(due)
	}
	return market.Never
}

// eraOf is the epoch under whose rules a quote was made.
func (x *state) eraOf(q *quote.Held) int {
	if q.Era > 0 {
		return min(q.Era, len(x.epochs)) - 1
	}
	return x.eraAt(q.MadeUS) // of before it was noted
}

// setEpochs notes the spans of the log, and how the market trades in each.
func (x *state) setEpochs(epochs []trade.EpochView) {
	x.epochs = epochs
	x.ruled = x.ruled[:0]
	for i := range epochs {
		x.ruled = append(x.ruled, epochs[i].Rules())
	}
}

// rules are how the market trades now.
func (x *state) rules() *rules.Rules { return &x.ruled[len(x.ruled)-1] }

// era is the epoch by whose rules a job is billed: that in which it was taken in,
// or quoted, whatever has changed since.
func (x *state) era(j *underway.Job) int {
	if j.Era > 0 {
		return min(j.Era, len(x.epochs)) - 1
	}
	return x.eraAt(j.SubmittedUS) // of before it was noted
}

// eraAt is the epoch of a time.
func (x *state) eraAt(us int64) int {
	for i := len(x.epochs) - 1; i > 0; i-- {
		if x.epochs[i].FromUS <= us {
			return i
		}
	}
	return 0
}

// rulesOf are the rules by which a job is billed.
func (x *state) rulesOf(j *underway.Job) *rules.Rules { return &x.ruled[x.era(j)] }

// factorOf is what the prices of a job are times: that of its partition when it was taken in,
// or quoted, in millionths. 0: they are the market's.
func (x *state) factorOf(j *underway.Job) int64 {
	return x.epochs[x.era(j)].Rates.Factor(j.Request.Partition)
}

// Epochs lists the spans of the log.
func (x *state) Epochs() []trade.EpochView { return slices.Clone(x.epochs) }

// ratingOf is the rating of a node.
func (x *state) ratingOf(index int) float64 { return x.nodes.At(index).Rating }

// isOn reports whether a task is a node's. Without a name it is anybody's.
func (x *state) isOn(r *underway.Rank, node string) bool {
	return node == "" || x.nodes.At(r.Node).Node == node
}

// standing is the rate of work that a job needs from now on to be in time.
func (x *state) standing(j *underway.Job) (need float64, here bool) {
	if len(j.Ranks) == 0 { // it waits: its place in the queue is dear to find
		return 0, false
	}
	t := x.time()
	stand, here := x.cluster.Status(market.JobID(j.ID), t)
	if !here || !stand.Running {
		return 0, here
	}
	left, period := max(0, float64(stand.Left)), float64(stand.Due-t)
	if !stand.Due.Finite() || stand.Refining {
		return 0, true
	}
	if period <= 0 {
		return 1, true
	}
	return left / period, true
}
