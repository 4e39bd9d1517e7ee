package grid

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/libra-market/libra/core/market"
)

// Workload makes up applications as in section 4 of 003. Its zero value makes
// none; start from [Figure5] or [Figure6].
type Workload struct {
	Applications int
	MeanGap      float64 // seconds between arrivals, exponential
	// Laxity is by how much deadlines exceed the time that both parts take on
	// a processor of 1000 MIPS: even between two bounds, which may be equal.
	LaxityFrom, LaxityTo float64
	// K is the paper's budget rate: 1,000,000 MI of optional work pay K times
	// the mandatory budget, give or take a half.
	K float64
}

// Figure5 is the workload of 003, Figure 5: a fixed laxity (0.1, 0.2, 0.4, 0.6
// or 0.8 in the paper).
func Figure5(laxity float64) Workload {
	return Workload{Applications: 1000, MeanGap: 300, LaxityFrom: laxity, LaxityTo: laxity, K: 0.2}
}

// Figure6 is the workload of 003, Figure 6: laxities between 0.1 and 0.5, and a
// fixed budget rate (0.05 to 0.3 in the paper).
func Figure6(k float64) Workload {
	return Workload{Applications: 1000, MeanGap: 300, LaxityFrom: 0.1, LaxityTo: 0.5, K: k}
}

// The ranges of Figure 4(b), and the speed to which its "average execution
// time" refers.
const (
	mostJobs       = 16
	leastMandatory = 600_000.0
	mostMandatory  = 7_200_000.0
	leastOptional  = 0.5 // of the mandatory part
	mostOptional   = 4.0
	worthOfMI      = 0.001 // for each MI of the mandatory part
	averageMIPS    = 1000.0
	rateMI         = 1_000_000.0 // the optional work that K prices
)

// rateFactors are the slopes of Figure 4(c).
var rateFactors = [...]float64{0.5, 1, 1.5}

// Validate names the first parameter that makes no sense.
func (w *Workload) Validate() error {
	switch {
	case w.Applications < 0 || w.Applications > math.MaxInt32:
		return fmt.Errorf("applications: %d makes no sense (want 0 or more)", w.Applications)
	case !(w.MeanGap >= 0 && w.MeanGap <= 1e6):
		return fmt.Errorf("mean gap: %v makes no sense (want 0 or more)", w.MeanGap)
	case !(w.LaxityFrom >= -1 && w.LaxityFrom <= 1e6):
		return fmt.Errorf("laxity: %v makes no sense (want -1 or more)", w.LaxityFrom)
	case !(w.LaxityTo >= w.LaxityFrom && w.LaxityTo <= 1e6):
		return fmt.Errorf("laxity: %v makes no sense (want %v or more)", w.LaxityTo, w.LaxityFrom)
	case !(w.K >= 0 && w.K <= 1e6):
		return fmt.Errorf("k: %v makes no sense (want 0 or more)", w.K)
	}
	return nil
}

// Generate makes the applications in order of arrival, numbered from 1. Every
// parameter has random numbers of its own: two workloads of one seed that
// differ in laxity or rate are otherwise the same applications.
func (w *Workload) Generate(seed uint64) ([]Application, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	gap, jobs, length := stream(seed, "gap"), stream(seed, "jobs"), stream(seed, "mandatory")
	optional, laxity, factor := stream(seed, "optional"), stream(seed, "laxity"), stream(seed, "rate")
	apps := make([]Application, w.Applications)
	arrival := 0.0
	for i := range apps {
		arrival += float64(w.MeanGap * gap.ExpFloat64())
		m := even(length, leastMandatory, mostMandatory)
		o := float64(m * even(optional, leastOptional, mostOptional))
		worth := worthOfMI * m
		rate := w.K * rateFactors[factor.IntN(len(rateFactors))] * worth / rateMI
		apps[i] = Application{
			ID:        strconv.Itoa(i + 1),
			Position:  i,
			Arrival:   market.Time(arrival),
			Jobs:      1 + jobs.IntN(mostJobs),
			Mandatory: market.Work(m),
			Optional:  market.Work(o),
			Deadline:  market.Time((1 + even(laxity, w.LaxityFrom, w.LaxityTo)) * (m + o) / averageMIPS),
			Worth:     market.Price(worth),
			Budget:    Budget{rate: rate},
		}
	}
	return apps, nil
}

// stream is the random numbers of one parameter under a seed. The names are
// part of what a seed means.
func stream(seed uint64, parameter string) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	copy(key[8:], parameter)
	return rand.New(rand.NewChaCha8(key))
}

// even draws between two bounds.
func even(r *rand.Rand, from, to float64) float64 {
	return from + float64((to-from)*r.Float64())
}
