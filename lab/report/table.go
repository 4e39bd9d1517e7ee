package report

import "github.com/libra-market/libra/core/market"

// Table folds records into the job table: one row per job, in the order of
// submission. Rows leave as soon as no earlier job is open, so that the table
// of a long run costs the memory of the jobs under way.
type Table struct {
	emit   func(*Row) error
	nodeOf func(proc int) int
	open   []openRow // from the oldest job that has not been emitted
	first  market.JobID
	err    error
}

type openRow struct {
	Row
	done bool
}

// NewTable makes a table that emits its rows in order. nodeOf maps processors
// to nodes; nil means that each is its own.
func NewTable(nodeOf func(proc int) int, emit func(*Row) error) *Table {
	if nodeOf == nil {
		nodeOf = func(proc int) int { return proc }
	}
	return &Table{emit: emit, nodeOf: nodeOf}
}

// See takes in a record.
func (t *Table) See(r *market.Record) {
	if r.Kind == market.Submitted || r.Kind == market.Reserved {
		t.open = append(t.open, openRow{Row: Row{
			Label: r.Spec.Name, Submit: r.Spec.Submit, Start: market.Never, Finish: market.Never, Width: r.Spec.Width,
		}})
		return
	}
	if r.Spec == nil || r.Job < t.first {
		return
	}
	row := &t.open[r.Job-t.first]
	switch r.Kind {
	case market.Accepted:
		row.Submit = r.Spec.Submit // what was reserved counts from when it was confirmed
		row.start(t, r)
		row.Cost, row.Priced = r.Price, r.Price.Limited()
	case market.Queued:
		row.Cost = r.Price
	case market.Granted:
		if !row.Start.Finite() {
			row.start(t, r)
			row.Priced = row.Cost.Limited()
		}
	case market.Evicted:
		row.Start, row.Nodes = market.Never, nil
	case market.Completed:
		row.Outcome, row.Finish, row.Cost, row.Priced = Completed, r.Finish, r.Price, r.Price.Limited()
		row.Utility, row.Valued = r.Spec.Utility(r.Finish), r.Spec.SLA.Budget.Limited()
		t.close(row)
	case market.Rejected:
		row.Outcome, row.Reason, row.Cost, row.Priced = Rejected, r.Reason, 0, false
		t.close(row)
	case market.Stopped:
		row.Reason = r.Reason
		if r.Reason == market.OutOfPatience {
			row.Outcome, row.Cost, row.Priced = Expired, r.Price, true
		}
		t.close(row)
	default: // says nothing of the job's fate
	}
}

func (o *openRow) start(t *Table, r *market.Record) {
	o.Start, o.Nodes = r.Start, o.Nodes[:0]
	for proc := range r.Procs.All() {
		node := market.Int32(t.nodeOf(proc))
		if n := len(o.Nodes); n == 0 || o.Nodes[n-1] != node {
			o.Nodes = append(o.Nodes, node)
		}
	}
}

func (t *Table) close(row *openRow) {
	row.done = true
	n := 0
	for n < len(t.open) && t.open[n].done {
		t.put(&t.open[n].Row)
		n++
	}
	t.open = t.open[n:]
	t.first += market.JobID(n)
}

func (t *Table) put(r *Row) {
	if t.err == nil {
		t.err = t.emit(r)
	}
}

// Close emits the rows of the jobs that the run left unfinished.
func (t *Table) Close() error {
	for i := range t.open {
		t.put(&t.open[i].Row)
	}
	t.open = nil
	return t.err
}
