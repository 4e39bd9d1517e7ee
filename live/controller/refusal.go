package controller

import (
	"context"
	"fmt"
	"time"

	"github.com/libra-market/libra/core/task"
)

// A store that was put back by hand, without a word of what came after it, has a name
// that agents know to be of the past: they do not obey it, and must not, for a controller
// that was left behind with its store looks the same. Which of the two is to go on is for
// the operator to say (libra restore --put-back). Until then a node that refuses is as
// good as silent here, and what it says of this market is all that its word can do: the
// market takes no other name by itself, or one that was left behind would take the nodes
// of its successor.

// followsAnother is why such a node is lost.
const followsAnother = "it follows a market on a store that came after this one"

// refusalStays is how long after it was last said a refusal counts. An agent says it again
// within some seconds.
const refusalStays = time.Minute

// Refused hears that the agent of a node does not obey this market.
func (c *Controller) Refused(_ context.Context, node string, r task.Refusal) error {
	if r.Of != *c.Leader() || r.Follows.Generation == "" || r.Follows.Generation == c.generation {
		return nil // of another lead, or a word that says nothing
	}
	known, first := c.fleet.refuse(node, c.now())
	if !known {
		return unregistered(node)
	}
	if first {
		c.cfg.Logger.Warn("a node does not obey this market: "+followsAnother+". If this market was replaced, stop it. "+
			"If its store was put back on purpose, stop it and the other, run libra restore --put-back on the store, and start it again", "node", node)
	}
	return nil
}

// refuse notes a refusal; first: it was not said lately.
func (f *fleet) refuse(node string, now int64) (known, first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.nodes[node]
	if m == nil {
		return false, false
	}
	first = m.refused == 0 || now-m.refused > refusalStays.Microseconds()
	m.refused = now
	return true, first
}

// refuses reports whether a node has said that it follows another, and has not come for
// orders since.
func (f *fleet) refuses(node string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.nodes[node]
	return m != nil && m.refused != 0
}

// refusing counts the nodes that say so.
func (f *fleet) refusing(now int64) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.nodes {
		if m.refused != 0 && now-m.refused <= refusalStays.Microseconds() {
			n++
		}
	}
	return n
}

// whySilent is why a node is taken for lost that has not been heard of.
func (f *fleet) whySilent(node string) string {
	if f.refuses(node) {
		return followsAnother
	}
	return fmt.Sprintf("not heard of for %s", f.patience())
}

// Notice is what an operator should know though the market takes commands; empty: nothing.
func (c *Controller) Notice() string {
	if n := c.fleet.refusing(c.now()); n > 0 {
		return fmt.Sprintf("nodes that follow a market on a store that came after this one: %d; stop this market if it was replaced; if its store was put back on purpose, see libra restore --put-back", n)
	}
	return ""
}
