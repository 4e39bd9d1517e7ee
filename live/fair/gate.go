package fair

import (
	"context"
	"sync"
	"time"
)

// Class is what a call is.
type Class uint8

// The classes of calls.
const (
	Command Class = iota // changes something
	Read                 // looks, and costs what it looks at
	Wait                 // a read that mostly waits for somebody else, such as a node
	Poll                 // waits for news as long as it takes; it takes no turn
)

// Gate knows what each party has under way and has had lately.
type Gate struct {
	limits Limits
	now    func() time.Time

	mu      sync.Mutex
	parties map[Party]*guest
	bodies  int // bytes of all
}

// guest is what one party has under way.
type guest struct {
	commands, reads, upload bucket

	busy    bucket // seconds of reads that crowd
	lanes   [3]lane
	streams int
	bodies  int // bytes
	inside  int // calls, streams and bodies under way
	held    int // calls that wait for a refusal
}

// lane is where calls of one kind go in: so many at a time, the others wait in the
// order in which they came.
type lane struct {
	inside int
	queue  []chan struct{}
	later  *time.Timer // lets the next in when reads have paused for long enough
}

const (
	commandLane = iota
	readLane
	waitLane // so that a node that does not answer holds up nothing else
)

// NewGate is one with limits, by a clock.
func NewGate(l Limits, now func() time.Time) *Gate {
	return &Gate{limits: l, now: now, parties: map[Party]*guest{}}
}

// Limits are those of the gate.
func (g *Gate) Limits() *Limits { return &g.limits }

// nodes is by how much the rates of an agent are above those of a person: it
// reports, and fetches output for all.
const nodes = 20

// nodesBurst is what an agent may send at once, as a part of what a person may: it has
// no scripts to send, and a report on 4,096 tasks is less than a megabyte.
const nodesBurst = 0.25

// guest finds or makes a party's. The caller holds the lock.
func (g *Gate) guest(p Party) *guest {
	if one := g.parties[p]; one != nil {
		return one
	}
	now := g.now()
	g.sweep(now)
	l, more, burst := &g.limits, 1.0, 1.0
	if p.Kind == Node {
		more, burst = nodes, nodesBurst
	}
	one := &guest{
		commands: newBucket(l.Commands*more, l.CommandsBurst*more, now),
		reads:    newBucket(l.Reads*more, l.ReadsBurst*more, now),
		upload:   newBucket(l.UploadKB*more, l.UploadBurstKB*burst, now),
		busy:     bucket{rate: l.ReadsBusy, burst: busyBurst, level: busyBurst, at: now},
	}
	g.parties[p] = one
	return one
}

// busyBurst is for how many seconds reads may crowd before they are slowed.
const busyBurst = 0.25

// manyParties is from how many on those are forgotten who have nothing under way.
const manyParties = 4096

func (g *Gate) sweep(now time.Time) {
	if len(g.parties) < manyParties {
		return
	}
	for p, one := range g.parties {
		if one.inside == 0 && one.commands.full(now) && one.reads.full(now) && one.upload.full(now) {
			delete(g.parties, p)
		}
	}
}

// Visit is a call that was let in.
type Visit struct {
	g      *Gate
	of     *guest
	lane   *lane
	ticket *Ticket
	began  time.Time
	read   bool
	waits  bool
}

// Enter lets a call in: at its party's rate, unless it is free of that, and in its
// turn among the party's own. It waits for the turn; over a limit it is an [Over].
func (g *Gate) Enter(ctx context.Context, t *Ticket, c Class, free bool) (Visit, error) {
	g.mu.Lock()
	of := g.guest(t.Party)
	if !free {
		if err := g.rate(of, c); err != nil {
			g.refuse(ctx, of)
			return Visit{}, err
		}
	}
	v := Visit{g: g, of: of, ticket: t, read: c == Read, waits: c == Wait}
	if c == Poll {
		of.inside++
		g.mu.Unlock()
		return v, nil
	}
	v.lane = &of.lanes[laneOf(c)]
	if g.mayGo(&v) {
		v.lane.inside++
		of.inside++
		v.began = g.now()
		g.mu.Unlock()
		return v, nil
	}
	if most := g.limits.Waiting; most > 0 && len(v.lane.queue) >= most {
		err := over("waiting", time.Second, "%d calls of %s wait for their turn: wait for their answers before sending more", len(v.lane.queue), t.Name)
		g.refuse(ctx, of)
		return Visit{}, err
	}
	turn := make(chan struct{})
	v.lane.queue = append(v.lane.queue, turn)
	of.inside++
	g.plan(&v)
	g.mu.Unlock()
	select {
	case <-turn:
		v.began = g.now()
		return v, nil
	case <-ctx.Done():
		g.mu.Lock()
		defer g.mu.Unlock()
		of.inside--
		for i, other := range v.lane.queue {
			if other == turn {
				v.lane.queue = append(v.lane.queue[:i:i], v.lane.queue[i+1:]...)
				return Visit{}, ctx.Err()
			}
		}
		v.lane.inside-- // it was let in this very moment
		g.next(&v)
		return Visit{}, ctx.Err()
	}
}

