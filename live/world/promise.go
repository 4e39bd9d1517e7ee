package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// deedOf is what a job really is; nil: it is an absurd one.
func (w *World) deedOf(j *trade.Job) *Deed {
	text, ok := strings.CutPrefix(j.Name, "deed-")
	i, err := strconv.Atoi(text)
	if !ok || err != nil || i < 0 || i >= len(w.day.Deeds) {
		return nil
	}
	return &w.day.Deeds[i]
}

// runsOf are the programs that ran, by their jobs. A job is known by its number and by its
// name: a number that is given out twice makes nothing of one job part of another.
func (w *World) runsOf(jobs []trade.Job) map[int64][]*run {
	names := map[int64]string{}
	for i := range jobs {
		names[jobs[i].ID] = jobs[i].Name
	}
	runs := map[int64][]*run{}
	for _, r := range w.finished {
		if name, some := names[r.key.Job]; some && (name == r.deed || !strings.HasPrefix(name, "deed-")) {
			runs[r.key.Job] = append(runs[r.key.Job], r)
		}
	}
	return runs
}

// last is the one that did what was promised last.
func last(runs []*run) (last *run) {
	for _, r := range runs {
		if last == nil || r.kept() > last.kept() {
			last = r
		}
	}
	return last
}

// stepped reports whether somebody set the clock of a controller: then the time of
// the market is no longer that of the world.
func (w *World) stepped() bool {
	for _, f := range w.day.Faults {
		if (f.Kind == stepsOn || f.Kind == stepsBack) && f.Node < 0 {
			return true
		}
	}
	return false
}

// setBack is by how much the clock of a controller was set back. One that is started
// while its clock is behind what is written down goes on from there: how long it was away
// it cannot know, and for so long nobody can have used anything.
func (w *World) setBack() time.Duration {
	var sum time.Duration
	for _, f := range w.day.Faults {
		if f.Kind == stepsBack && f.Node < 0 {
			sum += f.For
		}
	}
	return sum
}

// kept checks promises and what is paid for those that were broken, by the time of
// the world.
func (w *World) kept(jobs []trade.Job) {
	runs := w.runsOf(jobs)
	if w.stepped() || len(w.restored) > 0 || w.day.Slurm { // Slurm counts in seconds, and starts when it likes
		return
	}
	slack := w.day.Report + 3*time.Second // a report on its way, and the clock of a node
	for i := range jobs {
		j := &jobs[i]
		r, d := last(runs[j.ID]), w.deedOf(j)
		if r == nil || d == nil {
			continue
		}
		due := time.Duration(j.DueUS-w.began.UnixMicro()) * time.Microsecond
		late := r.kept() - due
		if j.Penalty > 0 && j.State != trade.Lost && j.State != trade.Expired {
			most := float64(j.Request.PenaltyMicros) * max(0, (late+slack).Seconds())
			if float64(j.Penalty) > most+1 {
				w.fail("job %d (%s) is paid %d for being late at %d a second, and was late by %s", j.ID, j.State, j.Penalty, j.Request.PenaltyMicros, late)
			}
		}
		if w.day.Exact && j.Firm && j.State == trade.Completed && late > slack {
			least := min(float64(j.Request.PenaltyMicros)*(late-slack).Seconds(), float64(j.Charged))
			if float64(j.Penalty) < least-1 {
				w.fail("job %d (%s) is paid %d for being late at %d a second, and was late by %s", j.ID, j.State, j.Penalty, j.Request.PenaltyMicros, late)
			}
		}
		promised := time.Duration(j.PromisedUS-w.began.UnixMicro()) * time.Microsecond
		if w.day.Lose > 0 || !w.day.Exact || !j.Firm || j.PromisedUS == 0 || d.Kind == cancels {
			continue
		}
		if j.State == trade.Completed && r.kept() > promised+slack && !w.excused(j, runs[j.ID]) {
			w.fail("job %d was promised for %s and ended at %s, and nothing was broken that it needed", j.ID, promised, r.kept())
		}
		if (j.State == trade.Lost || j.State == trade.Expired) && !w.excused(j, runs[j.ID]) {
			w.fail("job %d is %s (%s), and nothing was broken that it needed", j.ID, j.State, j.Detail)
		}
	}
}

