package exchange

import (
	"maps"
	"slices"

	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/underway"
)

// touchedJob is a job of which something has changed; nil: it is not under way.
type touchedJob struct {
	journal.Touch

	job *underway.Job
}

// touchedJobs are those, each looked up once, and in order.
func (x *floor) touchedJobs() []touchedJob {
	x.found = x.found[:0]
	for _, t := range x.touched.Jobs() {
		x.found = append(x.found, touchedJob{t, x.jobs.Find(t.ID)})
	}
	return x.found
}

// notePoints brings the timelines of the jobs up to date whose share may have
// changed. A reading alone notes nothing: a drift that is too small to be written
// down would be a point that recovery does not have.
func (x *floor) notePoints(of []touchedJob) {
	x.moving = x.moving[:0]
	for i := range of {
		if t := &of[i]; t.job != nil && t.What != journal.Reading {
			x.moving = append(x.moving, t.job)
		}
	}
	underway.NotePoints(x.moving, x.now)
}

// facts takes what the commands since it was last asked made true.
func (x *floor) facts(txs []ledger.Tx, jobs []touchedJob) journal.Facts {
	t := x.touched
	defer func() { x.touched = t.Next(len(x.epochs)) }()
	f := journal.Facts{
		Now: x.now, Next: x.next, Wake: x.wake, Record: x.record, Epochs: x.epochs[min(t.Epochs, len(x.epochs)):], Txs: txs,
		People: x.accounts.Changed(), Allowances: x.income.Changed(), Bound: t.Bound, Resumed: t.Resumed,
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
	for i := range jobs {
		id, what, j := jobs[i].ID, jobs[i].What, jobs[i].job
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
