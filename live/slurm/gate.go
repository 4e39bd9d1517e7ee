package slurm

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/limit"
)

// gate is what is known of Slurm's limits, and what was promised within them that is
// not on its way to Slurm yet.
type gate struct {
	tickets map[*Ticket]bool
	sums    sums // of what runs count for

	guard   sync.Mutex
	wickets map[string]*wicket // by partition
	granted limit.Granted      // what is remembered of that
}

// wicket is what is known of the limits of a partition.
type wicket struct {
	asking sync.Mutex // one asks, and those wait for the answer who know nothing
	known  sync.Mutex
	site   *limit.Site
	had    had             // of the jobs of the market, what Slurm counted when it was asked
	merged []share         // that, added up
	stood  map[int64]share // and of those who waited, by job; nil: it is not added up yet
	asked  time.Time       // and has answered, or not
	began  time.Time       // when that was begun
	heard  bool            // it has answered, ever
}

// How long limits are believed to be as they were: after the first they are asked for
// anew, and until the second nobody waits for that.
const (
	siteLasts = 2 * time.Second
	siteStale = 10 * time.Second
)

// Ticket is room within Slurm's limits that is kept for a job while the market decides.
type Ticket struct {
	user      string
	qos       string // that it named
	partition string
	use       limit.Use
	elements  int // of an array, at a time; 0: it is none

	job int64     // that the market made of it; 0: it has not said
	at  time.Time // when it did

	before []*Ticket // of the same job, which hold again if this is handed back

	quoting  bool // a quote was asked for
	recalled bool // the job was under way before this backend was: it lasts until that is known, or has ended

	quote string    // that the market made of it, which may be taken; empty: it is none
	until time.Time // it can
}

// ticketLasts is how long a job that was accepted may take until Slurm is to have it. One
// that takes longer waits in the market, and Slurm is not concerned.
const ticketLasts = 10 * time.Second

// wicket is that of a partition.
func (g *gate) wicket(partition string) *wicket {
	g.guard.Lock()
	defer g.guard.Unlock()
	w := g.wickets[partition]
	if w == nil {
		if g.wickets == nil {
			g.wickets = map[string]*wicket{}
		}
		w = &wicket{}
		g.wickets[partition] = w
	}
	return w
}

// site is what Slurm lets whom have in a partition. While Slurm does not answer, that is what
// it said last, or nothing: what it would keep waiting is then noticed when it does.
func (b *Backend) site(ctx context.Context, partition string) *limit.Site {
	ctx = context.WithoutCancel(ctx) // the calls have a time limit of their own: who goes away does not make Slurm one that says nothing
	w := b.gate.wicket(partition)
	site, age := w.last(b.cfg.Now())
	if age >= siteStale {
		w.asking.Lock()
		defer w.asking.Unlock()
		if site, age = w.last(b.cfg.Now()); age >= siteLasts {
			site = b.askSite(ctx, partition, w)
		}
	} else if age >= siteLasts && w.asking.TryLock() {
		go func() {
			defer w.asking.Unlock()
			b.askSite(ctx, partition, w)
		}()
	}
	return site
}

// siteNow is what Slurm says now, or has said a moment ago: who is unknown cannot have it asked as
// often as they like.
func (b *Backend) siteNow(ctx context.Context, partition string) *limit.Site {
	w := b.gate.wicket(partition)
	w.asking.Lock()
	defer w.asking.Unlock()
	site, age := w.last(b.cfg.Now())
	if age >= siteLasts {
		site = b.askSite(context.WithoutCancel(ctx), partition, w)
	}
	return site
}

// last is what is known, and how old it is.
func (w *wicket) last(now time.Time) (*limit.Site, time.Duration) {
	w.known.Lock()
	defer w.known.Unlock()
	if w.site == nil {
		return nil, siteStale
	}
	return w.site, now.Sub(w.asked)
}

