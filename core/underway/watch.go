package underway

import (
	"cmp"
	"maps"
	"slices"

	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/trade"
)

// Watch is who has waited, may begin, and has to be let in: a market is watched whose jobs run where somebody
// else has limits, which the market does not know. Who has waited begins there when those who know have
// looked. That is asked for outside, and what they say is a command.
type Watch struct {
	on   bool
	due  map[int64]bool  // who wants to be let in
	came int             // how often somebody has come to want it
	wake map[int64]int64 // when they are looked at next without that
}

// On reports whether who has waited has to be let in.
func (w *Watch) On() bool { return w.on }

// Due are the jobs that want to be let in, the oldest first.
func (w *Watch) Due() []int64 { return slices.Sorted(maps.Keys(w.due)) }

// Came counts how often a job has come to want it.
func (w *Watch) Came() int { return w.came }

// Watch is who wants to be let in.
func (b *Book) Watch() *Watch { return &b.watch }

// Wants reports whether a job wants to be let in.
func (b *Book) Wants(id int64) bool { return b.watch.due[id] }

// SetWatched has those who have waited be let in from now on; or begin as soon as they may, also those who
// wanted to be let in.
func (b *Book) SetWatched(on bool) {
	if b.watch.on = on; on {
		return
	}
	for _, id := range b.watch.Due() {
		b.begins.push(b.byID[id].BeginUS, id)
	}
	clear(b.watch.due)
}

// Heed takes in what is said outside of who wants to be let in; changed is told of those of whom it is news what
// they wait for.
func (b *Book) Heed(w *trade.Watch, changed func(*Job)) {
	if w.On != nil {
		b.SetWatched(*w.On)
	}
	for _, id := range w.Kept {
		if j := b.byID[id]; j != nil && b.watch.due[id] && j.Barred != w.Why {
			j.Barred = w.Why
			changed(j)
		}
	}
}

// KeptOut reports whether a job that waits for nothing more goes on waiting: as every node that it may be on
// is closed, or as nobody has let it in, until its deadline has passed. Who hands in waits in no queue that
// is shut, but who has waited does not lose its place. It is looked at again when a node has changed, when
// it is let in, and at its deadline: when else somebody looks, as after a restart, makes no difference.
func (b *Book) KeptOut(j *Job, nodes *roster.Roster, now int64, let bool) bool {
	over := j.DueUS > 0 && j.DueUS <= now
	shut := !over && nodes.AllShut(j.Request.Where())
	switch {
	case shut:
		b.kept[j.ID] = true
		delete(b.watch.due, j.ID)
	case let || over || !b.watch.on:
		return false
	case !b.watch.due[j.ID]:
		b.watch.due[j.ID] = true
		b.watch.came++
	}
	b.lookAt(j, j.DueUS, now)
	return true
}

// lookAt has a job looked at again then, if that is yet to come.
func (b *Book) lookAt(j *Job, at, now int64) {
	if at > now && b.watch.wake[j.ID] != at {
		b.watch.wake[j.ID] = at
		b.begins.push(at, j.ID)
	}
}

// awaited is what a job waits for that waits for nothing in the market.
func (b *Book) awaited(j *Job) string {
	if !b.watch.due[j.ID] {
		return "a node that takes new jobs"
	}
	return cmp.Or(j.Barred, "word of whether there is room for it")
}

// Told is what is said of a job that wants to be let in, where it is known what it waits for.
func (b *Book) Told(j *Job) string {
	if j.Barred == "" || !b.watch.due[j.ID] {
		return ""
	}
	return "waits for " + j.Barred
}

// leave forgets a job.
func (w *Watch) leave(id int64) {
	delete(w.due, id)
	delete(w.wake, id)
}

// Refused is what a refusal says to a job, which may have waited to be let in.
func Refused(j *Job, detail string) string {
	if j.Barred == "" {
		return detail
	}
	return detail + "; it waited for " + j.Barred
}

// Waits reports whether a job that is handed in waits first: in a market that is watched also if all that it would wait
// for has come, as it has to be let in like those who came before that.
func (b *Book) Waits(r *trade.Request, f *Following, now int64) bool {
	return f.Waiting(now) || r.Later() || b.watch.on && len(r.Follows()) > 0
}
