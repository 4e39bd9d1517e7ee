package exchange

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/underway"
)

// That a node is gone is the node's own word, or its silence: it may be in league with
// whose jobs it loses. So a loss pays nothing that could have been mended, and all of
// them on one node no more than the owner chose.

// inTimeAnew reports whether a job that is lost could have been begun anew in time,
// had its user not said that it must not.
func (x *state) inTimeAnew(j *underway.Job, at market.Time) bool {
	if !j.Request.NoRestart || j.DueUS == 0 {
		return false
	}
	asked := j.Request.Asked(j.ID, j.Owner, at, j.Width)
	fastest := x.nodes.Fastest(&asked)
	return fastest > 0 && float64(x.timeOf(j.DueUS)-at) >= float64(j.AskedMS())/1e3/fastest
}

// loser is the node on which a job was lost, as it is now: one that has come back in
// another shape answers for what it was. nil: none.
func (x *state) loser(j *underway.Job) (int, *roster.Node) {
	index := j.LostOn - 1
	if index < 0 && len(j.Ranks) > 0 {
		index = j.Ranks[0].Node
	}
	if index < 0 || index >= x.nodes.Len() {
		return -1, nil
	}
	index = x.nodes.Latest(index)
	return index, x.nodes.At(index)
}

// lossLeft is what the loss of a job may cost, after what others on its node have
// cost within the hour; nil: any.
func (x *state) lossLeft(j *underway.Job) *market.Money {
	limit := x.rulesOf(j).LossLimit
	_, n := x.loser(j)
	if limit == rules.NoFloor || n == nil {
		return nil
	}
	left := max(0, limit-n.Lost(x.now))
	return &left
}

// lost notes what the loss of a job has cost.
func (x *floor) lost(j *underway.Job, paid market.Money) {
	index, n := x.loser(j)
	if paid <= 0 || n == nil || x.rulesOf(j).LossLimit == rules.NoFloor {
		return
	}
	n.NoteLoss(x.now, paid)
	x.touched.Node(index)
}
