package exchange

import (
	"slices"

	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// Effects is what has come of the commands since the last time somebody asked:
// what must be durable before anybody hears of it.
type Effects struct {
	Steps    []journal.Step // what the core was told, and what it said
	Txs      []ledger.Tx    // in the order of the ledger
	Jobs     []trade.Job    // of which something has changed that is worth writing down, as they are now
	First    map[int64]bool // those of them of which nothing was written down before
	Nodes    []string       // on which something starts or ends
	Reshared []string       // on which shares change
	Money    bool           // some balance changed
	Facts    journal.Facts  // all that is needed to make it true again

	changed map[int64]*underway.Job
	ended   map[int64]*underway.Job
}

func (fx *Effects) note(at market.Time, in, out []market.Event) {
	fx.Steps = append(fx.Steps, journal.NewStep(at, in, out))
}

// rebuilt notes that the cluster was set up anew.
func (fx *Effects) rebuilt(at market.Time, nodes []market.Node, e *trade.EpochView) {
	fx.Steps = append(fx.Steps, journal.Step{At: at, Rebuilt: &journal.Rebuilt{Nodes: nodes, Policy: e.Policy, Settings: e.Settings}})
}

func (fx *Effects) tx(t ledger.Tx) { fx.Txs = append(fx.Txs, t) }

func (fx *Effects) touch(j *underway.Job) {
	if fx.changed == nil {
		fx.changed = map[int64]*underway.Job{}
	}
	fx.changed[j.ID] = j
}

func (fx *Effects) over(j *underway.Job) {
	if fx.ended == nil {
		fx.ended = map[int64]*underway.Job{}
	}
	delete(fx.changed, j.ID)
	as := *j // nothing that is said of it afterwards counts
	fx.ended[j.ID] = &as
}

// write adds a job to what has to be written down.
func (fx *Effects) write(j *underway.Job, now trade.Job) {
	fx.Jobs = append(fx.Jobs, now)
	if !j.Written {
		fx.First[j.ID], j.Written = true, true
	}
}

// Effects takes what has come of the commands since it was last asked.
func (x *Exchange) Effects() Effects {
	fx := x.floor.fx
	touched := x.floor.touched.Jobs()
	jobs := x.floor.notePoints(touched)
	fx.First = map[int64]bool{}
	for _, j := range fx.changed {
		fx.write(j, x.view(j))
	}
	for _, j := range fx.ended {
		fx.write(j, j.Job)
	}
	slices.SortFunc(fx.Jobs, func(a, b trade.Job) int { return int(a.ID - b.ID) })
	fx.Nodes, fx.Reshared = x.nodes.TakeMarked()
	fx.Money = len(fx.Txs) > 0
	fx.Facts = x.floor.facts(fx.Txs, touched, jobs)
	x.floor.fx = Effects{}
	return fx
}

// Moved takes the jobs whose share or progress has changed since it was last
// asked, at a glance: too small to write down, and worth telling those who watch.
func (x *Exchange) Moved() []trade.Job {
	var moved []trade.Job
	for _, id := range x.jobs.IDs() {
		if j := x.jobs.Find(id); j.Moved {
			j.Moved = false
			moved = append(moved, x.glance(j))
		}
	}
	return moved
}
