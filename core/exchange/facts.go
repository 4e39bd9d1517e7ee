package exchange

import (
	"maps"
	"math"
	"slices"

	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Facts is what a command made true: what was decided, promised, granted and
// billed, as the records that it changed stand after it. They are the log:
// recovery puts them into an [Image] one after the other and decides nothing, so
// that it does not matter which version of the program made them.
//
// It shares memory with the exchange: encode it before the next command.
type Facts struct {
	Origin  int64             `json:"origin,omitempty"` // with the first command
	Now     int64             `json:"now"`
	Next    int64             `json:"next"`
	Wake    market.Time       `json:"wake"`
	Record  trade.Track       `json:"record"`
	Epochs  []trade.EpochView `json:"epochs,omitempty"` // that began
	Nodes   []nodeFact        `json:"nodes,omitempty"`
	Jobs    []jobFact         `json:"jobs,omitempty"`
	Gone    []int64           `json:"gone,omitempty"` // jobs under way no longer
	Quotes  []*heldQuote      `json:"quotes,omitempty"`
	Dropped []string          `json:"dropped,omitempty"` // quotes
	Txs     []ledger.Tx       `json:"txs,omitempty"`
	People  []accounts.Person `json:"people,omitempty"` // who are bound to other accounts than before
	Bound   bool              `json:"bound,omitempty"`  // from here on nobody is bound by their name
	Resumed string            `json:"resumed,omitempty"`
	Book    *book.Facts       `json:"book,omitempty"` // and with it the shares of jobs that are not in Jobs
}

// Empty reports whether nothing has changed but time.
func (f *Facts) Empty() bool {
	return len(f.Epochs)+len(f.Nodes)+len(f.Jobs)+len(f.Gone)+len(f.Quotes)+len(f.Dropped)+len(f.Txs)+len(f.People) == 0 && f.Book == nil && !f.Bound && f.Resumed == ""
}

// Requested is what the job asks for that came in with the command, if one did.
func (f *Facts) Requested() *trade.Request {
	for i := range f.Jobs {
		if r := f.Jobs[i].Request; r != nil {
			return r
		}
	}
	return nil
}

// nodeFact is a node as it is now.
type nodeFact struct {
	Index int `json:"index"`
	node
}

// jobFact is a job under way as it is now. What it asked for is in the first one
// alone.
type jobFact struct {
	activeJob

	Request  *trade.Request `json:"request,omitempty"`
	Timeline []trade.Point  `json:"timeline,omitempty"` // none: it hides that of the job, which follows from its shares
}

// touched is what the commands since somebody last asked have changed.
type touched struct {
	jobs    map[int64]bool // true: in more than its speed
	procs   map[int]bool
	quotes  map[string]bool
	nodes   map[int]bool
	epochs  int // that were written down before
	stepped bool
	bound   bool
	resumed string
}

func (t *touched) job(id int64, all bool) {
	if t.jobs == nil {
		t.jobs = map[int64]bool{}
	}
	t.jobs[id] = t.jobs[id] || all
}

func (t *touched) proc(proc int32) {
	if t.procs == nil {
		t.procs = map[int]bool{}
	}
	t.procs[int(proc)] = true
}

func (t *touched) quote(id string) {
	if t.quotes == nil {
		t.quotes = map[string]bool{}
	}
	t.quotes[id] = true
}

func (t *touched) node(index int) {
	if t.nodes == nil {
		t.nodes = map[int]bool{}
	}
	t.nodes[index] = true
}

// notePoints brings the timelines of the jobs up to date whose share may have
// changed.
func (x *floor) notePoints() {
	for id := range x.touched.jobs {
		if j := x.jobs[id]; j != nil {
			j.notePoint(x.now)
		}
	}
}

// facts takes what the commands since it was last asked made true.
func (x *floor) facts(txs []ledger.Tx) Facts {
	t := x.touched
	x.touched = touched{epochs: len(x.epochs)}
	f := Facts{
		Now: x.now, Next: x.next, Wake: x.wake, Record: x.record, Epochs: x.epochs[min(t.epochs, len(x.epochs)):], Txs: txs,
		People: x.accounts.Changed(), Bound: t.bound, Resumed: t.resumed,
	}
	if t.epochs == 0 {
		f.Origin = x.origin
	}
	for _, index := range slices.Sorted(maps.Keys(t.nodes)) {
		f.Nodes = append(f.Nodes, nodeFact{Index: index, node: *x.nodes[index]})
	}
	for _, id := range slices.Sorted(maps.Keys(t.quotes)) {
		if q := x.quotes.find(id); q != nil {
			f.Quotes = append(f.Quotes, q)
		} else {
			f.Dropped = append(f.Dropped, id)
		}
	}
	var changed, moved []market.JobID
	for _, id := range slices.Sorted(maps.Keys(t.jobs)) {
		j := x.jobs[id]
		switch {
		case !t.jobs[id]:
			moved = append(moved, market.JobID(id))
			if j != nil {
				j.noteSpeed()
			}
		case j == nil:
			f.Gone = append(f.Gone, id)
			changed = append(changed, market.JobID(id))
		default:
			f.Jobs = append(f.Jobs, j.fact())
			changed = append(changed, market.JobID(id))
		}
	}
	if !t.stepped || x.cluster == nil {
		return f
	}
	b := x.cluster.Facts(changed, moved, slices.Sorted(maps.Keys(t.procs)))
	f.Book = &b
	return f
}

// driftAllowed is by how much the speed of a job that advances as one may differ
// from what the log has. Under proportional share every event changes the speeds
// of all, most of them by next to nothing: written down each time, the log would
// grow with the square of the jobs. A market that is read back takes a job to be
// as far as this allows, until its agent has measured it.
const driftAllowed = 0.01

// wroteSpeed reports whether the log has the speed of a job, near enough.
func (j *activeJob) wroteSpeed(speed float64) bool {
	return math.Abs(speed-j.speed) <= driftAllowed*j.speed
}

// noteSpeed notes that the log has the speed of a job.
func (j *activeJob) noteSpeed() {
	if len(j.Ranks) > 0 {
		j.speed = j.Ranks[0].Speed
	}
}

// fact writes a job down.
func (j *activeJob) fact() jobFact {
	j.noteSpeed()
	f := jobFact{activeJob: *j}
	if !j.logged {
		j.logged = true
		f.Request = &j.Request
	}
	return f
}