// askSite asks Slurm. Who calls it is the one who asks.
//
// What it counts of the market's own is what these had while it was asked, not what they
// have when somebody comes: by then some have ended, and would be taken for others'.
func (b *Backend) askSite(ctx context.Context, partition string, w *wicket) *limit.Site {
	began := b.cfg.Now()
	counted := b.had(had{})
	site, err := b.slurm.Limits(ctx, partition)
	counted = b.had(counted)
	if err == nil {
		b.keepGranted(ctx, site.Granted)
	}
	w.known.Lock()
	defer w.known.Unlock()
	if w.began = began; err == nil {
		w.took(site, counted)
		w.heard = true
	} else if w.site == nil {
		w.site = limit.Read(limit.Said{})
	}
	w.asked = b.cfg.Now()
	return w.site
}

// Fill says what Slurm gives a job that asks for nothing: it counts for what fits on a
// node, so the market has to know.
func (b *Backend) Fill(ctx context.Context, r *trade.Request) {
	if r.MemoryMB == 0 {
		r.MemoryMB = b.site(ctx, b.asked(r)).Partition.DefMemoryMB
	}
}

// Admit holds a request of a user against Slurm's limits: the one that it would exceed,
// or a ticket, to be handed back with what became of it; none where nothing is counted.
// What waits in the market before it begins, for its time, for others or for processors, has its
// licences when it does: see license.
func (b *Backend) Admit(ctx context.Context, user string, r *trade.Request, waits bool) (*Ticket, *limit.Excess) {
	return b.admit(ctx, user, r, waits, false, nil)
}

// NoQOS says why a job may not have the QOS that it names, or has if it names none; nil: it may.
func (b *Backend) NoQOS(ctx context.Context, user string, r *trade.Request) *limit.Excess {
	partition := b.asked(r)
	e := b.site(ctx, partition).NoQOS(user, r.QOS, r.Reservation != "")
	if e != nil {
		e = b.siteNow(ctx, partition).NoQOS(user, r.QOS, r.Reservation != "")
	}
	return e
}

// admit is Admit, also of a job that has waited, or of a quote with what quotes may keep; nil: it is for no quote.
func (b *Backend) admit(ctx context.Context, user string, r *trade.Request, waits, waited bool, most *Bounds) (*Ticket, *limit.Excess) {
	if r.Reservation != "" {
		if e := b.within(ctx, user, r); e != nil {
			return nil, e
		}
	}
	partition := b.asked(r)
	t, e := b.admitTo(b.site(ctx, partition), partition, user, r, waits, waited, most)
	if e != nil && e.Unknown {
		t, e = b.admitTo(b.siteNow(ctx, partition), partition, user, r, waits, waited, most)
	}
	return t, e
}

// admitTo is that, by what Slurm says of a partition.
func (b *Backend) admitTo(site *limit.Site, partition, user string, r *trade.Request, waits, waited bool, most *Bounds) (*Ticket, *limit.Excess) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ask := b.asks(user, r, waits, site.MostElements())
	ask.Waited = waited
	if !site.Counts() && (len(ask.Licenses) == 0 || ask.Waits) {
		return nil, site.Check(ask, limit.Books{})
	}
	if e := site.Check(ask, b.books(partition, nil)); e != nil {
		return nil, e
	}
	if ask.Waits {
		ask.Licenses = nil
	}
	if why, fewer := b.overQuoted(user, &ask, most, site); why != "" {
		return nil, &limit.Excess{Detail: why + ": without a quote it may have them (libra submit)", Elements: fewer}
	}
	t := &Ticket{user: user, qos: r.QOS, partition: partition, quoting: most != nil, elements: ask.Elements, use: limit.Use{Jobs: ask.Jobs, Waiting: ask.Submits - ask.Jobs, Processors: ask.Processors, MemoryMB: ask.MemoryMB * int64(ask.Processors), GPUs: ask.GPUs, Licenses: ask.Licenses}}
	t.use.Count(r.GPUKind, ask.GPUs)
	if ask.Later { // it waits in Slurm, too, and has nothing else
		t.use = limit.Use{Waiting: ask.Submits}
	}
	b.issue(t)
	return t, nil
}

