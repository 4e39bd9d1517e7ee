package slurm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// Nodes of a reservation of Slurm's take its jobs and no others while it lasts. The market is
// told of each node which reservation it is set aside for, and keeps others away; who is in it
// is sold these nodes alone, for no longer than it lasts, and is handed in with its name.

// aside is what is known of Slurm's reservations.
type aside struct {
	all   []limit.Reserved
	heard bool      // at all
	asOf  time.Time // when
	until time.Time // somebody has asked for one that begins by then

	asked, answered int // how often it was asked for, and which time is known of
	refused         int // how often there was no answer

	last []limit.Reserved // as it was said last, for whatever reason
}

// onTime is how long after the beginning of a reservation the market knows of it at the latest,
// where nobody asks: Slurm says so of its nodes within half a minute.
const onTime = time.Minute

// mindsReserved reports whether what is reserved has to be asked for with a listing of the
// nodes: where no node is, or was, and nobody waits for it, it need not.
func (b *Backend) mindsReserved(listed []client.Node) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.aside.heard || b.cfg.Now().Before(b.aside.until) || slices.ContainsFunc(listed, func(n client.Node) bool { return n.Reserved }) {
		return true
	}
	for _, n := range b.nodes {
		if n.aside != "" {
			return true
		}
	}
	return false
}

// hearReserved asks Slurm what is reserved, and has what it says taken in by the function that it
// returns, under the lock. Several ask at once: whoever asked before another, and is answered
// after it, is not to undo what that one has learnt.
func (b *Backend) hearReserved(ctx context.Context) (take func(), err error) {
	b.mu.Lock()
	b.aside.asked++
	turn := b.aside.asked
	b.mu.Unlock()
	all, err := b.slurm.Reservations(ctx)
	return func() {
		if turn > b.aside.answered {
			b.aside.answered = turn
			b.applyReserved(all, b.cfg.Now())
		}
	}, err
}

// applyReserved takes in what is reserved. The lock is held.
func (b *Backend) applyReserved(all []limit.Reserved, now time.Time) {
	b.aside.all, b.aside.heard, b.aside.asOf = all, true, now
	of := map[string][]*limit.Reserved{} // by node
	for i := range all {
		if r := &all[i]; r.Active(now) {
			for _, name := range r.Nodes {
				of[name] = append(of[name], r)
			}
		}
	}
	for name, n := range b.nodes {
		n.aside = ""
		// Of two that overlap each takes the node from the other, by rules of Slurm's own.
		if its := of[name]; len(its) == 1 && b.oddity(its[0]) == "" {
			n.aside = its[0].Name
		}
	}
	b.foresee(all, now)
}

// oddity is why no job of the market can be in a reservation. Some versions do not say that one
// is of some processors of its nodes; by their number it is known. The lock is held.
func (b *Backend) oddity(r *limit.Reserved) string {
	whole := *r
	sum := 0
	for _, name := range r.Nodes {
		n := b.nodes[name]
		if n == nil || n.slurm.Processors == 0 {
			return r.Odd() // how many they have is not known
		}
		sum += n.slurm.Processors
	}
	whole.Partial = r.Partial || r.CPUs > 0 && r.CPUs < sum
	return whole.Odd()
}

// reserved is a reservation by its name, as it was last heard of; nil: there is none. The lock
// is held.
func (b *Backend) reserved(name string) *limit.Reserved {
	if i := slices.IndexFunc(b.aside.all, func(r limit.Reserved) bool { return r.Name == name }); i >= 0 {
		return &b.aside.all[i]
	}
	return nil
}

