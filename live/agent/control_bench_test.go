package agent

import (
	"context"
	"os"
	"testing"

	"github.com/libra-market/libra/core/task"
)

// BenchmarkHold is what one job costs an agent that holds it: five looks a
// second, one of which measures.
func BenchmarkHold(b *testing.B) {
	n := newControlNode(b)
	a, err := New(n.config, n.board, n.tree, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err = os.MkdirAll(a.control.dir, 0o700); err != nil {
		b.Fatal(err)
	}
	if a.lease, err = openLease(n.config.StateDir+"/lease", false); err != nil {
		b.Fatal(err)
	}
	order := n.batch(1, 0, 0.5)
	h := newHolder(a.control, order.Batch)
	h.setOrders([]task.Order{order})
	h.reconcile(context.Background(), false)
	n.standIn(order.Batch, "sleep 1000")
	until(b, "it to run", func() bool { h.reconcile(context.Background(), false); return h.held.StartedUS > 0 })
	b.Run("look", func(b *testing.B) {
		for b.Loop() {
			h.reconcile(context.Background(), false)
		}
	})
	b.Run("measure", func(b *testing.B) {
		for b.Loop() {
			h.reconcile(context.Background(), true)
		}
	})
	b.Run("reshare", func(b *testing.B) {
		for b.Loop() {
			order.CPU = 0.7 - order.CPU
			h.setOrders([]task.Order{order})
			h.reconcile(context.Background(), false)
		}
	})
}