// issue notes a ticket. The lock is held.
func (b *Backend) issue(t *Ticket) {
	if b.gate.tickets == nil {
		b.gate.tickets = map[*Ticket]bool{}
	}
	b.gate.tickets[t] = true
}

// reissue notes those that another stood for; not one that was handed back meanwhile, which would be nobody's for good.
// The lock is held.
func (b *Backend) reissue(before []*Ticket) {
	for _, t := range before {
		if t.job != 0 {
			b.issue(t)
		}
	}
}

// AdmitHeld is Admit, of a job that its user has had wait until now, as of a request that may begin.
func (b *Backend) AdmitHeld(ctx context.Context, user string, r *trade.Request, waits bool, job int64) (*Ticket, *limit.Excess) {
	stands := &Ticket{user: user, qos: r.QOS, partition: b.asked(r), job: job, at: b.cfg.Now()} // what stands for it in Slurm is no other's
	var before []*Ticket                                                                        // with which it was handed in
	b.mu.Lock()
	for t := range b.gate.tickets {
		if t.job == job {
			before = append(before, t)
		}
	}
	b.gate.drop(job)
	b.issue(stands)
	b.mu.Unlock()
	t, over := b.admit(ctx, user, r, waits, true, nil)
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.gate.tickets, stands)
	if t != nil {
		t.job, t.at, t.before = job, b.cfg.Now(), before
	} else if over != nil {
		b.reissue(before)
	}
	return t, over
}

// Settle hands a ticket back: with the number of the job, or 0 if there is none.
func (b *Backend) Settle(t *Ticket, job int64) {
	if t == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.job, t.at = job, b.cfg.Now(); job == 0 {
		delete(b.gate.tickets, t)
		b.reissue(t.before)
	}
}

// drop drops the ticket of a job that has ended, if nobody has looked since it came to Slurm.
func (g *gate) drop(job int64) {
	maps.DeleteFunc(g.tickets, func(t *Ticket, _ bool) bool { return t.job == job })
}

// Keep keeps the room of a ticket for a quote that binds, until it is taken, dropped or over:
// whoever has it can hand the job in, and then Slurm has to run it.
func (b *Backend) Keep(t *Ticket, quote string, untilUS int64) {
	if t == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t.quote, t.until = quote, time.UnixMicro(untilUS)
}

// Keeps reports whether there is room that is kept for a quote.
func (b *Backend) Keeps(quote string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ticketOf(quote) != nil
}

// KeepsLicenses reports whether the licences that go along with a job are among those that are
// kept for a quote.
func (b *Backend) KeepsLicenses(quote string, env []string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.ticketOf(quote)
	return len(licensesOf(env)) == 0 || t != nil && covers(t.use.Licenses, licensesFor(env, t.elements))
}

// Take hands on the room of a quote to the job that was made of it; 0: there is none, and it
// is free.
func (b *Backend) Take(quote string, job int64) {
	b.mu.Lock()
	t := b.ticketOf(quote)
	if t != nil {
		t.quote, t.quoting = "", false
	}
	b.mu.Unlock()
	b.Settle(t, job)
}

// ticketOf is the ticket of a quote; nil: there is none. The lock is held.
func (b *Backend) ticketOf(quote string) *Ticket {
	for t := range b.gate.tickets {
		if quote != "" && t.quote == quote {
			return t
		}
	}
	return nil
}

// kin are the partitions that have the same QOS as one, with itself.
func (g *gate) kin(partition string, several []string) []string {
	qos := func(name string) string {
		w := g.wicket(name)
		w.known.Lock()
		defer w.known.Unlock()
		if w.site == nil {
			return ""
		}
		return w.site.Partition.QOS
	}
	kin := []string{partition}
	for _, name := range several {
		if name != partition && qos(name) == qos(partition) {
			kin = append(kin, name)
		}
	}
	return kin
}
