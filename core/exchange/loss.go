package exchange

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
)

// That a node is gone is the node's own word, or its silence: it may be in league with
// whose jobs it loses. So a loss pays nothing that could have been mended, and all of
// them on one node no more than the owner chose.

// losses is what losses on a node have cost within an hour.
type losses struct {
	FromUS int64        `json:"from_us"`
	Paid   market.Money `json:"paid"`
}

const lossesUS = 3_600_000_000

// inTimeAnew reports whether a job that is lost could have been begun anew in time,
// had its user not said that it must not.
func (x *state) inTimeAnew(j *activeJob, at market.Time) bool {
	if !j.Request.NoRestart || j.DueUS == 0 {
		return false
	}
	fastest := 0.0
	for _, n := range x.nodes {
		if !n.Retired {
			fastest = max(fastest, n.Rating)
		}
	}
	return fastest > 0 && float64(x.timeOf(j.DueUS)-at) >= float64(j.askedMS())/1e3/fastest
}

// loser is the node on which a job was lost, as it is now: one that has come back in
// another shape answers for what it was. nil: none.
func (x *state) loser(j *activeJob) (int, *node) {
	index := j.LostOn - 1
	if index < 0 && len(j.Ranks) > 0 {
		index = j.Ranks[0].Node
	}
	if index < 0 || index >= len(x.nodes) {
		return -1, nil
	}
	if latest, known := x.byName[x.nodes[index].Node]; known {
		index = latest
	}
	return index, x.nodes[index]
}

// lossLeft is what the loss of a job may cost, after what others on its node have
// cost within the hour; nil: any.
func (x *state) lossLeft(j *activeJob) *market.Money {
	limit := x.rulesOf(j).LossLimit
	_, n := x.loser(j)
	if limit == rules.NoFloor || n == nil {
		return nil
	}
	left := limit
	if l := n.Losses; l != nil && x.now-l.FromUS < lossesUS {
		left = max(0, limit-l.Paid)
	}
	return &left
}

// lost notes what the loss of a job has cost.
func (x *floor) lost(j *activeJob, paid market.Money) {
	index, n := x.loser(j)
	if paid <= 0 || n == nil || x.rulesOf(j).LossLimit == rules.NoFloor {
		return
	}
	l := losses{FromUS: x.now}
	if n.Losses != nil && x.now-n.Losses.FromUS < lossesUS {
		l = *n.Losses
	}
	l.Paid += paid
	n.Losses = &l
	x.touched.node(index)
}
