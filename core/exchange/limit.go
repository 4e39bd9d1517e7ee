package exchange

import (
	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// Where nodes hold jobs to what was sold to them (rules.LimitNode), each order says
// how much that is, and a task that has had it stands still until more is sold or it
// is told to end. What can pay is sold more before that, so that it need not stand.

const (
	// windUp is how long a processor takes for so little work that who has no more left
	// has none, in seconds: a node slows a task down towards its limit, and stops it
	// just before, never after.
	windUp = 0.015
	// leadTime is how long before its limit a task is sold more, in seconds: what it
	// takes to report, to write down and to order.
	leadTime = 0.25
	// leadPart is the part of what was sold that it is at most: few jobs that keep to
	// their estimate should be asked.
	leadPart = 10
)

// soldTo is the work that was sold to a task on each of its processors, in this
// attempt.
func (x *state) soldTo(j *underway.Job, program int) market.Work {
	r := j.First(program)
	if r.Refining {
		return r.Took + j.OptionalWork()
	}
	ms := j.Request.EstimateMS
	if j.Request.Array != nil {
		n, lanes := j.Request.Array.Len(), j.Placed()
		ms *= int64((n - program + lanes - 1) / lanes)
	}
	return market.Work(float64(ms+j.Extra) / 1e3)
}

// most is the processor time that a node lets a task have; 0: all it can get.
func (x *state) most(j *underway.Job, program int, n *roster.Node) int64 {
	if !x.rulesOf(j).Held() || !n.Holds {
		return 0
	}
	return dispatch.Most(x.soldTo(j, program), n.Speed, j.Threads())
}

// hadSold reports whether a job was measured to have had all that was sold to it: on
// every processor, or where its tasks advance independently on some.
func (x *state) hadSold(j *underway.Job) bool {
	for program := range j.Placed() {
		r := j.First(program)
		if r.Status != nil || r.Refining {
			continue
		}
		if _, there := x.near(j, program, r.Had); there == j.Apart {
			return there
		}
	}
	return !j.Apart
}

// near reports whether a task that had so much is about to have had all that was
// sold to it, and whether it has.
func (x *state) near(j *underway.Job, program int, had market.Work) (near, there bool) {
	r := j.First(program)
	n, left := x.nodes.At(r.Node), x.soldTo(j, program)-had
	switch {
	case !x.rulesOf(j).Held():
		return false, false
	case !n.Holds: // it goes on until somebody tells it not to
		return left.Done(), left.Done()
	case had <= 0 && !r.HasBegun(): // so little was sold that it is near to begin with
		return false, false
	}
	there = left <= market.Work(windUp*n.Speed)
	lead := min(market.Work(leadTime*r.Speed), (left+had)/leadPart)
	return there || left <= lead && !r.Refining, there
}

// atLimit reports whether a task has come near its limit, or to it, and nobody has
// said so.
func (x *agents) atLimit(j *underway.Job, program int, had market.Work) bool {
	near, there := x.near(j, program, had)
	wasNear, wasThere := x.near(j, program, j.First(program).Had)
	return x.owed.watched(j) && (near && !wasNear || there && !wasThere)
}

// payAhead sells more to a job that is about to have had all that was sold to it.
// Nothing comes of it if there is no more to be had, or no money: it may end before
// it needs more.
func (x *overseer) payAhead(j *underway.Job) error {
	if x.jobs.Find(j.ID) != j || j.State != trade.Running || len(j.Ranks) == 0 || !x.rulesOf(j).Held() {
		return nil
	}
	for program := range j.Placed() {
		r := j.First(program)
		if r.Status != nil || r.Refining {
			continue
		}
		if near, _ := x.near(j, program, r.Had); near {
			detail := j.Detail
			sold, err := x.sellMore(j)
			if !sold {
				j.Detail = detail
			}
			return err
		}
	}
	return nil
}

// nodesHold reports whether all nodes of a job stop it by themselves.
func (x *state) nodesHold(j *underway.Job) bool {
	for i := range j.Ranks {
		if !x.nodes.At(j.Ranks[i].Node).Holds {
			return false
		}
	}
	return true
}

// marginFor is what is held beside a price for what a job can take until somebody
// knows: nothing where every node stops it by itself.
func (x *state) marginFor(price market.Money, workMS int64) market.Money {
	if x.rules().Held() && x.nodes.Census().HoldAll {
		return 0
	}
	return bill.Margin(x.rules(), price, workMS)
}

// marginOf is what of that is not for extensions of a job that runs.
func (x *state) marginOf(j *underway.Job, agreed *bill.Job) market.Money {
	if x.rulesOf(j).Held() && x.nodesHold(j) {
		return 0
	}
	return bill.Margin(x.rulesOf(j), agreed.Price, agreed.EstimateMS)
}

// mostCharged is the most that a job is charged of what is held for it: its budget, where
// it named one and its nodes stop it by themselves.
func (x *state) mostCharged(j *underway.Job, agreed *bill.Job) market.Money {
	if j.Request.Budget == nil || !x.rulesOf(j).Held() || !x.nodesHold(j) {
		return agreed.Held
	}
	return min(agreed.Held, max(agreed.Agreed(), market.Money(*j.Request.Budget))+agreed.Optional.Most(x.rulesOf(j)))
}
