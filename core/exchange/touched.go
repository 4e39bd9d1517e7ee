package exchange

import (
	"maps"
	"slices"

	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
)

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
		if j := x.jobs.Find(id); j != nil {
			j.NotePoint(x.now)
		}
	}
}

// facts takes what the commands since it was last asked made true.
func (x *floor) facts(txs []ledger.Tx) journal.Facts {
	t := x.touched
	x.touched = touched{epochs: len(x.epochs)}
	f := journal.Facts{
		Now: x.now, Next: x.next, Wake: x.wake, Record: x.record, Epochs: x.epochs[min(t.epochs, len(x.epochs)):], Txs: txs,
		People: x.accounts.Changed(), Bound: t.bound, Resumed: t.resumed,
	}
	if t.epochs == 0 {
		f.Origin = x.origin
	}
	for _, index := range slices.Sorted(maps.Keys(t.nodes)) {
		f.Nodes = append(f.Nodes, journal.NodeFact{Index: index, Node: *x.nodes.At(index)})
	}
	for _, id := range slices.Sorted(maps.Keys(t.quotes)) {
		if q := x.quotes.Find(id); q != nil {
			f.Quotes = append(f.Quotes, q)
		} else {
			f.Dropped = append(f.Dropped, id)
		}
	}
	var changed, moved []market.JobID
	lags := false // does the book that the log has go by older speeds than the jobs that are written now?
	for _, id := range slices.Sorted(maps.Keys(t.jobs)) {
		j := x.jobs.Find(id)
		switch {
		case !t.jobs[id]:
			moved = append(moved, market.JobID(id))
			if j != nil {
				j.NoteSpeed()
			}
		case j == nil:
			f.Gone = append(f.Gone, id)
			changed = append(changed, market.JobID(id))
		default:
			lags = lags || !j.NotedSpeed()
			f.Jobs = append(f.Jobs, journal.FactOf(j))
			changed = append(changed, market.JobID(id))
		}
	}
	if x.cluster == nil || !t.stepped && !lags {
		return f
	}
	b := x.cluster.Facts(changed, moved, slices.Sorted(maps.Keys(t.procs)))
	f.Book = &b
	return f
}

func (t *touched) all(procs market.Procs) {
	for proc := range procs.All() {
		t.proc(market.Int32(proc))
	}
}