// askReserved asks Slurm what is reserved now. One asks, however many requests name a reservation: who comes meanwhile
// has the next answer, or, where there was none, none.
func (b *Backend) askReserved(ctx context.Context) error {
	b.mu.Lock()
	asked, refused := b.aside.asked, b.aside.refused
	b.mu.Unlock()
	select {
	case b.asking <- struct{}{}:
		defer func() { <-b.asking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	b.mu.Lock()
	known, silent := b.aside.answered > asked, b.aside.refused > refused
	b.mu.Unlock()
	switch {
	case known:
		return nil
	case silent:
		return errNotAnswered
	}
	take, err := b.hearReserved(context.WithoutCancel(ctx)) // others wait for it, and it has a time limit of its own
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.aside.refused++
		return err
	}
	take()
	return nil
}

var errNotAnswered = fmt.Errorf("%w: it has just not said what is reserved", client.ErrAway)

// within holds a request of a user against the reservation that it is to be in, of which Slurm
// is asked, and has the market know of its nodes.
func (b *Backend) within(ctx context.Context, user string, r *trade.Request) *limit.Excess {
	began := b.cfg.Now()
	if err := b.askReserved(ctx); err != nil {
		return &limit.Excess{Detail: "what is reserved in Slurm is not known, since it does not answer: ask again"}
	}
	site, partition, now := b.site(ctx, b.asked(r)), b.asked(r), b.cfg.Now()
	b.mu.Lock()
	found := b.reserved(r.Reservation)
	if found == nil {
		b.mu.Unlock()
		return &limit.Excess{Detail: "Slurm has no reservation " + r.Reservation + ": scontrol show reservations lists them"}
	}
	in, odd := *found, b.oddity(found)
	if in.From.After(now) {
		b.aside.until = later(b.aside.until, in.From.Add(onTime))
	}
	b.mu.Unlock()
	no := func(format string, words ...any) *limit.Excess {
		return &limit.Excess{Detail: "reservation " + in.Name + ": " + fmt.Sprintf(format, words...)}
	}
	if odd != "" {
		return no("no job of the market can be in it: %s", odd)
	}
	if others := site.Grants(&in, user); others != "" {
		return no("%s", others)
	}
	if in.Partition != "" && in.Partition != partition {
		return no("it is of partition %s, and the job is in %s", in.Partition, partition)
	}
	if e := inTime(&in, r, now); e != nil {
		return e
	}
	if in.From.After(now) {
		return nil // it begins in it
	}
	open, shut := b.tellAside(ctx, in.Name)
	if open == 0 { // what is known of them may be of a moment ago
		b.lookSince(ctx, began)
		open, shut = b.tellAside(ctx, in.Name)
	}
	if open == 0 {
		why := "none is one of the market's, and not another reservation's as well"
		if len(shut) > 0 {
			slices.Sort(shut)
			why = "none takes jobs of it now: " + strings.Join(shut, "; ")
		}
		return no("of its nodes (%s) %s", strings.Join(in.Nodes, ", "), why)
	}
	return nil
}

// inTime is why a request is not done while a reservation lasts.
func inTime(in *limit.Reserved, r *trade.Request, now time.Time) *limit.Excess {
	begins := now.Add(time.Duration(r.BeginMS) * time.Millisecond)
	first := in.From.Add(onTime) // the market knows of it by then
	end := in.Till.Add(-reservedSlack)
	left := end.Sub(begins)
	named := "reservation " + in.Name
	switch {
	case !now.Before(in.Till):
		return &limit.Excess{Detail: named + " has ended"}
	case in.From.After(now) && begins.Before(first):
		return &limit.Excess{Detail: fmt.Sprintf("%s begins at %s: hand it in then, or with --begin=%s", named, moment(in.From), moment(first.Add(time.Minute-1).Truncate(time.Minute)))}
	case now.Add(mayTake(r)).After(end):
		e := &limit.Excess{Field: "deadline_ms", Most: max(0, left.Milliseconds()), Detail: fmt.Sprintf("%s ends at %s, and Slurm ends what runs in it: it may take until its deadline", named, moment(in.Till))}
		if r.DeadlineMS == 0 {
			e.Detail = fmt.Sprintf("%s ends at %s, and Slurm ends what runs in it: without a deadline it may take four times its estimate", named, moment(in.Till))
		}
		if left < time.Duration(r.EstimateMS)*time.Millisecond {
			e.Detail = fmt.Sprintf("%s ends at %s, sooner than it would be done", named, moment(in.Till))
		}
		return e
	}
	return nil
}

// moment is a time of day as Slurm's commands take it, and say it.
func moment(t time.Time) string { return t.Local().Format("2006-01-02T15:04:05") }

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// tellAside tells the market of the nodes of a reservation what it does not know yet, and says
// how many of them take its jobs, and why the others do not.
func (b *Backend) tellAside(ctx context.Context, name string) (open int, shut []string) {
	for _, n := range b.settled(ctx, name) {
		b.mu.Lock()
		h, told := *n.hello, n.hello.Reserved == name
		n.equip(&h, true)
		b.mu.Unlock()
		if !told {
			// Who goes away does not leave the market with what nobody here knows that it has heard: the node would stay
			// set aside when the reservation is over.
			if _, err := b.register(context.WithoutCancel(ctx), n, h); err != nil { // it is told with the next look at all nodes
				shut = append(shut, fmt.Sprintf("%s: %v", n.name, err))
				continue
			}
		}
		b.mu.Lock()
		door, why := n.doorOf(b.cfg.Now())
		ahead := n.ahead
		news := door != n.door && !n.turning
		b.mu.Unlock()
		if news {
			err := b.fleet.Turn(ctx, n.name, door, why, ahead)
			b.mu.Lock()
			if n.door, n.aheadTold = door, ahead; err != nil || n.turning { // who was heard last is not known, nor whether, of who went away
				n.door, n.aheadTold = "", unheard
			}
			b.mu.Unlock()
			if err != nil {
				shut = append(shut, fmt.Sprintf("%s: %v", n.name, err))
				continue
			}
		}
		if door == trade.DoorOpen {
			open++
		} else {
			shut = append(shut, n.name+": "+why)
		}
	}
	return open, shut
}

// settlePause is how long it takes to look again whether the market has answered, and
// settleLooks how often one does: what it does with a node is a matter of milliseconds.
const (
	settlePause = 20 * time.Millisecond
	settleLooks = 250
)

// settled are the nodes of a reservation that the market has. While it is being told of one, it
// is not known whether it is open: whoever asks waits for that.
func (b *Backend) settled(ctx context.Context, name string) (its []*node) {
	for look := range settleLooks {
		if look > 0 {
			select {
			case <-ctx.Done():
				return its
			case <-time.After(settlePause):
			}
		}
		its = its[:0]
		busy := false
		b.mu.Lock()
		for _, n := range b.nodes {
			if n.aside == name && n.hello != nil && n.health == well {
				busy = busy || n.turning || n.membership.busy()
				if n.membership == member {
					its = append(its, n)
				}
			}
		}
		b.mu.Unlock()
		if !busy {
			break
		}
	}
	return its
}

// shutTo reports whether a node is set aside for others than a run that is in a reservation, or
// in none, as the market knows. The lock is held.
func (n *node) shutTo(within string) bool {
	return n.hello != nil && n.hello.GPUs != task.SameGPUs && n.hello.Reserved != within
}

// dissolved is why a run that has not begun never will in its reservation; empty: it may. The
// lock is held.
func (b *Backend) dissolved(r *run, now time.Time) string {
	if r.within == "" || !b.aside.heard {
		return ""
	}
	if in := b.reserved(r.within); in == nil || !now.Before(in.Till) {
		return "reservation " + r.within + " is over, or gone from Slurm, and it had not begun: hand it in again, without it or in another"
	}
	return ""
}

// intoReservation has a job handed in as one of its reservation, for no longer than that lasts.
// It says why it cannot be, or that Slurm cannot be asked.
func (b *Backend) intoReservation(ctx context.Context, spec *task.Spec, s *client.Submission) (refused string, err error) {
	if spec.Within == "" {
		return "", nil
	}
	if err = b.askReserved(ctx); err != nil {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now, in := b.cfg.Now(), b.reserved(spec.Within)
	switch {
	case in == nil || !now.Before(in.Till):
		return "reservation " + spec.Within + " is over, or gone from Slurm: hand it in again, without it or in another", nil
	case spec.DueUS != 0 && time.UnixMicro(spec.DueUS).After(in.Till):
		return "reservation " + spec.Within + " ends at " + moment(in.Till) + " by now, before the job is due: hand it in again", nil
	}
	s.Reservation = spec.Within
	if left := in.Till.Sub(now).Truncate(time.Minute); s.Limit == 0 || s.Limit > left {
		s.Limit = max(left, time.Minute)
	}
	return "", nil
}
