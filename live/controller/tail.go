package controller

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// tailWait is how long a node may take to answer with a piece of output.
const tailWait = 10 * time.Second

// Tail asks the node of a task for a piece of its output.
func (c *Controller) Tail(ctx context.Context, job int64, rank int, element *int, stderr bool, offset, limit int64) (task.Chunk, error) {
	j, err := c.Job(ctx, job)
	if err != nil {
		return task.Chunk{}, err
	}
	node, tail, err := trade.Output(&j, rank, element, stderr)
	if err != nil {
		return task.Chunk{}, err
	}
	tail.Offset, tail.Limit = offset, limit
	id, answer := c.fleet.requestTail(node, tail)
	defer c.fleet.withdrawTail(node, id)
	timer := time.NewTimer(tailWait)
	defer timer.Stop()
	select {
	case chunk := <-answer:
		return chunk, nil
	case <-timer.C:
		return task.Chunk{}, fmt.Errorf("%w: node %s does not answer", trade.ErrUnavailable, node)
	case <-ctx.Done():
		return task.Chunk{}, ctx.Err()
	}
}

// requestTail puts a wish for output into what the node comes for.
func (f *fleet) requestTail(node string, t task.Tail) (id string, answer chan task.Chunk) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nextID++
	t.ID = fmt.Sprint(f.c.now(), "-", f.nextID)
	answer = make(chan task.Chunk, 1)
	f.tails[t.ID] = answer
	m := f.member(node)
	m.desired.Tails = append(slices.Clone(m.desired.Tails), t)
	f.bumpVersion(m)
	return t.ID, answer
}

func (f *fleet) withdrawTail(node, id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.tails, id)
	m := f.member(node)
	m.desired.Tails = slices.DeleteFunc(slices.Clone(m.desired.Tails), func(t task.Tail) bool { return t.ID == id })
}

// Chunk hands over what a Tail asked for.
func (c *Controller) Chunk(_ context.Context, node, id string, chunk task.Chunk) error {
	c.fleet.mu.Lock()
	defer c.fleet.mu.Unlock()
	answer := c.fleet.tails[id]
	m := c.fleet.nodes[node]
	asked := -1
	if m != nil {
		asked = slices.IndexFunc(m.desired.Tails, func(t task.Tail) bool { return t.ID == id })
	}
	if answer == nil || asked < 0 {
		return fmt.Errorf("tail %s: %w", id, trade.ErrUnknown)
	}
	if !answers(&m.desired.Tails[asked], &chunk) {
		chunk = task.Chunk{Error: "what the node says of its output makes no sense"}
	}
	select {
	case answer <- chunk:
	default: // answered before
	}
	return nil
}

// mostComplaint bounds what a node says in place of output.
const mostComplaint = 4 << 10

// answers reports whether a piece of output is one that was asked for: whoever
// follows a file goes on where the piece ends, and must get on.
func answers(t *task.Tail, k *task.Chunk) bool {
	size := int64(len(k.Data))
	switch {
	case len(k.Error) > mostComplaint, k.Size < 0, k.Offset < 0, size > t.Limit:
		return false
	case size == 0:
		return true
	case k.Offset > k.Size-size:
		return false
	default:
		return t.Offset < 0 || k.Offset == t.Offset
	}
}
