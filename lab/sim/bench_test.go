package sim_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
)

// traces is where the real logs are, beside the project; where they are not,
// benchmarks run on a generated one and say so.
const traces = "../../../shared/traces"

// bench is one benchmark: a workload under a policy.
type bench struct {
	name, trace string
	jobs        int     // laid end to end to so many; 0: as it is
	stretch     float64 // of the gaps
	last        int
	sla         string
	policy      string
}

var benches = []bench{
	{name: "SP2x500k", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", jobs: 500_000, policy: "fcfs-bf"},
	{name: "SP2x500k-overload", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", jobs: 500_000, stretch: 0.6, policy: "fcfs-bf"},
	{name: "Curie", trace: "CEA-Curie-2011-2.1-cln.swf.gz", policy: "fcfs-bf"},
	{name: "SP2x500k", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", jobs: 500_000, policy: "fifo"},
	{name: "SP2x500k", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", jobs: 500_000, policy: "sjf-bf"},
	{name: "SP2last5000", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", last: 5000, stretch: 0.5, sla: "libra-plus", policy: "edf-bf"},
	{name: "SP2last5000", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", last: 5000, stretch: 0.5, sla: "libra-plus", policy: "libra"},
	{name: "SP2last5000", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", last: 5000, stretch: 0.5, sla: "libra-plus", policy: "libra-plus"},
	{name: "SP2last1000", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", last: 1000, stretch: 0.02, sla: "libra-sla", policy: "libra-sla"},
	{name: "SP2last5000", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", last: 5000, sla: "libra-sla", policy: "libra-sla"},
	{name: "SP2last5000", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", last: 5000, sla: "libra-sla", policy: "first-price"},
	{name: "SP2last5000", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", last: 5000, sla: "libra-sla", policy: "first-reward"},
	{name: "SP2last5000", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", last: 5000, sla: "libra-sla", policy: "bid-share"},
	{name: "SP2last5000", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", last: 5000, sla: "libra-sla", policy: "qops"},
	{name: "SP2last5000", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", last: 5000, stretch: 0.5, sla: "libra-plus", policy: "make-way"},
	{name: "SP2last5000", trace: "SDSC-SP2-1998-4.2-cln.swf.gz", last: 5000, stretch: 0.5, sla: "libra-plus", policy: "going-rate"},
}

// BenchmarkSimulate reports jobs a second through the real core: from the text
// of the log to the summary where the log has no SLA, and from the jobs in
// memory where a model has given them one.
func BenchmarkSimulate(b *testing.B) {
	for _, x := range benches {
		b.Run(x.policy+"/"+x.name, func(b *testing.B) {
			text, processors := x.text(b)
			jobs := 0
			var arrivals []workload.Arrival
			if x.sla != "" {
				arrivals = x.arrivals(b, text)
			}
			b.ReportAllocs()
			before := cpuTime(b)
			for b.Loop() {
				source := workload.FromSlice(arrivals)
				if x.sla == "" {
					source = must(workload.NewSWF(bytes.NewReader(text), x.trace))(b)
				}
				s := drive(b, source, market.Alike(market.Plain(), processors), x.policy, nil)
				jobs += int(s.Jobs)
			}
			b.ReportMetric(float64(jobs)/(cpuTime(b)-before), "jobs/cpu-s")
		})
	}
}

func drive(b *testing.B, source workload.Source, nodes market.Nodes, name string, set map[string]string) *report.Summary {
	kind := must(policy.Find(name))(b)
	c := must(cluster.Of(nodes, must(kind.New(set))(b)))(b)
	s := report.NewSummary(name, nodes.Len())
	if err := sim.Run(context.Background(), c, source, sim.Options{See: s.See}); err != nil {
		b.Fatal(err)
	}
	s.Close()
	return s
}

// text is the log as a file would have it, and the size of its cluster.
func (x *bench) text(b *testing.B) ([]byte, int) {
	path := filepath.Join(traces, x.trace)
	if _, err := os.Stat(path); err != nil {
		return x.generated(b)
	}
	f := must(workload.Open(path))(b)
	defer f.Close()
	arrivals := must(workload.Load(f))(b)
	return x.shape(b, arrivals), f.Header().Processors()
}

// generated stands in for a log that is not there.
func (x *bench) generated(b *testing.B) ([]byte, int) {
	b.Logf("%s is not here: measured on a generated log instead", x.trace)
	m := workload.NewLublin()
	m.Jobs = 20_000
	arrivals := must(workload.Load(must(m.Source(1))(b)))(b)
	return x.shape(b, arrivals), m.Nodes
}

func (x *bench) shape(b *testing.B, arrivals []workload.Arrival) []byte {
	if x.jobs > 0 {
		once := func() (workload.Source, error) { return workload.FromSlice(arrivals), nil }
		arrivals = must(workload.Load(workload.Repeat(once, int64(x.jobs))))(b)
	}
	if x.last > 0 && len(arrivals) > x.last {
		arrivals = arrivals[len(arrivals)-x.last:]
	}
	if x.stretch > 0 {
		arrivals = must(workload.Load(must(workload.StretchGaps(workload.FromSlice(arrivals), x.stretch))(b)))(b)
	}
	for i := range arrivals { // logs have whole seconds
		arrivals[i].Job.Submit = market.Time(math.Round(float64(arrivals[i].Job.Submit)))
	}
	var out bytes.Buffer
	if err := workload.WriteSWF(&out, workload.ConvertedHeader(arrivals), arrivals); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

func (x *bench) arrivals(b *testing.B, text []byte) []workload.Arrival {
	arrivals := must(workload.Load(must(workload.NewSWF(bytes.NewReader(text), x.trace))(b)))(b)
	model := must(workload.NewModel(x.sla))(b)
	if err := model.Apply(arrivals, 1); err != nil {
		b.Fatal(err)
	}
	return arrivals
}

// cpuTime is the processor time this process has had, in seconds: what other
// programs do on the machine is not ours.
func cpuTime(b *testing.B) float64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return float64(use.Utime.Nano()+use.Stime.Nano()) / 1e9
}

func must[T any](x T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}
