package api

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"sync"

	"github.com/libra-market/libra/core/task"
)

// told is what each node was last told that it should be doing, so that it hears
// of changes alone. It is a memory and no truth: whoever holds something else, or
// comes after a restart, is told all, which is little, since programs are named.
type told struct {
	mu    sync.Mutex
	next  int64
	nodes map[string]memory
}

// memory is what an agent holds that has a mark.
type memory struct {
	mark   int64
	shares map[task.Key]task.Share
}

// newTold begins at a number that no earlier program has come to: marks of before
// a restart are nobody's.
func newTold(now int64) *told { return &told{next: now, nodes: map[string]memory{}} }

// changes says what differs between what a node should be doing and what an agent
// holds who names a mark.
func (t *told) changes(node string, since int64, d *task.Desired) task.Changes {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	out := task.Changes{Version: d.Version, Mark: t.next, Tails: d.Tails, LeaseMS: d.LeaseMS, ReportMS: d.ReportMS, Leader: d.Leader}
	before := t.nodes[node]
	if before.mark == since && since > 0 {
		out.Since = since
	} else {
		before = memory{}
	}
	now := memory{mark: t.next, shares: make(map[task.Key]task.Share, len(d.Orders))}
	for i := range d.Orders {
		s := d.Orders[i].Share()
		now.shares[s.Key] = s
		if was, known := before.shares[s.Key]; !known || !reflect.DeepEqual(was, s) {
			out.Orders = append(out.Orders, s)
		}
	}
	for key := range before.shares {
		if _, wanted := now.shares[key]; !wanted {
			out.Gone = append(out.Gone, key)
		}
	}
	slices.SortFunc(out.Gone, task.Key.Compare)
	t.nodes[node] = now
	return out
}

// orders answers like desired, with what has changed since a mark.
func orders(c *call) error {
	p, err := c.query()
	if err != nil {
		return err
	}
	since := p.number("since", 0, 0, 1<<62)
	d, err := c.awaitOrders(p)
	if err != nil {
		return err
	}
	changes := c.h.told.changes(c.who.User, since, &d)
	return c.answer(http.StatusOK, &changes)
}

// maxSpecs bounds the programs in one answer, but for the first, in bytes.
const maxSpecs = 1 << 20

// specs says what tasks of a node run.
func specs(c *call) error {
	var want task.SpecRequest
	if err := c.decode(&want); err != nil {
		return err
	}
	d, err := c.h.agents.Desired(c.r.Context(), c.who.User, -1, 0)
	if err != nil {
		return err
	}
	byKey := make(map[task.Key]*task.Spec, len(d.Orders))
	for i := range d.Orders {
		byKey[d.Orders[i].Spec.Key] = &d.Orders[i].Spec
	}
	var found []*task.Spec
	for _, key := range want.Keys {
		if s := byKey[key]; s != nil { // else it is no longer wanted
			found = append(found, s)
			delete(byKey, key) // who asks twice is answered once
		}
	}
	// Who has large programs makes nobody wait but those who have larger ones.
	slices.SortStableFunc(found, func(a, b *task.Spec) int { return cmp.Compare(weigh(a), weigh(b)) })
	out := task.Specs{Specs: []task.Spec{}}
	size := 0
	for _, s := range found {
		if size += weigh(s); size > maxSpecs && len(out.Specs) > 0 {
			break
		}
		out.Specs = append(out.Specs, *s)
	}
	return c.answer(http.StatusOK, &out)
}

// weigh is about how many bytes a program takes.
func weigh(s *task.Spec) int {
	n := 512 + len(s.Script)
	for _, texts := range [][]string{s.Argv, s.Env, s.Nodes} {
		for _, text := range texts {
			n += len(text)
		}
	}
	return n
}
