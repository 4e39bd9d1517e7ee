package agent

import (
	"testing"

	"github.com/libra-market/libra/core/task"
)

// BenchmarkTask is the whole way of a task that does nothing: order, claim,
// group, shepherd, program, end, report.
func BenchmarkTask(b *testing.B) {
	n := newNode(b).start()
	n.await(b, "the agent to register", func() bool { return len(n.hellos) > 0 })
	var late int64
	for b.Loop() {
		order := n.shell(0, "")
		order.Spec.Key = task.Key{Job: nodes.Add(1)}
		order.Spec.Argv, order.Spec.Output, order.Spec.Error = []string{"true"}, "", ""
		n.order(order)
		got := n.end(b, order.Spec.Key)
		late += unixMicros() - got.EndedUS
	}
	b.ReportMetric(float64(late)/float64(b.N), "µs-until-reported")
}
