package habit

import (
	"container/heap"
	"errors"
	"io"
	"slices"

	"github.com/libra-market/libra/core/estimate"
	"github.com/libra-market/libra/lab/workload"
)

// Result is what came of it.
type Result struct {
	Jobs     int     `json:"jobs"`         // that ran and say what was asked
	Guessed  int     `json:"guessed"`      // that had a history
	Held     int     `json:"held"`         // whose run was no longer than the estimate
	Asked    int     `json:"asked_held"`   // whose run was no longer than what was asked
	Sure     int     `json:"sure"`         // of the guessed, from enough runs to be as sure as is wanted
	SureHeld int     `json:"sure_held"`    // of those
	Median   float64 `json:"median_ratio"` // of estimate to asked
	Total    float64 `json:"total_ratio"`  // all the time estimated to all the time asked
}

// who is whose runs are alike: a user's, of a program.
type who struct{ user, program float64 }

// keep is how many runs of each are remembered.
const keep = 200

// Measure reads a log and estimates every job of it that has a history.
func Measure(log *workload.SWF, sure float64) (Result, error) {
	var out Result
	var ratios []float64
	var estimated, asked float64
	past := map[who][]estimate.Run{}
	var running ends
	for {
		var r workload.Record
		err := log.Read(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out, err
		}
		procs := r.Procs
		if procs < 1 {
			procs = r.ReqProcs
		}
		if r.Run < 1 || r.ReqTime < 1 || procs < 1 || r.Status == 5 { // 5: cancelled
			continue
		}
		for len(running) > 0 && running[0].at <= r.Submit {
			e := heap.Pop(&running).(end) //nolint:errcheck,forcetypeassert // there is nothing else in it
			list := past[e.who]
			if len(list) >= keep {
				list = list[:keep-1]
			}
			past[e.who] = slices.Insert(list, 0, e.run)
		}
		w := who{r.User, r.Executable}
		out.Jobs++
		if g, ok := estimate.Of(past[w], int(procs), sure); ok {
			out.Guessed++
			ms := r.Run * 1000
			held := ms <= float64(g.WorkMS)
			out.Held += count(held)
			out.Asked += count(r.Run <= r.ReqTime)
			if g.Sure >= sure {
				out.Sure++
				out.SureHeld += count(held)
			}
			ratios = append(ratios, float64(g.WorkMS)/1000/r.ReqTime)
			estimated += float64(g.WorkMS) / 1000 * procs
			asked += r.ReqTime * procs
		}
		heap.Push(&running, end{r.Submit + max(0, r.Wait) + r.Run, w, estimate.Run{Width: int(procs), WorkMS: int64(r.Run * 1000)}})
	}
	if len(ratios) > 0 {
		slices.Sort(ratios)
		out.Median, out.Total = ratios[len(ratios)/2], estimated/asked
	}
	return out, nil
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// end is when it is known how long a job ran.
type end struct {
	at  float64
	who who
	run estimate.Run
}

// ends are those to come, the next one first.
type ends []end

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, k int) bool { return e[i].at < e[k].at }
func (e ends) Swap(i, k int)      { e[i], e[k] = e[k], e[i] }

// Push adds one.
func (e *ends) Push(x any) { *e = append(*e, x.(end)) } //nolint:errcheck,forcetypeassert // as above

// Pop takes the last away.
func (e *ends) Pop() any {
	old := *e
	last := old[len(old)-1]
	*e = old[:len(old)-1]
	return last
}
