package slurm

import (
	"context"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// tick is how often everything is looked at again, changed or not.
const tick = 500 * time.Millisecond

// Run follows the market and Slurm until ctx is done, and returns when nothing
// of it is under way any more.
func (b *Backend) Run(ctx context.Context) {
	b.ctx = ctx
	b.going.Go(func() { b.keep.run(ctx) })
	b.going.Go(func() { b.poll(ctx) })
	b.mu.Lock()
	for _, n := range b.nodes {
		b.follow(n)
	}
	b.standIns.open = b.cfg.Line != nil
	b.mu.Unlock()
	if b.cfg.Line != nil {
		b.going.Go(func() { b.cfg.Line.LineUp(ctx) })
	}
	if b.cfg.Doors != nil {
		b.going.Go(func() { b.usher(ctx) })
	}
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-b.wake:
			b.decide(false)
		case <-ticks.C:
			b.decide(true)
		}
	}
	b.acts.close()
	b.going.Wait()
}

// wakeLoop lets the loop look at what has changed.
func (b *Backend) wakeLoop() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// pollSoon lets Slurm be asked earlier than it would be.
func (b *Backend) pollSoon() {
	select {
	case b.pollNow <- struct{}{}:
	default:
	}
}

// decide decides for every run that has changed, or for all.
func (b *Backend) decide(all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.cfg.Now()
	if all {
		for _, r := range b.runs {
			b.dirty[r] = true
		}
		b.syncNodes(now)
		b.handAnew(now)
	}
	for r := range b.dirty {
		delete(b.dirty, r)
		before := r.ID
		w := b.world(r, now)
		if !r.busy && !r.state.over() {
			if r.infer(&w); r.state.over() {
				w = b.world(r, now) // agents may have a last word on what has just ended
				b.hasEnded(r, now)
			}
		}
		next := r.decide(&w)
		if r.shunned {
			r.shunned = false
			b.avoid(r, now)
		}
		if before != 0 && r.ID == 0 {
			b.cfg.Log.Warn("Slurm has lost a job that had not started", "run", r.key, "slurm", before)
			b.releaseID(before, r)
		}
		if r.misfit != nil {
			b.cfg.Log.Error("this cannot happen to a run", "run", r.key, "error", r.misfit)
			r.misfit = nil
		}
		b.do(r, next)
	}
	b.hasLeft()
}

// world is what is so beside a run. The lock is held.
func (b *Backend) world(r *run, now time.Time) world {
	w := world{
		now: now, control: b.cfg.Control, good: b.good, listed: b.listed, grace: b.cfg.Grace, settle: b.cfg.Settle,
		orders: b.heardOf(r), last: true, fresh: true, closed: b.closedFor(r), shut: b.allShut(r), over: b.dissolved(r, now), others: b.othersHold(r),
	}
	for _, name := range r.Nodes {
		n := b.nodes[name]
		if b.cfg.Control == Agents && (n == nil || !n.reported.After(r.asOf)) {
			w.fresh = false
		}
		if r.end != nil && b.cfg.Control == Agents && n != nil && !n.membership.lost() && n.reported.Before(r.end.at) && now.Sub(r.end.at) < b.cfg.Last {
			w.last = false
		}
	}
	if r.end != nil && (r.end.started == 0 && !r.ranOnce || r.emptied()) { // it never ran, or all is said
		w.last = true
	}
	if r.end != nil && r.end.state == task.Lost && b.cfg.Control == Agents && b.lingers(r, now) {
		w.last = false
	}
	return w
}

// poll asks Slurm how its jobs and nodes stand.
func (b *Backend) poll(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var asked, nodesAsked time.Time
	const least = 250 * time.Millisecond
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-b.pollNow:
			if soon := least - b.cfg.Now().Sub(asked); soon > 0 {
				timer.Reset(soon)
				continue
			}
		}
		asked = b.cfg.Now()
		b.pollJobs(ctx, asked)
		took := b.cfg.Now().Sub(asked)
		if asked.Sub(nodesAsked) >= 2*b.cfg.Busy {
			nodesAsked = asked
			b.pollNodes(ctx)
			b.renewSites(ctx)
		}
		b.mu.Lock()
		b.polled = took
		next := b.cfg.Idle
		if b.good.IsZero() || b.eventful() {
			next = max(b.cfg.Busy, 4*took)
		}
		if len(b.standIns.of) > 0 { // somebody may cancel one
			next = min(next, 2*b.cfg.Busy)
		}
		b.mu.Unlock()
		timer.Reset(min(next, b.cfg.Idle))
		b.wakeLoop()
	}
}

// eventful reports whether anything is to be expected of Slurm: of jobs that are
// held it is not. The lock is held.
func (b *Backend) eventful() bool {
	if len(b.putBacks) > 0 {
		return true
	}
	for _, r := range b.runs {
		if r.state.over() {
			continue
		}
		if r.state.mayHaveStarted() || r.state == unconfirmed && !r.busy || r.stop != goesOn || !r.missing.IsZero() || r.lost != "" {
			return true
		}
	}
	return false
}

func (b *Backend) pollJobs(ctx context.Context, began time.Time) {
	jobs, err := b.slurm.Jobs(ctx, b.cfg.Partition)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heard(began, err)
	if err != nil {
		if !b.good.IsZero() && ctx.Err() == nil {
			b.cfg.Log.Warn("Slurm does not answer", "error", err)
		}
		b.good = time.Time{}
		return
	}
	if b.good.IsZero() && b.listings > 0 {
		b.cfg.Log.Info("Slurm answers again")
		b.answersAgain()
	}
	b.applyListing(began, jobs)
	if b.cfg.Control == None {
		b.progress()
	}
}

// heard notes when Slurm was silent: sooner than that none takes over. The lock is held.
func (b *Backend) heard(began time.Time, err error) {
	if now := b.cfg.Now(); err != nil || now.Sub(began) >= vouching {
		b.silent = now
	}
}

func (b *Backend) pollNodes(ctx context.Context) {
	came := b.cfg.Now()
	b.looking.Lock()
	defer b.looking.Unlock()
	b.mu.Lock()
	silent := b.looked.After(came)
	b.mu.Unlock()
	if !silent { // else it said nothing to another just now, and is asked for its jobs sooner
		b.lookAtNodes(ctx)
	}
}

// lookAtNodes asks how the nodes stand. Who calls it is the one who looks.
func (b *Backend) lookAtNodes(ctx context.Context) {
	began := b.cfg.Now()
	nodes, err := b.slurm.Nodes(ctx, b.cfg.Partition)
	takeReserved := func() {}
	if err == nil && b.mindsReserved(nodes) {
		takeReserved, err = b.hearReserved(ctx)
	}
	takeClosed := b.hearClosed(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heard(began, err)
	if b.looked = began; err != nil {
		b.looked = b.cfg.Now() // who came meanwhile has waited as long, and does not ask again what nobody answers
		return                 // asking for the jobs says so
	}
	listed := map[string]client.Node{}
	for _, n := range nodes {
		listed[n.Name] = n
	}
	b.applyNodes(listed, b.cfg.Now())
	takeReserved()
	takeClosed()
	b.noteUse(began)
}
