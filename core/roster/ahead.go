package roster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// A node may be somebody else's from some time on, who has said so before: what could last until
// then is not sold there, and what is shorter is. It is that job's own matter, so nobody can keep
// others from the node by asking for what it cannot have.

// Announce notes from when on a node is somebody else's; 0: nobody has said so.
func Announce(r *Roster, index int, us int64) {
	if n := r.nodes[index]; n.AheadUS != us {
		n.AheadUS = us
		r.recount()
	}
}

// Clear is where a job may be that may last until some time, without the nodes that are somebody
// else's before; 0: until when is not known yet.
func Clear(c *Census, where *market.Where, untilUS int64) *market.Where {
	var soon []string
	for _, n := range taken(c, untilUS) {
		soon = append(soon, n.Node)
	}
	if len(soon) == 0 {
		return where
	}
	clear := market.Where{}
	if where != nil {
		clear = *where
	}
	if clear.Exclude != "" {
		soon = append(soon, clear.Exclude)
	}
	clear.Exclude = strings.Join(soon, ",")
	return &clear
}

// Ahead reports whether some nodes are somebody else's from some time on.
func (c *Census) Ahead() bool { return len(c.ahead) > 0 }

// taken are the nodes that are somebody else's before some time.
func taken(c *Census, untilUS int64) (soon []*Node) {
	for _, n := range c.ahead {
		if n.AheadUS < untilUS {
			soon = append(soon, n)
		}
	}
	return soon
}

// Soon says which of the nodes that a job may be on it cannot have for as long as it may last,
// after some words; empty: it can have all.
func Soon(c *Census, words string, where *market.Where, nowUS, untilUS int64) string {
	soon := Among(taken(c, untilUS), where)
	if len(soon) == 0 {
		return ""
	}
	first := soon[0]
	for _, n := range soon {
		if n.AheadUS < first.AheadUS {
			first = n
		}
	}
	others := ""
	if more := len(soon) - 1; more > 0 {
		others = fmt.Sprintf(", and %d more by when it may be done", more)
	}
	when := "now"
	if ms := (first.AheadUS - nowUS) / 1000; ms > 0 {
		when = "in " + market.Span(ms)
	}
	return fmt.Sprintf("%snode %s is reserved for others %s%s: what is sure to be done before may be there", words, first.Node, when, others)
}

// SetAside reports whether there are nodes that are set aside for a reservation, up or not.
func SetAside(nodes []*Node, reservation string) bool {
	return slices.ContainsFunc(nodes, func(n *Node) bool { return !n.Retired && n.Reserved == reservation })
}
