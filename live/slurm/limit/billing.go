package limit

import (
	"math"
	"strconv"
	"strings"
)

// billing is what Slurm calls the sum by which a partition bills a job, and of which there are limits too.
const billing = "billing"

// weights are what a partition bills for each of what a job has (TRESBillingWeights).
type weights struct {
	each []weight
	most bool // it bills for what comes to most, and not for all together (PriorityFlags=MAX_TRES)
}

// weight is what one of a kind is billed, of memory a megabyte.
type weight struct {
	kind string // in small letters
	each float64
}

// readWeights reads CPU=1.0,Mem=0.25G,GRES/gpu=2. Where a partition has none it bills processors.
func readWeights(partition, config string) (w weights) {
	for _, flag := range strings.Split(word(config, "PriorityFlags"), ",") {
		w.most = w.most || strings.HasPrefix(flag, "MAX_TRES")
	}
	text := word(partition, "TRESBillingWeights")
	for part := range strings.SplitSeq(text, ",") {
		kind, amount, found := strings.Cut(strings.ToLower(part), "=")
		if !found {
			continue
		}
		number := strings.TrimRight(amount, "kmgtp")
		if each, err := strconv.ParseFloat(number, 64); err == nil && each > 0 {
			w.each = append(w.each, weight{kind, each / perUnit(kind, amount[len(number):])})
		}
	}
	if text == "" || text == "(null)" {
		w.each = []weight{{"cpu", 1}}
	}
	return w
}

// perUnit is how many of what is counted a unit has: memory is counted in megabytes.
func perUnit(kind, unit string) float64 {
	if unit == "" {
		return 1
	}
	power := strings.Index("kmgtp", unit) + 1
	if kind == "mem" {
		power -= 2
	}
	return math.Pow(1024, float64(power))
}

// bill is what so much comes to, as Slurm counts it: a whole number.
func (w weights) bill(u Use, nodes int) int64 {
	sum, most := 0.0, 0.0
	for _, of := range w.each {
		amount := 0
		switch of.kind {
		case "cpu":
			amount = u.Processors
		case "mem":
			amount = int(u.MemoryMB)
		case "node":
			amount = nodes
		case gpu:
			amount = u.GPUs
		default: // of a kind that is named, or none that is known here
			if name, is := strings.CutPrefix(of.kind, gpu+":"); is {
				amount = u.Kinds[name]
			}
		}
		sum += float64(of.each * float64(amount))
		most = max(most, of.each*float64(amount))
	}
	if w.most {
		sum = most
	}
	return int64(min(sum, 1<<53))
}

// bills is what a job is billed, of an array what runs at a time.
func (a *Ask) bills() int64 {
	jobs := max(1, a.Jobs)
	one := Use{Processors: a.Processors / jobs, MemoryMB: a.MemoryMB * int64(a.Processors/jobs), GPUs: a.GPUs / jobs}
	one.Count(a.GPUKind, one.GPUs)
	return int64(jobs) * a.weights.bill(one, max(1, a.Programs))
}
