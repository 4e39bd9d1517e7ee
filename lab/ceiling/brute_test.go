package ceiling_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/grid"
)

// whole draws applications in whole seconds: what is best of them is best in whole seconds
// too, so that all schedules can be tried.
func whole(t *testing.T, draw *rand.Rand, n int) []grid.Application {
	t.Helper()
	var apps []grid.Application
	jobs := 0
	for i := range n {
		a := grid.Application{
			ID: strconv.Itoa(i), Position: i, Arrival: market.Time(draw.IntN(3)), Jobs: 1 + draw.IntN(2),
			Mandatory: market.Work(draw.IntN(3)), Optional: market.Work(draw.IntN(4)), Worth: market.Price(draw.IntN(6)),
		}
		a.Deadline = market.Time(a.Mandatory) + market.Time(draw.IntN(4))
		if jobs += a.Jobs; jobs > 4 {
			break
		}
		var err error
		if draw.IntN(4) > 0 {
			a.Budget, err = grid.Linear(market.Price(1 + draw.IntN(9)))
		} else { // it gets flatter
			a.Budget, err = grid.Piecewise(grid.Point{}, grid.Point{Work: 1, Paid: 8}, grid.Point{Work: 3, Paid: market.Price(9 + draw.IntN(7))})
		}
		if err != nil {
			t.Fatal(err)
		}
		apps = append(apps, a)
	}
	return apps
}

// one job, second by second.
type slot struct {
	app       *grid.Application
	from, due int
	done, of  int // of the mandatory part: how much, and how much there is
	optional  int
}

func slots(apps []grid.Application) (list []*slot) {
	for i := range apps {
		a := &apps[i]
		for range a.Jobs {
			list = append(list, &slot{app: a, from: int(a.Arrival), due: int(a.Due()), of: int(a.Mandatory)})
		}
	}
	return list
}

// brute tries all that can be done from a second on. With first, mandatory parts go first by
// deadline, and only what is left is tried. It is what optional parts pay at best; -Inf: not
// all mandatory parts can be done.
func brute(jobs []*slot, processors, now int, first bool) float64 {
	if now == 12 {
		paid := 0.0
		for _, j := range jobs {
			if j.done < j.of {
				return math.Inf(-1)
			}
			paid += float64(j.app.Budget.Between(0, market.Work(min(j.optional, int(j.app.Optional)))))
		}
		return paid
	}
	must := uint(0)
	if first {
		must = urgent(jobs, processors, now)
	}
	best := math.Inf(-1)
	for set := range uint(1) << len(jobs) {
		if set&must != must || bits.OnesCount(set) > processors || !fitting(jobs, set&^must, now, first) {
			continue
		}
		for s := set; s != 0; s &= s - 1 {
			jobs[bits.TrailingZeros(s)].run(1)
		}
		best = max(best, brute(jobs, processors, now+1, first))
		for s := set; s != 0; s &= s - 1 {
			jobs[bits.TrailingZeros(s)].run(-1)
		}
	}
	return best
}

// run does a second of a job, or undoes it.
func (j *slot) run(by int) {
	if by > 0 && j.done < j.of || by < 0 && j.optional == 0 {
		j.done += by
	} else {
		j.optional += by
	}
}

// urgent are the mandatory parts that run if these go first.
func urgent(jobs []*slot, processors, now int) (set uint) {
	for bits.OnesCount(set) < processors {
		next := -1
		for i, j := range jobs {
			if set&(1<<i) == 0 && j.from <= now && j.done < j.of && (next < 0 || j.due < jobs[next].due) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		set |= 1 << next
	}
	return set
}

// fitting says whether jobs may run in a second.
func fitting(jobs []*slot, set uint, now int, first bool) bool {
	for s := set; s != 0; s &= s - 1 {
		j := jobs[bits.TrailingZeros(s)]
		if now < j.from || now >= j.due || j.done == j.of && j.optional == int(j.app.Optional) || first && j.done < j.of {
			return false
		}
	}
	return true
}

// choose tries every way of taking applications, and of sending them to sites; the best profit.
func choose(apps []grid.Application, sites []grid.Resource, placed [][]grid.Application, worth float64) float64 {
	if len(apps) == 0 {
		for s, r := range sites {
			worth += brute(slots(placed[s]), r.Processors, 0, false)
		}
		return worth
	}
	a := apps[0]
	best := choose(apps[1:], sites, placed, worth)
	for s := range sites {
		before := placed[s]
		placed[s] = append(before[:len(before):len(before)], a)
		best = max(best, choose(apps[1:], sites, placed, worth+float64(a.Jobs)*float64(a.Worth+a.Budget.At(0))))
		placed[s] = before
	}
	return best
}
