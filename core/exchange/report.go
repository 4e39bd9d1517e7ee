package exchange

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/meter"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// report takes in what agents said: how far tasks are, and which have ended. What a
// node says of another's is left out, whoever let it through.
func (x *overseer) report(by trade.Identity, m *trade.Measured) error {
	if x.cluster == nil {
		return nil
	}
	// 1. Note what was measured of each task.
	jobs := map[int64]bool{}
	for i := range m.Tasks {
		said := m.Tasks[i] // the command is as it was said
		x.farewell(by, &said)
		if j, r := x.speaksOf(by, &said); r != nil {
			x.observe(j, r, &said)
			jobs[j.ID] = true
		}
	}

	// 2. Begin again with what was lost; of the others, see what the cluster must hear.
	ids := slices.Sorted(maps.Keys(jobs))
	happened, err := x.happened(ids)
	if err != nil {
		return err
	}

	// 3. Tell it who has ended, and how far the rest are.
	if len(happened) > 0 {
		if err := x.floor.step(happened...); err != nil {
			return err
		}
	}

	// 4. Sell more to those who need more, or end them.
	if err := x.overruns(); err != nil {
		return err
	}
	for _, id := range ids {
		if j := x.jobs.Find(id); j != nil {
			if err := errors.Join(x.payOn(j), x.payAhead(j), x.spent(j)); err != nil {
				return err
			}
		}
	}
	return nil
}

// speaksOf is the task that somebody speaks of; nil: it is of another attempt, its end
// was said before, or it is on another node than theirs.
func (x *overseer) speaksOf(by trade.Identity, s *task.Status) (*underway.Job, *underway.Rank) {
	j, r := x.jobs.Said(s)
	if r == nil || r.Status != nil || by.Role == trade.RoleNode && !x.again && !x.isOn(r, by.User) {
		return nil, nil
	}
	return j, r
}

// observe notes what was measured of a task, as far as that can be.
func (x *overseer) observe(j *underway.Job, r *underway.Rank, s *task.Status) {
	x.within(j, s)
	if x.rulesOf(j).Paid() && s.NeverBegan() { // what it took to find that out is not its
		s.CPUUS, s.DeclinedUS = 0, 0
	}
	what := journal.Reading
	if j.Request.Optional != nil || s.State.Final() || !r.Begun && underway.SaysBegun(s) {
		what = journal.Whole
	}
	x.floor.touched.Job(j.ID, what)
	if !r.Begun && underway.SaysBegun(s) {
		r.Begun = true
		x.jobs.Begun(j, x.now, x.floor.release)
	}
	speed := x.nodes.At(r.Node).Speed
	r.Observe(s, j.Threads(), speed)
	if j.Request.Optional != nil {
		took := r.Took
		r.ObservePart(s, speed, j.State == trade.Running, x.rulesOf(j).Granted())
		if r.Known && r.Took > took && x.rulesOf(j).Held() {
			x.nodes.Mark(r.Node, roster.Tasks) // it may have so much more
		}
	}
	others := j.Others(s.Rank)
	for k := range others { // they are as far
		others[k].Had, others[k].Status, others[k].Begun = r.Had, r.Status, r.Begun
	}
}

// happened is what the core must hear of jobs that go on: ends come before
// measurements. Those that have lost a task begin again.
func (x *overseer) happened(ids []int64) ([]market.Event, error) {
	var ends, uses []market.Event
	for _, id := range ids {
		j := x.jobs.Find(id)
		if j.State == trade.Running && meter.Lost(j.Measured()) {
			if err := x.restart(j); err != nil {
				return nil, err
			}
			continue
		}
		ends = append(ends, x.fulfilled(j)...)
		ends = append(ends, x.ended(j)...)
		uses = append(uses, x.used(j)...)
	}
	return append(ends, uses...), nil
}

// mostAttempts bounds how often a job begins again that its nodes, though they are
// there, cannot keep: one whose groups are broken would lose it for ever.
const mostAttempts = 10

// restart lets a job that lost a task begin again, as when its node is lost.
func (x *overseer) restart(j *underway.Job) error {
	for i := range j.Ranks {
		if s := j.Ranks[i].Status; s != nil && (s.State == task.Lost || s.Error == task.LeaseRanOut) {
			j.LostOn = j.Ranks[i].Node + 1
		}
	}
	why := underway.ForGood(j, x.nodes.All(), "a node lost one of its tasks")
	if why == "" && j.Attempt+1 >= mostAttempts {
		why = fmt.Sprintf("nodes lost it %d times", mostAttempts)
	}
	if why != "" {
		j.End, j.Reason, j.Detail = trade.Lost, market.NodeLost.String(), why
		return x.floor.step(market.Event{Kind: market.Cancelled, Job: market.JobID(j.ID)})
	}
	again := market.Event{Kind: market.Dislodged, Job: market.JobID(j.ID)}
	if !x.again { // the first version let it go back to who lost it
		again.Node = market.Int32(j.LostOn)
	}
	return x.floor.step(again)
}

// ended is what the core must hear of tasks that have ended: of a job that
// advances as one when all of them have, of the others each.
func (x *overseer) ended(j *underway.Job) []market.Event {
	var out []market.Event
	all, refused, most := meter.Ends(j.Measured())
	if refused && !all && j.State == trade.Running {
		x.floor.todo = append(x.floor.todo, followUp{job: j, next: isStopped, detail: "a node could not start one of its tasks"})
	}
	switch {
	case all && (j.End == trade.Cancelled || j.End == trade.Lost):
		j.Work = int64(float64(most) * 1e3)
		return []market.Event{{Kind: market.Cancelled, Job: market.JobID(j.ID)}}
	case j.Apart && (j.End == "" || j.Request.Optional != nil):
		for i := range j.Ranks {
			if r := &j.Ranks[i]; r.Status != nil && !r.Told {
				r.Told = true
				out = append(out, market.Event{Kind: market.Finished, Job: market.JobID(j.ID), Proc: r.Proc, Work: r.Worked()})
			}
		}
	case all:
		out = append(out, market.Event{Kind: market.Finished, Job: market.JobID(j.ID), Proc: market.AllTasks, Work: most})
	}
	return out
}

// used is what the core must hear of tasks that go on: only where what they had
// differs from what they were granted by more than measuring does.
func (x *overseer) used(j *underway.Job) []market.Event {
	if j.State != trade.Running && j.State != trade.Stopping || len(j.Ranks) == 0 {
		return nil
	}
	least, going := meter.Least(j.Measured())
	if !going {
		return nil
	}
	j.Work = int64(float64(least) * 1e3)
	j.Moved = true
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	if !here || !stand.Running || !x.kind.TimeShared {
		return nil
	}
	if !j.Apart {
		if !meter.Differ(stand.Estimate-stand.Left, least, stand.Estimate) {
			return nil
		}
		return []market.Event{{Kind: market.Used, Job: market.JobID(j.ID), Proc: market.AllTasks, Work: least}}
	}
	var out []market.Event
	for i := range j.Ranks {
		if r := &j.Ranks[i]; r.Status == nil {
			out = append(out, market.Event{Kind: market.Used, Job: market.JobID(j.ID), Proc: r.Proc, Work: r.Had})
		}
	}
	return out
}
