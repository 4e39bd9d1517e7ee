package oracle

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// The flavours of Generate. Flavours 0 to Flavours-1 suit every policy; the
// two after that leave out what some policies need: see Suits.
const (
	Integers   = iota // whole numbers, many equal submit times, equal estimates and dues
	ExactFit          // D = E, 2E, 3E, ...: halves and thirds; budgets equal to libra's cost or just off it
	Estimates         // under- and over-estimates by plain factors
	Wide              // parallel jobs, some wider than the cluster
	Bursts            // everything arrives at a handful of instants, also at likely completion times
	SoftHard          // soft and hard jobs that over-commit, with penalties that matter
	Continuous        // random reals, no ties
	Mixed             // each job of another flavour
	Flavours          // how many of them suit every policy

	NoBudget   = Flavours     // some budgets unlimited: not for libra-sla
	NoDeadline = Flavours + 1 // some deadlines and budgets missing: space-shared only
)

// Suits reports whether the text covers workloads of that flavour under the
// policy; if not, Run answers with an error.
func Suits(policy string, flavour int) bool {
	switch policy {
	case "libra-sla":
		return flavour < Flavours
	case "libra", "libra-plus":
		return flavour <= NoBudget
	}
	return flavour <= NoDeadline
}

// Generate makes a small workload: 1 to 60 jobs sorted by submit time, 1 to 8
// nodes. The same rng state gives the same workload.
func Generate(rng *rand.Rand, flavour int) (jobs []Job, nodes int) {
	nodes = 1 + rng.IntN(8)
	jobs = make([]Job, 1+rng.IntN(60))
	submit := 0.0
	if rng.IntN(3) == 0 {
		submit = float64(rng.IntN(1000)) // not every log starts at 0
	}
	for i := range jobs {
		f := flavour
		if f >= Mixed {
			f = rng.IntN(Mixed)
		}
		gap, j := generateJob(rng, f, nodes)
		if i > 0 {
			submit += gap
		}
		j.Submit = submit
		if flavour >= NoBudget && rng.IntN(3) == 0 {
			j.Budget = math.Inf(1)
		}
		if flavour >= NoDeadline && rng.IntN(3) == 0 {
			j.Deadline = math.Inf(1)
		}
		jobs[i] = j
	}
	return jobs, nodes
}

