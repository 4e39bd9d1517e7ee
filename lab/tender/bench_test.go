package tender_test

import (
	"testing"

	"github.com/libra-market/libra/lab/grid"
	"github.com/libra-market/libra/lab/tender"
)

// The paper's grid under its own workload (003, Figure 5 at 40 % laxity).
func BenchmarkPaper(b *testing.B) {
	w := grid.Figure5(0.4)
	apps, err := w.Generate(1)
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range grid.Policies() {
		b.Run(p.Name, func(b *testing.B) { benchmark(b, grid.PaperSites(), p, apps) })
	}
}

// One large site with thousands of jobs in it at a time: the cost of an event
// must not grow with them.
func BenchmarkCrowd(b *testing.B) {
	w := grid.Figure5(0.4)
	w.MeanGap = 3
	apps, err := w.Generate(1)
	if err != nil {
		b.Fatal(err)
	}
	site := []grid.Resource{{Name: "large", Processors: 14_400, MIPS: 1000}}
	for _, p := range grid.Policies() {
		b.Run(p.Name, func(b *testing.B) { benchmark(b, site, p, apps) })
	}
}

func benchmark(b *testing.B, sites []grid.Resource, p grid.Policy, apps []grid.Application) {
	b.ReportAllocs()
	for b.Loop() {
		door, err := tender.NewGrid(sites, p, tender.NoGain)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := tender.Run(b.Context(), door, apps, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(apps))*float64(b.N)/b.Elapsed().Seconds(), "applications/s")
}
