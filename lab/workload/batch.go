package workload

import (
	"fmt"
	"math"

	"github.com/libra-market/libra/core/market"
)

// Batch makes the jobs of 002, section 5: sequential, everything in whole
// numbers, each drawn evenly between its bounds.
type Batch struct {
	Jobs          int
	LastArrival   int     // arrivals 1 .. LastArrival, seconds
	ShortestMI    int     // length of a job, in million instructions,
	LongestMI     int     // in steps
	StepMI        int     // of this many
	Rating        float64 // MIPS of a node: the runtime is length / rating
	LastDeadline  int     // deadlines 1 .. LastDeadline, seconds from arrival
	Budget        int     // of most jobs, and the least of the others
	LargestBudget int     // the others have Budget .. LargestBudget
	PlainShare    float64 // share of the jobs with Budget, an exact count at random places
}

// FirstBatch is the paper's first batch: 100 jobs.
func FirstBatch() Batch {
	return Batch{
		Jobs: 100, LastArrival: 102,
		ShortestMI: 1000, LongestMI: 10900, StepMI: 100,
		// The paper does not state the rating; this one fits its table.
		Rating:       90,
		LastDeadline: 1200,
		Budget:       1000, LargestBudget: 12000, PlainShare: 0.8,
	}
}

// SecondBatch is the paper's second batch: 200 jobs. (The paper gives budgets
// to 80 % and "the other 40 %" of them; the first number is taken.)
func SecondBatch() Batch {
	b := FirstBatch()
	b.Jobs, b.LastArrival = 200, 208
	return b
}

// Validate names the first parameter that makes no sense.
func (b *Batch) Validate() error {
	for _, p := range [...]struct {
		name              string
		value, from, most int
	}{
		{"jobs", b.Jobs, 0, math.MaxInt32},
		{"last arrival", b.LastArrival, 1, math.MaxInt32},
		{"step of lengths", b.StepMI, 1, math.MaxInt32},
		{"shortest length", b.ShortestMI, 0, math.MaxInt32},
		{"longest length", b.LongestMI, b.ShortestMI, math.MaxInt32},
		{"last deadline", b.LastDeadline, 1, math.MaxInt32},
		{"budget", b.Budget, 0, math.MaxInt32},
		{"largest budget", b.LargestBudget, b.Budget, math.MaxInt32},
	} {
		if p.value < p.from || p.value > p.most {
			return fmt.Errorf("batch: %s: %d makes no sense (want %d to %d)", p.name, p.value, p.from, p.most)
		}
	}
	if !(b.Rating >= 1e-6) || b.Rating > 1e12 {
		return fmt.Errorf("batch: rating: %v makes no sense (want more than 0)", b.Rating)
	}
	if !(b.PlainShare >= 0 && b.PlainShare <= 1) {
		return fmt.Errorf("batch: share of plain budgets: %v makes no sense (want 0 to 1)", b.PlainShare)
	}
	return nil
}

// Generate makes the batch in order of arrival, numbered from 1.
func (b *Batch) Generate(seed uint64) ([]Arrival, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	plain := newDraws(seed, drawRichness).places(int(math.Round(b.PlainShare*float64(b.Jobs))), b.Jobs)
	when, length := newDraws(seed, drawArrival), newDraws(seed, drawLength)
	deadline, budget := newDraws(seed, drawDeadline), newDraws(seed, drawBudget)
	arrivals := make([]Arrival, b.Jobs)
	for i := range arrivals {
		mi := b.ShortestMI + b.StepMI*length.IntN((b.LongestMI-b.ShortestMI)/b.StepMI+1)
		offer := b.Budget + budget.IntN(b.LargestBudget-b.Budget+1)
		if plain[i] {
			offer = b.Budget
		}
		runtime := market.Work(float64(mi) / b.Rating)
		arrivals[i] = Arrival{
			Job: market.Job{
				Submit:   market.Time(1 + when.IntN(b.LastArrival)),
				Estimate: runtime,
				SLA:      market.SLA{Deadline: market.Time(1 + deadline.IntN(b.LastDeadline)), Budget: market.Price(offer)},
				Width:    1,
			},
			Actual: runtime,
		}
	}
	Sort(arrivals)
	for i := range arrivals {
		arrivals[i].Number = int64(i) + 1
	}
	return arrivals, nil
}