func generateJob(rng *rand.Rand, flavour, nodes int) (gap float64, j Job) {
	pick := func(xs ...float64) float64 { return xs[rng.IntN(len(xs))] }
	whole := func(lo, hi int) float64 { return float64(lo + rng.IntN(hi-lo+1)) }
	real := func(lo, hi float64) float64 { return lo + rng.Float64()*(hi-lo) }

	j.Procs = 1 + rng.IntN(min(nodes, 1+rng.IntN(4))) // mostly narrow
	j.Soft = rng.IntN(2) == 0
	switch flavour {
	case Integers:
		gap = pick(0, 0, 0, 1, 2)
		j.Runtime = whole(1, 8)
		j.Estimate = j.Runtime + pick(0, 0, 0, 1, -1, 3)
		j.Deadline = whole(1, 30)
		j.Budget = whole(1, 30)
		j.Penalty = whole(0, 3)
	case ExactFit:
		gap = pick(0, 0, 1, 2.5, 10)
		j.Runtime = pick(1, 2, 3, 5, 10, 0.1, 0.3, 1.0/3)
		j.Estimate = j.Runtime
		j.Deadline = j.Estimate * pick(1, 1.5, 2, 2, 3, 3, 3, 4, 5, 6, 10)
		cost := j.Estimate + j.Estimate/j.Deadline // libra's, gamma = delta = 1
		// Not 1e-12: of a third of something that is just half of the twelfth digit, to which
		// worth is compared, and whether a half is rounded up is nobody's rule.
		j.Budget = cost * pick(1, 1, 1+1.3e-12, 1-1.3e-12, 1-1e-6, 1+1e-6, 1.1, 2)
		j.Penalty = pick(0, 0.1, 0.5, 1)
	case Estimates:
		gap = pick(0, 1, 2, 3, 0.5)
		j.Runtime = whole(2, 12)
		j.Estimate = j.Runtime * pick(0.1, 0.25, 0.5, 0.9, 1, 1, 1.5, 2, 3)
		j.Deadline = j.Runtime * pick(0.5, 1, 1.5, 2, 3, 4, 8)
		j.Budget = j.Estimate * pick(1, 1.5, 2, 4, 8)
		j.Penalty = pick(0, 0.5, 1, 2)
	case Wide:
		gap = pick(0, 0, 1, 2, 4)
		j.Runtime = whole(1, 10)
		j.Estimate = j.Runtime * pick(1, 1, 1, 1.5, 0.5)
		j.Procs = 1 + rng.IntN(nodes+1) // up to one more than there are
		j.Deadline = j.Runtime * pick(1.5, 2, 3, 4, 6, 10)
		j.Budget = j.Estimate * pick(1, 1.2, 2, 4)
		j.Penalty = pick(0, 0.1, 1)
	case Bursts:
		gap = pick(0, 0, 0, 0, 0, 0, 0, 6, 12, 20)
		j.Runtime = pick(2, 3, 4, 6, 12)
		j.Estimate = j.Runtime * pick(1, 1, 1, 0.5, 2)
		j.Deadline = pick(6, 12, 20, 24, 60)
		j.Budget = pick(4, 8, 16, 64)
		j.Penalty = pick(0, 1, 4)
	case SoftHard:
		gap = pick(0, 0, 1, 1, 3)
		j.Runtime = whole(1, 10)
		j.Estimate = j.Runtime
		j.Soft = rng.IntN(4) > 0
		j.Deadline = j.Runtime * pick(1, 1.25, 1.5, 2, 2, 3, 4, 8)
		j.Budget = j.Runtime * pick(0, 1, 1, 2, 5, 7)
		j.Penalty = pick(0, 0.01, 0.1, 0.5, 2, 5)
	default: // Continuous
		gap = rng.ExpFloat64() * pick(0.5, 2, 6)
		j.Runtime = real(0.5, 20)
		j.Estimate = j.Runtime * real(0.3, 2)
		j.Deadline = j.Runtime * real(0.8, 8)
		j.Budget = j.Estimate * real(0.8, 8)
		j.Penalty = real(0, 2)
	}
	j.Estimate = math.Max(j.Estimate, j.Runtime/10) // an estimate of nothing is no SLA
	return gap, j
}

// Draw is Generate for rapid; the flavour is one that suits the policy. Rapid
// can only shrink the seed, so let Minimize cut the jobs.
func Draw(t *rapid.T, policy string) (jobs []Job, nodes int) {
	var flavours []int
	for f := range NoDeadline + 1 {
		if Suits(policy, f) {
			flavours = append(flavours, f)
		}
	}
	flavour := rapid.SampledFrom(flavours).Draw(t, "flavour")
	seed := rapid.Uint64().Draw(t, "seed")
	return Generate(rand.New(rand.NewPCG(seed, market.Bits(flavour))), flavour)
}

// Minimize drops jobs one by one as long as the workload still fails, and
// returns what is left: the shortest list to look at by hand.
func Minimize(jobs []Job, fails func([]Job) bool) []Job {
	jobs = slices.Clone(jobs)
	for i := len(jobs) - 1; i >= 0; i-- {
		fewer := slices.Delete(slices.Clone(jobs), i, i+1)
		if fails(fewer) {
			jobs = fewer
			i = len(jobs) // once more from the end: an earlier refusal may now hold
		}
	}
	return jobs
}

// String is the job as a line of a Go test.
func (j Job) String() string {
	return fmt.Sprintf("{Submit: %v, Runtime: %v, Estimate: %v, Procs: %d, Deadline: %v, Budget: %v, Penalty: %v, Soft: %v, GPUs: %d}",
		j.Submit, j.Runtime, j.Estimate, j.Procs, j.Deadline, j.Budget, j.Penalty, j.Soft, j.GPUs)
}
