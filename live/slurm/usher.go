package slurm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/core/trade"
)

// Who has waited in the market (--begin, a dependency) and whose time comes is let in as long as Slurm's limits
// leave room: what Slurm would keep waiting is not sold. Who is not let in is looked at again when a job of the
// market has ended, and while there is somebody every other second, as others may have ended in Slurm.

// Doors are where those wait who want to be let in.
type Doors interface {
	// Knocks says when somebody has come.
	Knocks() <-chan struct{}
	// Due are those who are there, the oldest first, and of those that are not known what they ask for.
	Due(ctx context.Context, known func(int64) bool) ([]int64, []Waiting, error)
	// LetIn begins a job, and reports whether it was sold.
	LetIn(ctx context.Context, job int64) (sold bool, err error)
	// Bar says what jobs wait for.
	Bar(ctx context.Context, jobs []int64, why string) error
}

// Waiting is a job that wants to be let in.
type Waiting struct {
	Job   int64
	User  string
	DueUS int64 // its deadline; 0: it has none
	Waits bool  // for processors, perhaps: it has its licences when it begins

	Request trade.Request // as of one that begins now, but for its deadline
}

// ushers is who is known to wait.
type ushers struct {
	known map[int64]*caller
	again chan struct{} // there may be room
	let   chan struct{} // those who are being let in: at most so many at a time
}

// caller is one of them.
type caller struct {
	Waiting

	said string // what it was told to wait for
	busy bool   // it is being let in
}

const (
	usherPause = 500 * time.Millisecond // between two looks at all of them
	usherAgain = siteLasts              // while somebody is not let in
	usherMost  = 64                     // jobs that are let in at a time
	usherSaid  = 500                    // jobs of which the same is said at once
)

// silentSlurm is what jobs wait for whose limits nobody knows.
const silentSlurm = "Slurm, which does not answer"

// usher lets in who has waited, until ctx is done.
func (b *Backend) usher(ctx context.Context) {
	timer := time.NewTimer(0) // who came before
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.cfg.Doors.Knocks():
		case <-b.ushers.again:
		case <-timer.C:
		}
		timer.Stop()
		waits, asked := b.lookAtDoors(ctx)
		if waits {
			timer.Reset(usherAgain)
		}
		if asked { // not at each that comes, or ends
			pause(ctx, usherPause)
		}
	}
}

// AskAnew has a job be asked what it asks for once more.
func (b *Backend) AskAnew(job int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.ushers.known[job]; c != nil && !c.busy {
		delete(b.ushers.known, job)
		b.lookAtThem()
	}
}

// hasLeft has those looked at who wait, if one that ran has ended. The lock is held.
func (b *Backend) hasLeft() {
	if !b.gate.sums.left {
		return
	}
	b.gate.sums.left = false
	if len(b.ushers.known) > 0 {
		b.lookAtThem()
	}
}

// lookAtThem has all of them looked at soon.
func (b *Backend) lookAtThem() {
	select {
	case b.ushers.again <- struct{}{}:
	default:
	}
}

// lookAtDoors looks once at all who want to be let in, and reports whether some are not, and whether Slurm was asked for it.
func (b *Backend) lookAtDoors(ctx context.Context) (waits, asked bool) {
	began := b.cfg.Now()
	b.mu.Lock()
	known := maps.Clone(b.ushers.known)
	b.mu.Unlock()
	ids, news, err := b.cfg.Doors.Due(ctx, func(id int64) bool { return known[id] != nil })
	if err != nil {
		return true, true // it is tried again
	}
	heard := map[string]bool{}  // by partition: Slurm has said what it has there
	full := map[string]string{} // what who asks for the same waits for
	told := map[string][]int64{}
	for _, c := range b.callers(ids, news) {
		partition := b.asked(&c.Request)
		said, known := heard[partition]
		if !known {
			b.Announce(ctx, &c.Request) // they are put on nodes now
			var anew bool
			said, anew = b.siteSince(ctx, partition, began)
			heard[partition], asked = said, asked || anew
		}
		why := silentSlurm
		if said {
			why = b.mayCome(ctx, c, full)
		}
		if why == "" {
			continue
		}
		if waits = true; why != c.said {
			told[why] = append(told[why], c.Job)
		}
	}
	b.tell(ctx, told)
	return waits, asked
}

