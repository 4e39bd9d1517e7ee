package slurm

import (
	"cmp"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
)

// foldArrays makes one job of the elements that Slurm lists of each array of ours. The lock is held.
func (b *Backend) foldArrays(jobs []client.Job, now int64) []client.Job {
	rows := map[int64][]client.Job{}
	rest := slices.DeleteFunc(jobs, func(j client.Job) bool {
		if j.Array == 0 {
			return false
		}
		if _, _, mine := b.parseComment(j.Comment); !mine {
			return false
		}
		rows[j.Array] = append(rows[j.Array], j)
		return true
	})
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		key, nonce, _ := b.parseComment(rows[id][0].Comment)
		r := b.byBatch[id]
		if r == nil || r.key != key || r.nonce != nonce {
			r = &run{} // nobody's, or nobody's yet: then it is held (runOf)
		}
		for i := range rows[id] {
			if j := &rows[id][i]; r.ID != 0 && len(j.Nodes) > 0 {
				b.numbers.spend(j.ID, key)
			}
		}
		if r.array.lanes == nil && len(r.orders) > 0 && b.heardOf(r) {
			r.array.lanes = r.lanes() // the market has the ends of the others
			r.moved()
		}
		before := r.array.members
		rest = append(rest, r.fold(id, rows[id], now))
		for i := range r.array.excess { // whoever has told Slurm that they may: to it anybody can say so
			b.endOne(&r.array.excess[i], b.cfg.Now(), slog.LevelWarn, "more elements of an array run than were sold: one is cancelled")
		}
		if r.ID != 0 && !maps.EqualFunc(before, r.array.members, slices.Equal) {
			b.refresh(r)
		}
	}
	return rest
}

// fold takes in how the elements of a run stand, and says how its job does, as if it were one, whose
// elements are those that Slurm holds.
func (r *run) fold(id int64, rows []client.Job, now int64) client.Job {
	slices.SortFunc(rows, func(x, y client.Job) int { return cmp.Compare(slices.Min(x.Elements), slices.Min(y.Elements)) })
	all := rows[0]
	all.ID, all.State, all.Nodes, all.Wanted, all.Elements = id, client.Pending, nil, nil, nil
	all.Held, all.Started, all.Ended, all.Paused, all.Exit, all.Signal, all.Reason = false, 0, 0, 0, 0, 0, ""
	r.moved()
	a := &r.array
	before := *a
	a.is, a.at, a.waiting, a.pending, a.members, a.going = true, now, nil, map[int]string{}, map[string][]string{}, map[int]client.Job{}
	if a.done == nil {
		a.done = map[int]finish{}
	}
	a.back = map[int]bool{}
	var runs, pauses, ends, back, front, keeps *client.Job
	var busy []client.Job
	throttled, living := false, 0
	for i := range rows {
		j := &rows[i]
		all.Submitted = min(all.Submitted, j.Submitted)
		for _, name := range j.Nodes {
			if !slices.Contains(all.Nodes, name) {
				all.Nodes = append(all.Nodes, name)
			}
		}
		if j.State.Over() {
			a.finished(j)
			continue
		}
		living++
		for _, name := range j.Nodes {
			a.members[name] = append(a.members[name], strconv.FormatInt(j.ID, 10))
		}
		for _, e := range j.Elements {
			delete(a.done, e) // somebody has begun it again
		}
		if j.State == client.Running || j.State == client.Suspended {
			busy = append(busy, *j)
			for _, e := range j.Elements {
				a.going[e] = *j
			}
		}
		returned := r.returned(j)
		throttled = throttled || j.Throttled() && !j.Held
		switch {
		case j.PutBack() && !r.Returns:
			back = j
		case j.State == client.Requeued: // it waits in a moment
		case j.State == client.Running:
			runs = j
		case j.State == client.Suspended:
			pauses = j
		case j.State == client.Completing:
			ends = j
		case j.Held:
			keeps = j
			a.waiting = append(a.waiting, j.Elements...)
		default:
			if front == nil || front.Reason == "Dependency" || front.PutBack() {
				front = j
			}
			for _, e := range j.Elements {
				a.pending[e] = firstOf(j.Wanted)
			}
		}
		if started := max(j.Started, returned); started > 0 && (all.Started == 0 || started < all.Started) {
			all.Started = started
		}
	}
	for _, f := range a.done {
		if f.Started > 0 && (all.Started == 0 || f.Started < all.Started) {
			all.Started = f.Started
		}
	}
	r.takenOut(&before, rows, all.Submitted)
	a.few, a.excess = throttled && ends == nil && len(busy) < r.size, nil
	if r.complete() && len(busy) > r.size {
		a.excess = excess(busy, id, len(busy)-r.size)
	}
	a.loose = len(a.pending) > 0 && r.complete() && r.loosened()
	slices.Sort(a.waiting)
	all.Elements = a.waiting
	waits := len(a.waiting) + len(a.pending)
	reason := ""
	switch {
	case front != nil:
		reason = front.Reason
	case keeps != nil:
		reason = keeps.Reason
	}
	stuck := ""
	switch {
	case living == 0:
		r.foldEnd(&all)
	case back != nil:
		all.State, all.Reason = back.State, back.Reason
	case runs != nil || ends != nil && waits > 0:
		all.State = client.Running
	case pauses != nil:
		all.State = client.Suspended
	case ends != nil:
		all.State = client.Completing
	case all.Started == 0: // none has begun
		all.Reason, all.Held = reason, front == nil
	default: // one has ended, and the next is about to begin
		all.State, stuck = client.Running, reason
	}
	a.standStill(stuck, now)
	return all
}

