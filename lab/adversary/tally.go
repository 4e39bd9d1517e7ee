package adversary

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// Tally is what came of one strategy in many worlds.
type Tally struct {
	Strategy      Strategy
	Worlds        int
	Net, Fair     int64 // micro-units, of worlds that are counted alike: see Add
	Taken         float64
	TwinNet       int64
	TwinTaken     float64
	Best          float64 // the largest gain beyond rounding in a world, as a part of what is fair there
	BestSeed      uint64
	Late          float64 // seconds by which promises to others were broken, more than beside the twin
	Refused       int64   // of the others' jobs, more than beside the twin
	Failures      int
	FirstFailed   uint64
	FirstBecause  string
	counted       bool
	failuresNoted bool
}

// Add takes in a result. Amounts are counted in hours of the world's own rate, so
// that worlds of different prices weigh the same.
func (t *Tally) Add(r *Result) {
	t.Worlds++
	scale := float64(r.Rate) / reference
	t.Net += int64(math.Round(float64(r.Net) / scale))
	t.Fair += int64(math.Round(float64(r.Fair) / scale))
	t.TwinNet += int64(math.Round(float64(r.TwinNet) / scale))
	t.Taken += r.Taken
	t.TwinTaken += r.TwinTaken
	t.Late += max(0, r.Late-r.TwinLate)
	t.Refused += int64(r.Refused - r.TwinRefused)
	if r.Fair > 0 {
		gain := float64(r.Gain()-r.Noise) / float64(r.Fair)
		if !t.counted || gain > t.Best || gain == t.Best && r.Seed < t.BestSeed {
			t.Best, t.BestSeed, t.counted = gain, r.Seed, true
		}
	}
	if why := r.Failed(); why != "" {
		t.Failures++
		if !t.failuresNoted || r.Seed < t.FirstFailed {
			t.FirstFailed, t.FirstBecause, t.failuresNoted = r.Seed, why, true
		}
	}
}

// Join adds another tally of the same strategy.
func (t *Tally) Join(o *Tally) {
	t.Worlds += o.Worlds
	t.Net, t.Fair, t.TwinNet = t.Net+o.Net, t.Fair+o.Fair, t.TwinNet+o.TwinNet
	t.Taken, t.TwinTaken, t.Late, t.Refused = t.Taken+o.Taken, t.TwinTaken+o.TwinTaken, t.Late+o.Late, t.Refused+o.Refused
	if o.counted && (!t.counted || o.Best > t.Best || o.Best == t.Best && o.BestSeed < t.BestSeed) {
		t.Best, t.BestSeed, t.counted = o.Best, o.BestSeed, true
	}
	t.Failures += o.Failures
	if o.failuresNoted && (!t.failuresNoted || o.FirstFailed < t.FirstFailed) {
		t.FirstFailed, t.FirstBecause, t.failuresNoted = o.FirstFailed, o.FirstBecause, true
	}
}

// reference is the rate, in micro-units an hour, in which the table counts: 1 a
// second.
const reference = 3_600_000_000

// gain is what was gained by all worlds together, as a part of what is fair.
func (t *Tally) gain() string {
	switch {
	case t.Fair == 0 && t.Net == 0:
		return "0"
	case t.Fair == 0:
		return "pays for nothing"
	default:
		return percent(float64(t.Fair-t.Net) / float64(t.Fair))
	}
}

func percent(x float64) string {
	text := fmt.Sprintf("%+.2f %%", 100*x)
	if text == "+0.00 %" || text == "-0.00 %" {
		return "0.00 %"
	}
	return text
}

// Write prints tallies as a table of a document.
func Write(out io.Writer, tallies []Tally) error {
	lines := []string{
		"| strategy | what it does | work got, s | paid | an honest user pays for that | gain | at best | others refused more | others later, s |",
		"|---|---|--:|--:|--:|--:|--:|--:|--:|",
	}
	for i := range tallies {
		t := &tallies[i]
		best := "-"
		if t.counted {
			best = percent(t.Best)
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %.0f | %.0f | %.0f | %s | %s | %+d | %.0f |", t.Strategy.Name, t.Strategy.Does,
			t.Taken, float64(t.Net)/1e6, float64(t.Fair)/1e6, t.gain(), best, t.Refused, t.Late))
	}
	for _, l := range slices.Concat(lines) {
		if _, err := fmt.Fprintln(out, l); err != nil {
			return err
		}
	}
	return nil
}
