package revenue

import (
	"fmt"
	"testing"

	"github.com/libra-market/libra/core/admission"
)

// The speed at the paper's size: aim for 5 million jobs a second.
func BenchmarkSectionVI(b *testing.B) {
	system := PaperSystem()
	sim, err := NewSimulator(system)
	if err != nil {
		b.Fatal(err)
	}
	for _, load := range []float64{0.6, 1, 2, 3, 5} {
		m := system.Model(load, admission.PaperPhi, admission.Scaled)
		o, err := m.Optimize()
		if err != nil {
			b.Fatal(err)
		}
		for _, rule := range []Rule{AdmitAll(&system), {"q*", o.QByClass}} {
			b.Run(fmt.Sprintf("load=%v/%s", load, rule.Name), func(b *testing.B) {
				b.ReportAllocs()
				jobs, i := int64(0), 0
				for b.Loop() {
					t := sim.Run(1, i, load, rule)
					jobs += t.Arrived
					i++
				}
				b.ReportMetric(float64(jobs)/b.Elapsed().Seconds(), "jobs/s")
			})
		}
	}
}