// callers are those who are there, but for those who are being let in.
func (b *Backend) callers(ids []int64, news []Waiting) []*caller {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range news {
		if b.ushers.known[news[i].Job] == nil {
			b.ushers.known[news[i].Job] = &caller{Waiting: news[i]}
		}
	}
	var here []*caller
	there := make(map[int64]bool, len(ids))
	for _, id := range ids {
		there[id] = true
		if c := b.ushers.known[id]; c != nil && !c.busy {
			here = append(here, c)
		}
	}
	maps.DeleteFunc(b.ushers.known, func(id int64, c *caller) bool { return !there[id] && !c.busy })
	return here
}

// siteSince has Slurm say what it has in a partition since a time, if it matters what others have: who has just ended
// may have made room for one of Slurm's own. It reports whether Slurm has ever said, and whether it was asked.
func (b *Backend) siteSince(ctx context.Context, partition string, since time.Time) (heard, asked bool) {
	site := b.site(ctx, partition)
	w := b.gate.wicket(partition)
	if old, said := w.since(since); !old || said && !site.Counts() && !site.HasLicenses() {
		return said, !said
	}
	w.asking.Lock()
	defer w.asking.Unlock()
	if old, said := w.since(since); !old {
		return said, true
	}
	b.askSite(ctx, partition, w)
	_, heard = w.since(since)
	return heard, true
}

// since reports whether what is known was asked for before a time, and whether there ever was an answer.
func (w *wicket) since(since time.Time) (old, heard bool) {
	w.known.Lock()
	defer w.known.Unlock()
	return w.began.Before(since), w.heard
}

// mayCome lets a job in for which there is room, or says what it waits for. What could never begin is let in,
// too: the market, or Slurm, says why it cannot.
func (b *Backend) mayCome(ctx context.Context, c *caller, full map[string]string) (why string) {
	whose := c.User + "\x00" + c.Request.QOS + "\x00" + c.Request.Partition
	asks := whose + "\x00" + c.alike()
	if why = cmp.Or(full[whose], full[asks]); why != "" {
		return why
	}
	r := c.Request
	if c.DueUS > 0 {
		r.DeadlineMS = max(1, (c.DueUS-b.cfg.Now().UnixMicro())/1000)
	}
	ticket, over := b.AdmitHeld(ctx, c.User, &r, c.Waits, c.Job)
	if over != nil && over.Short != "" {
		switch why = "room within " + over.Short; {
		case over.None:
			full[whose] = why
		case over.Field != "deadline_ms": // else a shorter one may have room
			full[asks] = why
		}
		return why
	}
	b.letIn(ctx, c, ticket)
	return ""
}

// letIn begins a job. The room that it has is kept for it until the market has said what has become of it.
func (b *Backend) letIn(ctx context.Context, c *caller, ticket *Ticket) {
	b.mu.Lock()
	c.busy = true
	b.mu.Unlock()
	b.ushers.let <- struct{}{}
	b.going.Go(func() {
		sold, err := b.cfg.Doors.LetIn(ctx, c.Job)
		<-b.ushers.let
		if err != nil && ctx.Err() == nil {
			b.cfg.Log.Warn("a job that has waited is not let in", "job", c.Job, "error", err)
		}
		if !sold {
			b.Settle(ticket, 0)
		}
		b.mu.Lock()
		delete(b.ushers.known, c.Job) // if it waits on, it is asked anew
		b.mu.Unlock()
		if !sold { // another may have the room
			b.lookAtThem()
		}
	})
}

// alike is the same of all jobs of a user that ask for the same: what one of them has no room for, the others have none for.
func (c *caller) alike() string {
	r := &c.Request
	at, some := 0, 0
	if r.Array != nil {
		at, some = r.Array.AtATime(), r.Array.Len()
	}
	return strings.Join([]string{
		r.Reservation, r.GPUKind,
		fmt.Sprint(c.Waits, c.DueUS > 0, r.Procs(), r.PerProgram(), r.MemoryMB, r.GPUs, at, some, licensesOf(r.Env)),
	}, "\x00")
}

// tell has jobs told what they wait for.
func (b *Backend) tell(ctx context.Context, told map[string][]int64) {
	for _, why := range slices.Sorted(maps.Keys(told)) {
		for jobs := range slices.Chunk(told[why], usherSaid) {
			if err := b.cfg.Doors.Bar(ctx, jobs, why); err != nil {
				continue // it is said with the next look
			}
			b.mu.Lock()
			for _, job := range jobs {
				if c := b.ushers.known[job]; c != nil {
					c.said = why
				}
			}
			b.mu.Unlock()
		}
	}
}
