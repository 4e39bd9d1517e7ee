package estimate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Run is a run of a program that has ended by itself.
type Run struct {
	Width  int
	WorkMS int64 // on each processor, at rating 1
}

// Guess is a proposed estimate, and what it is from.
type Guess struct {
	WorkMS    int64   `json:"estimate_ms"`
	Sure      float64 `json:"sure"` // that the next run needs no more, if it is like those before
	Runs      int     `json:"runs"` // that it is from
	SameWidth bool    `json:"same_processors"`
	Shortest  int64   `json:"shortest_ms"`
	Median    int64   `json:"median_ms"`
	Longest   int64   `json:"longest_ms"`
}

// Sure is how sure a proposed estimate is to be, where there are enough runs.
const Sure = 0.9

// Because says what an estimate is from and how sure it is.
func (g *Guess) Because(name string) string {
	size, runs := "of any size", "runs"
	if g.SameWidth {
		size = "on as many processors"
	}
	if g.Runs == 1 {
		runs = "run"
	}
	if strings.Contains(name, " ") {
		name = strconv.Quote(name)
	}
	return fmt.Sprintf("%d %s of %s %s; %.0f %% sure for one like them", g.Runs, runs, name, size, g.Sure*100)
}

const (
	// Recent is how many runs are looked at: people change what they do.
	Recent = 40
	// enough is from how many runs on as many processors the others are left out.
	enough = 3
	// rounding is by how much a guess is longer than the run that it is from: the next
	// like it is never the same to the millisecond.
	rounding = 1.05
)

// Of proposes an estimate that holds with a probability, from runs of which the newest
// is first.
//
// Of n runs and one more that is like them, the new one is as likely to be in any place
// of their order. So the k-th shortest of n is not exceeded with probability k / (n+1).
// Where there are too few runs for that, the longest is taken and made longer, the more
// so the fewer there are; how sure that is, is said of the longest alone.
func Of(runs []Run, width int, sure float64) (Guess, bool) {
	same := slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.Width != width })
	g := Guess{SameWidth: len(same) >= enough}
	if !g.SameWidth {
		same = runs
	}
	if len(same) == 0 {
		return Guess{}, false
	}
	same = same[:min(len(same), Recent)]
	work := make([]int64, len(same))
	for i := range same {
		work[i] = max(1, same[i].WorkMS)
	}
	slices.Sort(work)
	n := len(work)
	g.Runs, g.Shortest, g.Median, g.Longest = n, work[0], work[n/2], work[n-1]
	k := int(math.Ceil(sure*float64(n+1) - 1e-9))
	stretch := rounding
	if k > n {
		k = n
		stretch *= 1 + few/float64(n)
	}
	g.Sure = float64(k) / float64(n+1)
	g.WorkMS = roundUp(float64(work[k-1]) * stretch)
	return g, true
}

// few is how much longer the only run that there is is made.
const few = 1

// roundUp is a length of time that people would say.
func roundUp(ms float64) int64 {
	step := 1000.0
	for _, s := range []float64{5_000, 15_000, 60_000, 300_000} {
		if ms >= 60*s/5 {
			step = s
		}
	}
	return int64(math.Ceil(ms/step) * step)
}
