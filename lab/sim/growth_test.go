package sim_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/chart"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/workload"
)

var (
	growthPlot = flag.String("growth", "", "draw what BenchmarkGrowth measures into this SVG")
	growthGaps = flag.Float64("growth.gaps", 1, "what the gaps between arrivals are multiplied by: below 1 nobody is idle, and many wait")
	growthJobs = flag.Int("growth.jobs", 20_000, "how many jobs come")
)

// growths are the policies whose growth is measured. Where every event gives every job
// another share, that is the rule, and its cost grows with the jobs that run: such are
// measured on small clusters alone.
var growths = []struct {
	policy, replan, sla string
	most                int // processors
}{
	{policy: "fcfs-bf", sla: "libra-plus"},
	{policy: "edf-bf", sla: "libra-plus"},
	{policy: "libra", replan: "touched", sla: "libra-plus"},
	{policy: "libra-plus", replan: "touched", sla: "libra-plus"},
	{policy: "libra-sla", sla: "libra-sla"},
	{policy: "make-way", sla: "libra-plus"},
	{policy: "first-price", sla: "libra-sla"},
	{policy: "first-reward", sla: "libra-sla"},
	{policy: "qops", sla: "libra-sla"},
	{policy: "libra", replan: "cluster", sla: "libra-plus", most: 1_280},
	{policy: "libra-plus", replan: "cluster", sla: "libra-plus", most: 1_280},
	{policy: "bid-share", sla: "libra-sla"},
	{policy: "mf-edf", sla: "libra-sla"},
	{policy: "mf-hbf", sla: "libra-sla"},
	{policy: "going-rate", sla: "libra-plus"},
}

// BenchmarkGrowth runs the same jobs on larger and larger clusters, the arrivals
// drawn together so that the load stays alike: what an event costs must not grow.
// Jobs are in memory.
func BenchmarkGrowth(b *testing.B) {
	lines := chart.Lines{
		Title:    "What a job costs as the cluster grows",
		Subtitle: "20,000 jobs of SDSC SP2 with drawn agreements, arrivals scaled with the cluster",
		X:        chart.Axis{Label: "processors", Log: true},
		Y:        chart.Axis{Label: "jobs per second of processor time", Log: true},
	}
	for _, g := range growths {
		name, set := g.policy, map[string]string(nil)
		if g.replan != "" {
			name, set = g.policy+"/"+g.replan, map[string]string{"replan": g.replan}
		}
		line := chart.Series{Name: strings.ReplaceAll(name, "/", ", replan="), Muted: g.most > 0}
		for _, processors := range []int{128, 1280, 12_800, 128_000, 1_000_000} {
			if g.most > 0 && processors > g.most {
				break
			}
			b.Run(fmt.Sprintf("%s/%d", name, processors), func(b *testing.B) {
				x := bench{trace: "SDSC-SP2-1998-4.2-cln.swf.gz", jobs: *growthJobs, sla: g.sla}
				text, small := x.text(b)
				arrivals := x.arrivals(b, text)
				for i := range arrivals {
					arrivals[i].Job.Submit *= market.Time(*growthGaps) * market.Time(small) / market.Time(processors)
				}
				nodes := market.Alike(market.Plain(), processors)
				jobs, before := 0, cpuTime(b)
				for b.Loop() {
					jobs += int(drive(b, workload.FromSlice(arrivals), nodes, g.policy, set).Jobs)
				}
				speed := float64(jobs) / (cpuTime(b) - before)
				b.ReportMetric(speed, "jobs/cpu-s")
				line.Points = append(line.Points, chart.Point{X: float64(processors), Y: speed, Low: speed, High: speed})
			})
		}
		if len(line.Points) > 0 {
			lines.Series = append(lines.Series, line)
		}
	}
	if *growthPlot != "" {
		if err := os.WriteFile(*growthPlot, lines.SVG(), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}
