package journal

import (
	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/allowance"
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// Facts is what a command made true: what was decided, promised, granted and
// billed, as the records that it changed stand after it. They are the log:
// recovery puts them into an [Image] one after the other and decides nothing, so
// that it does not matter which version of the program made them.
//
// It shares memory with the exchange: encode it before the next command.
type Facts struct {
	Origin     int64                 `json:"origin,omitempty"` // with the first command
	Now        int64                 `json:"now"`
	Next       int64                 `json:"next"`
	Wake       market.Time           `json:"wake"`
	Record     trade.Track           `json:"record"`
	Epochs     []trade.EpochView     `json:"epochs,omitempty"` // that began
	Nodes      []NodeFact            `json:"nodes,omitempty"`
	Jobs       []underway.Job        `json:"jobs,omitempty"`
	Gone       []int64               `json:"gone,omitempty"`     // jobs under way no longer
	Readings   Readings              `json:"readings,omitempty"` // of jobs that are not in Jobs
	Quotes     []*quote.Held         `json:"quotes,omitempty"`
	Dropped    []string              `json:"dropped,omitempty"` // quotes
	Txs        []ledger.Tx           `json:"txs,omitempty"`
	People     []accounts.Person     `json:"people,omitempty"`     // who are bound to other accounts than before
	Allowances []allowance.Allowance `json:"allowances,omitempty"` // that are others than before, or were paid
	Bound      bool                  `json:"bound,omitempty"`      // from here on nobody is bound by their name
	Resumed    string                `json:"resumed,omitempty"`
	Watched    bool                  `json:"watched,omitempty"` // who has waited has to be let in
	Book       *book.Facts           `json:"book,omitempty"`    // and with it the shares of jobs that are not in Jobs
}

// Empty reports whether nothing has changed but time.
func (f *Facts) Empty() bool {
	return len(f.Epochs)+len(f.Nodes)+len(f.Jobs)+len(f.Gone)+len(f.Readings)+len(f.Quotes)+len(f.Dropped)+len(f.Txs)+len(f.People)+len(f.Allowances) == 0 && f.Book == nil && !f.Bound && f.Resumed == ""
}

// Requested is what the job asks for that came in with the command, if one did.
func (f *Facts) Requested() *trade.Request {
	for i := range f.Jobs {
		if r := &f.Jobs[i].Request; r.Said() {
			return r
		}
	}
	return nil
}

// NodeFact is a node as it is now.
type NodeFact struct {
	Index int `json:"index"`
	roster.Node
}

// FactOf writes a job down. What it asked for is in the first fact of it alone, how its
// price came about in the first since then, and its timeline follows from its shares.
func FactOf(j *underway.Job) underway.Job {
	j.NoteSpeed()
	f := *j
	f.Timeline = nil
	if j.Logged {
		f.Request = trade.Request{}
		if !j.Repriced {
			f.Working = trade.Working{}
		}
	}
	j.Logged, j.Repriced = true, false
	return f
}
