package exchange

import (
	"maps"
	"slices"

	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/underway"
)

// notePoints brings the timelines of the jobs up to date whose share may have changed, and returns
// them, each looked up once (nil: it is not under way). A reading alone notes nothing: a drift that is
// too small to be written down would be a point that recovery does not have.
func (x *floor) notePoints(of []journal.Touch) []*underway.Job {
	x.found, x.moving = x.found[:0], x.moving[:0]
	for _, t := range of {
		j := x.jobs.Find(t.ID)
		if x.found = append(x.found, j); j != nil && t.What != journal.Reading {
			x.moving = append(x.moving, j)
		}
	}
	underway.NotePoints(x.moving, x.now)
	return x.found
}

// facts takes what the commands since it was last asked made true.
func (x *floor) facts(txs []ledger.Tx, touches []journal.Touch, jobs []*underway.Job) journal.Facts {
	t := x.touched
	defer func() { x.touched = t.Next(len(x.epochs)) }()
	f := journal.Facts{
		Now: x.now, Next: x.next, Wake: x.wake, Record: x.record, Epochs: x.epochs[min(t.Epochs, len(x.epochs)):], Txs: txs,
		People: x.accounts.Changed(), Allowances: x.income.Changed(), Bound: t.Bound, Resumed: t.Resumed, Watched: x.jobs.Watch().On(),
	}
	if t.Epochs == 0 {
		f.Origin = x.origin
	}
	for _, index := range slices.Sorted(maps.Keys(t.Nodes)) {
		f.Nodes = append(f.Nodes, journal.NodeFact{Index: index, Node: *x.nodes.At(index)})
	}
	for _, id := range slices.Sorted(maps.Keys(t.Quotes)) {
		if q := x.quotes.Find(id); q != nil {
			f.Quotes = append(f.Quotes, q)
		} else {
			f.Dropped = append(f.Dropped, id)
		}
	}
	var changed, moved, used []market.JobID
	lags := false // does the book that the log has go by older speeds than the jobs that are written now?
	if len(jobs) > 1 {
		moved = make([]market.JobID, 0, len(jobs))
	}
	for i, j := range jobs {
		id, what := touches[i].ID, touches[i].What
		switch {
		case what&journal.Whole != 0 && j == nil:
			f.Gone = append(f.Gone, id)
			changed = append(changed, market.JobID(id))
			continue
		case what&journal.Whole != 0:
			lags = lags || !j.NotedSpeed()
			f.Jobs = append(f.Jobs, journal.FactOf(j))
			changed = append(changed, market.JobID(id))
			continue
		case what&journal.Used != 0:
			used = append(used, market.JobID(id))
		case what&journal.Speed != 0:
			moved = append(moved, market.JobID(id))
		}
		if j != nil && what&journal.Reading != 0 {
			f.Readings = f.Readings.Add(j)
		}
		if j != nil && what != journal.Reading {
			j.NoteSpeed()
		}
	}
	if x.cluster == nil || !t.Stepped && !lags {
		return f
	}
	b := x.cluster.Facts(changed, moved, used, slices.Sorted(maps.Keys(t.Procs)))
	f.Book = &b
	return f
}
