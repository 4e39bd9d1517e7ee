package underway

import (
	"fmt"
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// WorkedFrom is what the work of a job was worked out from: the processor time that its nodes
// measured, and how fast they are. Nodes of one speed are taken together.
func WorkedFrom(j *Job, speedOf func(node int) float64) []market.Input {
	type sum struct{ speed, cpu, declined float64 }
	var sums []sum
	for i := range j.Ranks {
		r := &j.Ranks[i]
		speed := speedOf(r.Node)
		if speed <= 0 {
			continue
		}
		first := j.First(i / j.Threads()) // what a program used on all its processors is noted with the first
		cpuUS := first.CPUUS
		if first.Refining {
			cpuUS = first.TookUS
		}
		cpu, had := float64(cpuUS)/1e6/float64(j.Threads()), float64(r.Mandatory())/speed
		k := slices.IndexFunc(sums, func(s sum) bool { return s.speed == speed })
		if k < 0 {
			k = len(sums)
			sums = append(sums, sum{speed: speed})
		}
		sums[k].cpu += cpu
		sums[k].declined += max(0, had-cpu)
	}
	if len(j.Ranks) == 0 {
		return nil
	}
	var in []market.Input
	for i, s := range sums {
		of := ""
		if len(sums) > 1 {
			of = fmt.Sprintf(" %d", i+1)
		}
		in = append(in, market.Input{Name: "speed" + of, Value: s.speed, Unit: "s of work a second"},
			market.Input{Name: "cpu" + of, Value: micro(s.cpu), Unit: "s"}, market.Input{Name: "declined" + of, Value: micro(s.declined), Unit: "s"})
	}
	how := "s on each processor: speed * (cpu + declined) / procs"
	if len(sums) > 1 {
		how += ", summed over the speeds"
	}
	return append(in, market.Input{Name: "work", Value: float64(j.Work) / 1e3, Unit: how + ", to the millisecond"})
}

// micro is a time to the microsecond, as it is measured: sums of floats have more.
func micro(seconds float64) float64 { return math.Round(seconds*1e6) / 1e6 }
