package roster

import "github.com/libra-market/libra/core/market"

// Losses is what losses on a node have cost within an hour.
type Losses struct {
	FromUS int64        `json:"from_us"`
	Paid   market.Money `json:"paid"`
}

const lossesUS = 3_600_000_000

// Lost is what losses on a node have cost within the hour up to a time.
func (n *Node) Lost(now int64) market.Money {
	if n.Losses == nil || now-n.Losses.FromUS >= lossesUS {
		return 0
	}
	return n.Losses.Paid
}

// NoteLoss notes what a loss on a node has cost.
func (n *Node) NoteLoss(now int64, paid market.Money) {
	l := Losses{FromUS: now}
	if n.Losses != nil && now-n.Losses.FromUS < lossesUS {
		l = *n.Losses
	}
	l.Paid += paid
	n.Losses = &l
}

// Latest is the index of the node that has the name of another now.
func (r *Roster) Latest(index int) int {
	if latest, known := r.byName[r.nodes[index].Node]; known {
		return latest
	}
	return index
}