// rate takes a call off the party's rates.
func (g *Gate) rate(of *guest, c Class) error {
	now := g.now()
	b, name, what := &of.reads, "reads", "reads"
	if c == Command {
		b, name, what = &of.commands, "commands", "commands"
		if wait := of.upload.lacks(0, now); wait > 0 {
			return over("upload_kb", wait, "too much was sent in too short a time (%g KB a second after the first %g): wait, or put large input into files",
				of.upload.rate, of.upload.burst)
		}
	}
	if wait := b.lacks(1, now); wait > 0 {
		return over(name, wait, "too many %s in too short a time (%g a second after the first %g): wait, or ask the owner of the market for another limit",
			what, b.rate, b.burst)
	}
	b.spend(1)
	return nil
}

// mostHeld is how many calls of one party are kept waiting for a refusal.
const mostHeld = 64

// refuse lets who is refused wait a little for it. The caller holds the lock, and
// has not afterwards.
func (g *Gate) refuse(ctx context.Context, of *guest) {
	if g.limits.Hold <= 0 || of.held >= mostHeld {
		g.mu.Unlock()
		return
	}
	of.held++
	of.inside++
	g.mu.Unlock()
	timer := time.NewTimer(g.limits.Hold)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	g.mu.Lock()
	of.held--
	of.inside--
	g.mu.Unlock()
}

// room is how many calls may be in a lane; 0: any number.
func (g *Gate) room(v *Visit) int {
	switch {
	case v.read:
		return g.limits.ReadsAtOnce
	case v.waits:
		return waiters * g.limits.CommandsAtOnce
	default:
		return g.limits.CommandsAtOnce
	}
}

// waiters is how many calls that wait go for one command.
const waiters = 4

func laneOf(c Class) int {
	switch c {
	case Read:
		return readLane
	case Wait:
		return waitLane
	default:
		return commandLane
	}
}

// mayGo reports whether a call need not wait.
func (g *Gate) mayGo(v *Visit) bool {
	if most := g.room(v); most > 0 && (v.lane.inside >= most || len(v.lane.queue) > 0) {
		return false
	}
	return !v.read || v.of.busy.lacks(0, g.now()) == 0
}

// next lets those in whose turn it is.
func (g *Gate) next(v *Visit) {
	most := g.room(v)
	for len(v.lane.queue) > 0 && (most == 0 || v.lane.inside < most) {
		if v.read && v.of.busy.lacks(0, g.now()) > 0 {
			break
		}
		turn := v.lane.queue[0]
		v.lane.queue = v.lane.queue[1:]
		v.lane.inside++
		close(turn)
	}
	g.plan(v)
}

// plan sees to it that reads that were slowed go on.
func (g *Gate) plan(v *Visit) {
	if !v.read || len(v.lane.queue) == 0 || v.lane.later != nil {
		return
	}
	wait := v.of.busy.lacks(0, g.now())
	if wait == 0 {
		return // whoever is inside lets the next in
	}
	again := *v
	v.lane.later = time.AfterFunc(max(wait, time.Millisecond), func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		again.lane.later = nil
		g.next(&again)
	})
}

// Leave ends a visit. What reads took counts where others of the party waited for
// them, but not what they waited themselves: one after the other crowds nobody out.
func (v *Visit) Leave() {
	if v.of == nil {
		return
	}
	g := v.g
	g.mu.Lock()
	defer g.mu.Unlock()
	v.of.inside--
	if v.lane != nil {
		v.lane.inside--
		if v.read && len(v.lane.queue) > 0 && !v.of.busy.unlimited() {
			now := g.now()
			v.of.busy.fill(now)
			v.of.busy.spend(max(0, now.Sub(v.began)-time.Duration(v.ticket.idle.Load())).Seconds())
		}
		g.next(v)
	}
	v.of = nil
}

// Uploaded takes the size of a body off what a party may send.
func (g *Gate) Uploaded(p Party, bytes int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if of := g.guest(p); !of.upload.unlimited() {
		of.upload.fill(g.now())
		of.upload.spend(float64(bytes) / 1024)
	}
}

// Follow takes a place for a stream, and returns how to give it back.
func (g *Gate) Follow(p Party) (done func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	of := g.guest(p)
	if most := g.limits.Streams; most > 0 && of.streams >= most {
		return nil, over("streams", time.Second, "%d streams of %s are open, with all tokens and pages together: close one first", of.streams, p.Name)
	}
	of.streams++
	of.inside++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		of.streams--
		of.inside--
	}, nil
}
