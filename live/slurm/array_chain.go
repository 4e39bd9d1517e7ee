package slurm

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
)

// errSpent says that Slurm has given an element of an array a number that something else had, which may
// be on a node still.
var errSpent = errors.New("numbers of elements are given out again")

// place tells elements of an array that Slurm holds where they are, and puts those elsewhere whose node
// takes no new jobs any more. Only then they have numbers of their own: they are known before one is let
// go. A node that has begun something under a number would refuse it, and be drained.
func (b *Backend) place(ctx context.Context, r *run, id int64) ([]client.Link, error) {
	b.mu.Lock()
	links := b.links(r)
	b.mu.Unlock()
	slurm := b.slurm.(client.Arrays) //nolint:forcetypeassert // arraysOf has seen it
	placed, err := slurm.Place(ctx, id, links)
	if len(placed) == 0 {
		return nil, err
	}
	numbers, wrong := slurm.Numbers(ctx, id)
	if wrong != nil {
		return nil, wrong
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	given := cmp.Or(r.Submitted, b.cfg.Now().Unix())
	if slices.ContainsFunc(numbers, func(n int64) bool { return b.numbers.spent(n, r.key, given) }) {
		return nil, errSpent
	}
	for _, n := range numbers {
		b.numbers.spend(n, r.key)
	}
	if r.array.told == nil {
		r.array.told = map[int]int{}
	}
	for _, l := range placed {
		r.array.told[l.Element] = l.After
	}
	return placed, err
}

// letGo lets those go that have their places. It says what was wrong with the others, too.
func (b *Backend) letGo(ctx context.Context, id int64, placed []client.Link, others error) error {
	if len(placed) == 0 {
		return others
	}
	slurm := b.slurm.(client.Arrays) //nolint:forcetypeassert // arraysOf has seen it
	return cmp.Or(slurm.LetGo(ctx, id, placed), others)
}

// another has an array handed in anew of which nothing was let go: this one is listed as nobody's, and
// is cancelled. Of one that may have begun the market is told.
func (b *Backend) another(r *run, id int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cfg.Log.Warn("Slurm gives numbers of elements out again", "run", r.key, "slurm", id)
	b.numbers.spend(id, runKey{})
	if r.ID != id {
		return
	}
	if r.state != held || r.used() {
		r.lost = "Slurm gives numbers of elements out again"
		return
	}
	r.forget()
	b.releaseID(id, r)
	r.tried = b.cfg.Now()
}

// links are the elements of a run that are to be told where they are. The lock is held.
func (b *Backend) links(r *run) []client.Link {
	a := &r.array
	var links []client.Link
	waiting := map[int]bool{}
	for _, e := range a.waiting {
		waiting[e] = true
	}
	r.inTurn(func(rank, turn, e, after int) {
		node, moved := b.placeFor(r, r.orders[rank].Spec.Nodes[rank], turn)
		at, waits := a.pending[e]
		held := r.job == nil || waiting[e]
		back := a.back[e]
		if held || waits && (back || moved && at != node || r.loose(rank, turn, after)) {
			links = append(links, client.Link{Element: e, Node: node, After: after, Again: back})
		}
	})
	return links
}

// inTurn shows the elements of a run, the first of every lane first, with the last of those before it in
// its lane that has not ended: that is not the one before it where that was cancelled.
func (r *run) inTurn(see func(rank, turn, e, after int)) {
	last := make([]int, r.size)
	for rank := range last {
		last[rank] = client.NoElement
		if o, here := r.orders[rank]; here && len(r.array.back) > 0 { // what was put back goes behind what runs
			for k := range o.Spec.Len() {
				if _, goes := r.array.going[o.Spec.Element(k)]; goes {
					last[rank] = o.Spec.Element(k)
				}
			}
		}
	}
	turn := 0
	for more := true; more; turn++ {
		more = false
		for rank := range r.size {
			o, here := r.orders[rank]
			if !here || turn >= o.Spec.Len() {
				continue
			}
			more = true
			e := o.Spec.Element(turn)
			see(rank, turn, e, last[rank])
			if _, goes := r.array.going[e]; !r.array.over(e) && (!goes || last[rank] == client.NoElement) {
				last[rank] = e
			}
		}
	}
}

// loose reports whether an element waits for another than the last before it in its lane that has not
// ended: its user has cancelled what was between them.
func (r *run) loose(rank, turn, after int) bool {
	if turn == 0 || after == client.NoElement {
		return false
	}
	o := r.orders[rank]
	waits, told := r.array.told[o.Spec.Element(turn)]
	if !told {
		waits = o.Spec.Element(turn - 1)
	}
	return waits != after
}

// loosened reports whether there are such.
func (r *run) loosened() (some bool) {
	r.inTurn(func(rank, turn, e, after int) {
		_, waits := r.array.pending[e]
		some = some || waits && r.loose(rank, turn, after)
	})
	return some
}

func (a *array) over(e int) bool {
	_, over := a.done[e]
	return over
}

// shut reports whether Slurm says of a node that it begins nothing there. The lock is held.
func (b *Backend) shut(name string) bool {
	n := b.nodes[name]
	return n != nil && (n.slurm.Draining || !n.slurm.Up)
}

// allShut reports whether it says so of all nodes of a run. The lock is held.
func (b *Backend) allShut(r *run) bool {
	return len(r.Nodes) > 0 && !slices.ContainsFunc(r.Nodes, func(name string) bool { return !b.shut(name) })
}

// placeFor is the node that an element runs on which is to be on another that takes no new jobs: one
// of the run's that does. Where there is none it stays where it is.
func (b *Backend) placeFor(r *run, name string, turn int) (node string, moved bool) {
	if !b.shut(name) {
		return name, false
	}
	open := slices.DeleteFunc(slices.Clone(r.Nodes), b.shut)
	if len(open) == 0 {
		return name, false
	}
	return open[turn%len(open)], true
}

// lags reports whether there are elements that have to be told where they are, after a release
// that was cut short or a node that takes no new jobs.
func (r *run) lags(w *world) bool {
	a := &r.array
	if !a.is || !r.complete() || r.job == nil || !r.asOf.After(r.acted) || w.now.Sub(r.tried) < again {
		return false
	}
	return len(a.waiting)+len(a.back) > 0 && r.state.mayHaveStarted() || a.loose || a.few || w.closed && len(a.pending) > 0
}

// checkStuck finds out that Slurm does not begin what is left of an array. Where a limit of its user
// or account is in the way, or its licences are with others, or its user is not let any more, it has
// had what it used: who could bring that about, by jobs in other partitions, would run all but the last
// element for nothing. Else it is begun anew: soon where no node of it takes new jobs, and where Slurm
// may only be slow, as with a scheduler that looks at its queue now and then, or holds what cannot be
// let go, not before that would be long for anybody. Where its partition is closed it waits until that is
// opened, as by sbatch: nobody begins there, so that begun anew it would be refused, and what has ended
// of it would be lost.
func (r *run) checkStuck(w *world) {
	a := &r.array
	if a.stuck == "" || r.lost != "" || r.barred != "" {
		return
	}
	j := client.Job{State: client.Pending, Reason: a.stuck}
	if j.Barred() {
		return
	}
	limited := j.Limited() || j.Unlicensed() || j.Impossible()
	patience := slowest
	if limited || w.shut || j.Unavailable() {
		patience = quiet
	}
	if w.now.Unix()-a.stuckAt < int64(patience.Seconds()) {
		return
	}
	why := "Slurm does not begin its next element: " + a.stuck
	if limited {
		r.barred = why
	} else {
		r.lost = why
	}
}

// slowest is how long Slurm may take to begin the next element on a node that takes new jobs.
const slowest = 10 * time.Minute

// advance tells them.
func (b *Backend) advance(ctx context.Context, r *run) {
	b.mu.Lock()
	id, few, lanes, returns := r.ID, r.array.few, r.size, r.Returns && len(r.array.waiting)+len(r.array.back) > 0
	b.mu.Unlock()
	err := errNotAsked
	b.inSlurm(func() {
		if !b.stillOwns(r, id) {
			return
		}
		if err = nil; few {
			err = b.slurm.(client.Arrays).Throttle(ctx, id, lanes) //nolint:forcetypeassert // arraysOf has seen it
		}
		if err == nil && returns {
			err = b.mayReturn(ctx, r, id)
		}
		if err == nil {
			var placed []client.Link
			if placed, err = b.place(ctx, r, id); !errors.Is(err, errSpent) {
				err = b.letGo(ctx, id, placed, err)
			}
		}
	})
	b.mu.Lock()
	r.acted = b.cfg.Now()
	r.tried = r.acted
	b.mu.Unlock()
	if errors.Is(err, errSpent) {
		b.another(r, id)
		return
	}
	if err != nil && !errors.Is(err, errBegunAnew) {
		b.failed(r, "elements not let go", err)
	}
	b.pollSoon()
}

// jotAfter is how long an element may have ended before that is written down: Slurm forgets it after
// its MinJobAge, which is five minutes if nobody says otherwise.
const jotAfter = time.Minute

// unjotted reports whether ends of elements are to be written down.
func (r *run) unjotted(w *world) bool {
	return r.array.oldest != 0 && r.note == durable && w.now.Unix()-r.array.oldest >= int64(jotAfter.Seconds()) && w.now.Sub(r.tried) >= again
}

// jot writes down which elements have ended, and how.
func (b *Backend) jot(ctx context.Context, r *run) {
	b.mu.Lock()
	n := note{binding: r.binding, Released: true, Done: map[int]finish{}}
	for e, f := range r.array.done {
		n.Done[e] = f
	}
	b.mu.Unlock()
	if err := b.keep.put(ctx, r.key, n); err != nil {
		b.failed(r, "ends of elements not written down", err)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r.array.oldest = 0
	for e, f := range r.array.done {
		if _, there := n.Done[e]; !there && (r.array.oldest == 0 || f.Ended < r.array.oldest) {
			r.array.oldest = max(1, f.Ended)
		}
	}
}
