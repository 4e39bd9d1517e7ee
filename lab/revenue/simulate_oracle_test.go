package revenue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// oracle does the same in the most obvious way: at every instant look at every
// job. All its times are whole or quarters, so that nothing is rounded.
func oracle(s *System, jobs []Job) []Outcome {
	type state struct {
		waiting, running bool
		end              float64
	}
	states := make([]state, len(jobs))
	outcomes := make([]Outcome, len(jobs))
	limit := func(i int) float64 {
		value := jobs[i].Length / 3600 * float64(jobs[i].Width) * s.Price * s.Classes[jobs[i].Class].Skew
		return s.Grace*jobs[i].Length + value/s.Classes[jobs[i].Class].Decay
	}
	for now := math.Inf(-1); ; {
		// The next instant: an arrival, an end or an expiry.
		next := math.Inf(1)
		for i := range jobs {
			if jobs[i].Arrival > now {
				next = min(next, jobs[i].Arrival)
			}
			if states[i].running {
				next = min(next, states[i].end)
			}
			if states[i].waiting {
				next = min(next, jobs[i].Arrival+limit(i))
			}
		}
		if math.IsInf(next, 1) {
			return outcomes
		}
		now = next
		for i := range jobs {
			if states[i].running && states[i].end <= now+slack {
				states[i].running = false
			}
			if jobs[i].Arrival == now {
				if int(jobs[i].Width) > s.Processors {
					outcomes[i] = Outcome{Fate: Rejected, Time: now}
				} else {
					states[i].waiting = true
				}
			}
		}
		for i := range jobs {
			if states[i].waiting && jobs[i].Arrival+limit(i) <= now+slack {
				states[i].waiting = false
				value := jobs[i].Length / 3600 * float64(jobs[i].Width) * s.Price * s.Classes[jobs[i].Class].Skew
				outcomes[i] = Outcome{Fate: Expired, Time: jobs[i].Arrival + limit(i), Delay: limit(i), Revenue: -s.Penalty * value}
			}
		}
		for {
			best, free := -1, s.Processors
			for i := range jobs {
				if states[i].running {
					free -= int(jobs[i].Width)
				}
				if !states[i].waiting {
					continue
				}
				if best < 0 {
					best = i
					continue
				}
				a, b := s.Classes[jobs[i].Class].Decay, s.Classes[jobs[best].Class].Decay
				if a > b || a == b && jobs[i].Arrival < jobs[best].Arrival {
					best = i
				}
			}
			if best < 0 || int(jobs[best].Width) > free {
				break
			}
			states[best] = state{running: true, end: now + jobs[best].Length}
			delay := now - jobs[best].Arrival
			value := jobs[best].Length / 3600 * float64(jobs[best].Width) * s.Price * s.Classes[jobs[best].Class].Skew
			lost := s.Classes[jobs[best].Class].Decay * math.Max(0, delay-s.Grace*jobs[best].Length)
			outcomes[best] = Outcome{Fate: Ran, Time: now, Delay: delay, Revenue: value - lost}
		}
	}
}

// choices are how random lists are made: by rapid, which shrinks what fails, or
// by plain random numbers, which are many.
type choices struct {
	number func(low, high int) int
	pick   func(from ...float64) float64
}

// smallList makes a system and a list with ties of every kind: equal arrivals,
// ends and arrivals at one instant, limits reached as a slot comes free.
func smallList(c choices) (System, []Job) {
	s := PaperSystem()
	s.Processors = c.number(1, 6)
	s.Price = 3600 // so that value = length * width * skew
	s.Grace = c.pick(0, 1, 3)
	for i := range s.Classes {
		s.Classes[i].Decay = []float64{1, 4, 2, 8}[i]
		s.Classes[i].Skew = []float64{1, 1, 4, 4}[i]
	}
	jobs := make([]Job, c.number(0, 25))
	at := 0.0
	for i := range jobs {
		at += c.pick(0, 0, 0.25, 1, 2, 5)
		jobs[i] = Job{
			Arrival: at, Length: c.pick(0.25, 1, 2, 3, 4, 8), Class: int32(c.number(0, 3)), Width: int32(c.number(1, 4)),
		}
	}
	return s, jobs
}

// agree compares Play with the oracle, job by job.
func agree(s System, jobs []Job) ([]Outcome, error) {
	got, totals, err := Play(s, jobs, Rule{}, 1)
	if err != nil {
		return nil, err
	}
	sum := 0.0
	for i, want := range oracle(&s, jobs) {
		if !close6(got[i].Time, want.Time) || !close6(got[i].Delay, want.Delay) ||
			!close6(got[i].Revenue, want.Revenue) || got[i].Fate != want.Fate {
			return nil, fmt.Errorf("job %d %+v: %+v, not %+v", i, jobs[i], got[i], want)
		}
		sum += got[i].Revenue
	}
	if !close6(sum, totals.Revenue) || totals.Utilisation > 1+1e-9 {
		return nil, fmt.Errorf("totals %+v, sum %v", totals, sum)
	}
	return got, nil
}

func TestPlayAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, jobs := smallList(choices{
			number: func(low, high int) int { return rapid.IntRange(low, high).Draw(t, "number") },
			pick:   func(from ...float64) float64 { return rapid.SampledFrom(from).Draw(t, "pick") },
		})
		if _, err := agree(s, jobs); err != nil {
			t.Fatal(err)
		}
	})
}

func TestPlayAgainstOracleManyTimes(t *testing.T) {
	fates, onTheDot := map[Fate]int{}, 0
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 0))
		s, jobs := smallList(choices{
			number: func(low, high int) int { return low + r.IntN(high-low+1) },
			pick:   func(from ...float64) float64 { return from[r.IntN(len(from))] },
		})
		got, err := agree(s, jobs)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, a := range got {
			fates[a.Fate]++
			for _, b := range got {
				if a.Fate == Expired && b.Fate == Ran && a.Time == b.Time {
					onTheDot++
				}
			}
		}
	}
	if fates[Ran] == 0 || fates[Expired] == 0 || fates[Rejected] == 0 || fates[Waiting] != 0 || onTheDot == 0 {
		t.Errorf("not everything happened: %v, %d on the dot", fates, onTheDot)
	}
}

func close6(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(1, math.Abs(b)) }

// The generated workload and a list of the same jobs come to the same revenue.
func TestGeneratedAgainstList(t *testing.T) {
	for _, load := range []float64{0.5, 1.2, 3} {
		for _, widths := range [][]Width{nil, MixedWidths()} {
			s := PaperSystem()
			s.Period = 20 * 86400
			if widths != nil {
				s.Widths = widths
			}
			sim, err := NewSimulator(s)
			if err != nil {
				t.Fatal(err)
			}
			rule := Rule{Q: []float64{0.5, 1, 1, 1}}
			tally := sim.Run(7, 3, load, rule)
			g := newGenerator(&s)
			g.begin(7, 3, load)
			var jobs []Job
			for {
				var j Job
				draw := g.next(&j)
				if j.Arrival > s.Period {
					break
				}
				if draw < rule.Q[j.Class] {
					jobs = append(jobs, j)
				}
			}
			outcomes, _, err := Play(s, jobs, Rule{}, 1)
			if err != nil {
				t.Fatal(err)
			}
			var want Tally
			for i := range outcomes {
				o := &outcomes[i]
				if o.Time > s.Period {
					continue
				}
				want.Revenue += o.Revenue
				if o.Fate == Ran {
					want.Ran++
					want.Busy += float64(jobs[i].Width) * (min(s.Period, o.Time+jobs[i].Length) - o.Time)
				} else {
					want.Expired++
				}
			}
			if tally.Ran != want.Ran || tally.Expired != want.Expired || !close6(tally.Revenue, want.Revenue) || !close6(tally.Busy, want.Busy) {
				t.Errorf("load %v, %v: %+v, from the list %+v", load, widths, tally, want)
			}
			if tally.Arrived-tally.Rejected != int64(len(jobs)) {
				t.Errorf("load %v: %d admitted of %d", load, len(jobs), tally.Arrived)
			}
		}
	}
}

// A waiting job that is looked at late must not have held up anybody: the lazy
// engine and the oracle agree on continuous times too.
func TestPlayContinuous(t *testing.T) {
	s := PaperSystem()
	s.Widths = MixedWidths()
	s.Period = 4 * 86400
	for seed := range uint64(40) {
		g := newGenerator(&s)
		g.begin(seed, 0, 1+float64(seed%5))
		var jobs []Job
		for {
			var j Job
			g.next(&j)
			if j.Arrival > s.Period {
				break
			}
			jobs = append(jobs, j)
		}
		got, _, err := Play(s, jobs, Rule{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range oracle(&s, jobs) {
			if got[i].Fate != want.Fate || !close6(got[i].Time, want.Time) || !close6(got[i].Revenue, want.Revenue) {
				t.Fatalf("seed %d job %d: %+v, not %+v", seed, i, got[i], want)
			}
		}
	}
}

func ExamplePlay() {
	s := PaperSystem()
	s.Processors = 500
	outcomes, totals, err := Play(s, []Job{
		{Arrival: 0, Length: 7200, Class: 0, Width: 500},
		{Arrival: 60, Length: 7200, Class: 0, Width: 500},
		{Arrival: 120, Length: 300, Class: 3, Width: 500},
	}, Rule{}, 1)
	if err != nil {
		panic(err)
	}
	for _, o := range outcomes {
		fmt.Printf("%s at %.2f, delay %.2f: %.2f\n", o.Fate, o.Time, o.Delay, o.Revenue)
	}
	fmt.Printf("%.2f in %.2f s\n", totals.Revenue, totals.Span)
	// Output:
	// run at 0.00, delay 0.00: 1000.00
	// run at 7200.00, delay 7140.00: 1000.00
	// expired at 1061.67, delay 941.67: -10.42
	// 1989.58 in 14400.00 s
}