// excused reports whether something was broken that a job needed while it was there: a
// controller, or a node on which it ran; of one that had to wait, or has several tasks, any node.
func (w *World) excused(j *trade.Job, runs []*run) bool {
	day := func(us int64) time.Duration { return time.Duration(us-w.began.UnixMicro()) * time.Microsecond }
	from, to := day(j.SubmittedUS), day(j.EndedUS)
	on := map[string]bool{}
	for _, r := range runs {
		on[r.node] = true
		to = max(to, r.ended)
	}
	// Where the rest of a parallel job was to begin, and did not, nobody has seen.
	waited := j.StartedUS == 0 || day(j.StartedUS) > from+time.Second || j.Request.Processors > 1
	// A node that is heard of again was taken for lost until then, and what was lost
	// begins anew; a controller reads its store back and hears all nodes.
	after := w.day.Lease + w.day.Lease/10 + 2*time.Second + 2*w.day.Report
	for _, f := range w.day.Faults {
		if f.At+w.openedAt > to || f.At+w.openedAt+f.For+after < from {
			continue
		}
		if f.Node < 0 || waited || on[fmt.Sprintf("n%d", f.Node+1)] {
			return true
		}
	}
	return false
}

// failed checks that a job has not failed whose program does what it should: whoever ends
// it says so, and it is stopped, cancelled or lost then. Only who ended it in what was
// lost when an old backup was restored has said so to its node alone.
func (w *World) failed(j *trade.Job, runs []*run) {
	d := w.deedOf(j)
	if d == nil || j.State != trade.Failed || d.Exit != 0 || d.Refuse || w.day.Slurm {
		return
	}
	obeyed := w.day.Lease + time.Duration(j.Request.Grace())*time.Millisecond
	lost := func(r *run) bool {
		return slices.ContainsFunc(w.restored, func(s span) bool { return r.began <= s.to && s.from <= r.ended && r.ended <= s.to+obeyed })
	}
	if !slices.ContainsFunc(runs, lost) {
		w.fail("job %d has failed (%s), and its program does not: %+v", j.ID, j.Detail, j.Tasks)
	}
}

// measured holds what is charged against what ran on the nodes.
func (w *World) measured(j *trade.Job, runs []*run) {
	most := j.Price
	for _, e := range j.Extensions {
		most += e.Price
	}
	if j.Charged > most+j.Optional {
		w.fail("job %d is charged %s, and agreed to %s at most", j.ID, market.Money(j.Charged), market.Money(most))
	}
	if j.State != trade.Completed {
		return
	}
	w.refined(j, runs)
	for k := range j.Tasks {
		s := &j.Tasks[k]
		var used []time.Duration
		right := false
		for _, r := range runs {
			if r.key == s.Key {
				off := s.CPUUS - r.used.Microseconds()
				right = right || -1000-w.setBack().Microseconds() <= off && off <= 1000
				used = append(used, r.used)
			}
		}
		// What a node was told was written down it forgets. Asked to stop it by a market that
		// was restored since, it says that nothing began, and nothing is owed; or, if it was
		// heard of before, what was said then, and it failed (126).
		forgotten := len(w.restored) > 0 && (s.NeverBegan() || s.Exit == 126 && s.CPUUS <= slices.Max(append(used, 0)).Microseconds())
		if len(used) > 0 && !right && !forgotten && !w.day.Slurm {
			w.fail("task %v used %v, and the market says %d us (%s, %d)", s.Key, used, s.CPUUS, s.State, s.Exit)
		}
		if len(used) > 1 && len(w.restored) == 0 {
			w.fail("task %v was started %d times", s.Key, len(used))
		}
	}
}

// refined checks that no more of an optional part is paid for than ran, and was sold.
func (w *World) refined(j *trade.Job, runs []*run) {
	o := j.Request.Optional
	if o == nil {
		if j.OptionalMS != 0 || j.Optional != 0 {
			w.fail("job %d has no optional part, and pays %d for %d ms of it", j.ID, j.Optional, j.OptionalMS)
		}
		return
	}
	ran := 0.0
	for _, r := range runs {
		if r.key.Attempt == j.Attempt {
			ran += r.optional.Seconds() * w.speedOf(r.node)
			for k := range j.Tasks { // what it was granted and did not want counts too
				if s := &j.Tasks[k]; s.Key == r.key {
					ran += float64(s.DeclinedUS-s.MandatoryDeclinedUS) / 1e6 * w.speedOf(r.node)
				}
			}
		}
	}
	most := min(ran+0.01*float64(len(j.Tasks)), float64(o.WorkMS)/1000*float64(max(1, j.Request.Processors)*max(1, j.Request.Threads)))
	if float64(j.OptionalMS)/1000 > most+0.01 {
		w.fail("job %d is said to have done %d ms of its optional part, and %.3f s ran and can be paid for", j.ID, j.OptionalMS, most)
	}
	if float64(j.Optional) > float64(o.RateMicros)*most+float64(o.RateMicros)*0.01+1 {
		w.fail("job %d pays %d for %.3f s of its optional part at %d a second", j.ID, j.Optional, most, o.RateMicros)
	}
}

func (w *World) speedOf(name string) float64 {
	for _, n := range w.nodes {
		if n.name == name {
			return n.spec.Speed
		}
	}
	return 0
}
