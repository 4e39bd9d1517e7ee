package exchange

import (
	"slices"

	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
)

// state is all there is to know of a market. Its methods are questions: they can
// reach neither effects nor follow-ups, and change nothing that a snapshot holds.
// What changes it are the methods of [Exchange], for commands alone.
type state struct {
	clock

	version string
	epochs  []trade.EpochView
	ruled   []rules.Rules // by epoch: how the market trades

	kind     policy.Kind
	rates    trade.Rates
	nodes    nodeList
	byName   map[string]int // the latest of a name
	cluster  *cluster.Cluster
	ledger   *ledger.Ledger
	accounts *accounts.Register // who may spend from what
	bound    bool               // by what was said, and not by names: see settle

	next   int64 // number of the next job or quote
	jobs   map[int64]*activeJob
	quotes quoteBook
	waits  map[int64][]int64 // by job: who waits for it
	wake   market.Time
	record trade.Track
}

func newState(version string) state {
	books := ledger.New()
	books.Rule = ledger.RuleFirst
	return state{
		version:  version,
		byName:   map[string]int{},
		jobs:     map[int64]*activeJob{},
		quotes:   newQuoteBook(),
		waits:    map[int64][]int64{},
		ledger:   books,
		accounts: accounts.New(),
		next:     1,
		wake:     market.Never,
	}
}

// Opened reports whether the exchange has had its first command.
func (x *state) Opened() bool { return len(x.epochs) > 0 }

// Underway counts the jobs that have not ended.
func (x *state) Underway() int { return len(x.jobs) }

// epoch is the span of the log that is under way.
func (x *state) epoch() *trade.EpochView { return &x.epochs[len(x.epochs)-1] }

// active lists the numbers of the jobs under way, in order.
func (x *state) active() []int64 {
	ids := make([]int64, 0, len(x.jobs))
	for id := range x.jobs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