// excess are so many of the elements that run, those that began last. One of them may have the number
// by which all are cancelled.
func excess(busy []client.Job, id int64, n int) []client.Job {
	slices.SortFunc(busy, func(x, y client.Job) int {
		return cmp.Or(cmp.Compare(y.Started, x.Started), cmp.Compare(y.ID, x.ID))
	})
	busy = slices.DeleteFunc(busy, func(j client.Job) bool { return j.ID == id })
	return busy[:min(n, len(busy))]
}

// takenOut notes which elements were cancelled that had no number of their own yet: Slurm takes them
// out of the array, and nothing is left of them. They were held when it was listed before, or it was
// handed in this moment, or is held still. Later on one that is not listed may have run, and be forgotten: then nobody
// knows how it ended, and all of it is begun anew.
func (r *run) takenOut(before *array, rows []client.Job, submitted int64) {
	a := &r.array
	lanes := r.laneOf()
	if lanes == nil {
		return // it is looked at again when the orders have come
	}
	known := map[int]bool{}
	for i := range rows {
		for _, e := range rows[i].Elements {
			known[e] = true
		}
	}
	const soon = int64(jotAfter / time.Second)
	never := r.state == held || !before.whole && a.at-submitted < soon
	a.whole = true
	kept := map[int]bool{}
	if a.at-before.at < soon {
		for _, e := range before.waiting {
			kept[e] = true
		}
	}
	for e := range lanes {
		if known[e] || a.over(e) || !never && !kept[e] {
			continue
		}
		a.finished(&client.Job{Elements: []int{e}, State: client.Cancelled, Ended: max(before.at, submitted)}) // since then
	}
}

func firstOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// finished notes how elements ended.
func (a *array) finished(j *client.Job) {
	for _, e := range j.Elements {
		if _, known := a.done[e]; known {
			continue
		}
		f := finish{j.State, j.Exit, j.Signal, j.Started, j.Ended, j.Paused}
		if len(j.Nodes) == 0 { // it was never given any, or was put back and is given none any more
			f.Started, f.Paused = a.last[e], 0
		}
		a.done[e] = f
		if struckDown(j) && len(j.Nodes) > 0 {
			a.struck = append(a.struck, *j)
		}
		if a.oldest == 0 || j.Ended < a.oldest {
			a.oldest = max(1, j.Ended)
		}
	}
}

// standStill notes since when nothing of it runs, and why.
func (a *array) standStill(why string, now int64) {
	if a.stuck = why; why == "" {
		a.stuckAt = 0
	} else if a.stuckAt == 0 {
		a.stuckAt = now
	}
}

// foldEnd says how an array ended of which Slurm runs nothing any more. It is as its first element
// that did not end well; ended by its user if what ended last was.
func (r *run) foldEnd(all *client.Job) {
	lanes := r.laneOf()
	if lanes == nil {
		if all.State = client.Completed; r.ID != 0 { // it is not known yet whether that was all
			all.State = client.Completing
		}
		return
	}
	all.State = client.Completed
	var last finish
	for _, e := range slices.Sorted(maps.Keys(lanes)) {
		f, known := r.array.done[e]
		if !known { // Slurm has forgotten it
			f = finish{State: client.NodeFail}
			all.Reason = unknownInSlurm
		}
		if f.lost() {
			all.State = f.State
			return
		}
		if f.Ended > last.Ended || f.Ended == last.Ended && f.State == client.Cancelled {
			last = f
		}
		if all.State == client.Completed && !f.good() {
			all.State, all.Exit, all.Signal = f.State, f.Exit, f.Signal
		}
		all.Ended, all.Paused = max(all.Ended, f.Ended), all.Paused+f.Paused
	}
	if len(all.Nodes) == 0 && all.Started > 0 {
		all.Nodes = slices.Clone(r.Nodes) // Slurm has forgotten those that ran, and others remain
	}
	switch {
	case last.State == client.Cancelled:
		all.State, all.Exit, all.Signal = client.Cancelled, 0, last.Signal
	case all.State == client.Cancelled: // one of them alone: the others went on
		all.State, all.Exit, all.Signal = client.Failed, 0, cmp.Or(all.Signal, 15)
	}
}
