package slurm

import (
	"context"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
	"github.com/libra-market/libra/live/slurm/model"
)

// Before something is promised the market knows which nodes drain, though nothing runs and Slurm is
// asked seldom; a look of a moment ago will do, and one that does not answer is not waited for.
func TestWhatDrainsIsKnownBeforeAPromise(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *Backend, n *node)
		closed bool
	}{
		"a look of some time ago":  {func(*Backend, *node) {}, true},
		"a look of a moment ago":   {func(b *Backend, _ *node) { b.looked = noon.Add(time.Millisecond - nodesLast) }, false},
		"Slurm does not answer":    {func(b *Backend, _ *node) { b.good = time.Time{} }, false},
		"it is told with the rest": {func(_ *Backend, n *node) { n.door = "" }, false},
	} {
		b, n := idle(t, Agents)
		b.applyNodes(map[string]client.Node{"n1": {Name: "n1", Up: true, Processors: 2, MemoryMB: 4000}}, noon)
		if _, err := b.Hello(t.Context(), task.Hello{Node: "n1", Processors: 2, Rating: 1, Speed: 1, Runs: Runs}); err != nil {
			t.Fatal(err)
		}
		n.door, b.good, b.looked = trade.DoorOpen, noon, noon.Add(-nodesLast)
		b.slurm.(*model.Slurm).Drains["n1"] = true
		c.change(b, n)
		b.Announce(t.Context(), &trade.Request{EstimateMS: 1000})
		if closed := b.fleet.(*fakeMarket).member("n1").closed; closed != c.closed {
			t.Errorf("%s: the market knows %v", name, closed)
		}
	}
}

// heeding says nothing to who has gone away.
type heeding struct{ *model.Slurm }

func (s heeding) Nodes(ctx context.Context, partition string) ([]client.Node, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.Slurm.Nodes(ctx, partition)
}

func (s heeding) Limits(ctx context.Context, _ string) (*limit.Site, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return limit.Read(limit.Said{Partition: "PartitionName=libra DefaultTime=00:07:00\n"}), nil
}

// Who goes away while Slurm is asked for its limits does not have others be told that it has none, or the old ones for
// as long as they come and go.
func TestWhoGoesAwayDoesNotLiftLimits(t *testing.T) {
	for name, ask := range map[string]func(b *Backend, ctx context.Context) *limit.Site{
		"a job":             func(b *Backend, ctx context.Context) *limit.Site { return b.site(ctx, "libra") },
		"of an unknown QOS": func(b *Backend, ctx context.Context) *limit.Site { return b.siteNow(ctx, "libra") },
	} {
		b, _ := idle(t, Agents)
		b.slurm = heeding{b.slurm.(*model.Slurm)}
		ctx, away := context.WithCancel(t.Context())
		away()
		ask(b, ctx)
		if usual := b.site(t.Context(), "libra").Partition.DefaultTime; usual != 7*time.Minute {
			t.Errorf("%s: who comes next is told of %v", name, usual)
		}
	}
}

// Who goes away while they wait for a look does not make Slurm one that is silent, by which lost nodes would be found later;
// and who comes while somebody looks has the same look.
func TestWhoGoesAwayDoesNotSilenceSlurm(t *testing.T) {
	b, n := idle(t, Agents)
	b.slurm = heeding{b.slurm.(*model.Slurm)}
	b.knows, b.good, b.looked = true, noon, noon.Add(-time.Second)
	n.slurm.Draining = true
	silent := b.silent
	ctx, away := context.WithCancel(t.Context())
	away()
	b.lookSince(ctx, noon.Add(-time.Second))
	if n.slurm.Draining || b.silent != silent {
		t.Errorf("it drains: %v; Slurm was silent at %v, and at %v", n.slurm.Draining, silent, b.silent)
	}
	n.slurm.Draining = true
	if b.lookSince(ctx, noon.Add(-time.Second)); !n.slurm.Draining {
		t.Error("it is looked at once more")
	}
}

// hung is a Slurm that says nothing for half a minute, whatever it is asked of its nodes.
type hung struct {
	*model.Slurm

	now   *time.Time
	asked *int
}

func (s hung) Nodes(context.Context, string) ([]client.Node, error) {
	*s.asked++
	*s.now = s.now.Add(30 * time.Second)
	return nil, client.ErrAway
}

// Who comes while somebody asks a Slurm that hangs waits for that, and not for a question of their own after it.
func TestASlurmThatHangsIsAskedOnce(t *testing.T) {
	b, _ := idle(t, Agents)
	now, asked := noon, 0
	b.cfg.Now = func() time.Time { return now }
	b.slurm = hung{b.slurm.(*model.Slurm), &now, &asked}
	b.knows, b.good, b.looked = true, noon, noon.Add(-time.Minute)
	b.lookAgain(t.Context())
	for _, came := range []time.Duration{time.Second, 10 * time.Second, 29 * time.Second} {
		b.lookSince(t.Context(), noon.Add(came)) // who names a reservation
	}
	if b.lookAgain(t.Context()); asked != 1 {
		t.Errorf("it is asked %d times", asked)
	}
	b.looking.Lock() // somebody asks
	polled := make(chan struct{})
	came := make(chan struct{}, 1)
	b.cfg.Now = func() time.Time {
		select {
		case came <- struct{}{}:
		default:
		}
		return now
	}
	go func() {
		b.pollNodes(t.Context())
		close(polled)
	}()
	<-came
	b.mu.Lock()
	b.looked = now.Add(30 * time.Second) // and gives it up
	b.mu.Unlock()
	b.looking.Unlock()
	if <-polled; asked != 1 {
		t.Errorf("it is asked %d times, and not for its jobs", asked)
	}
	now = now.Add(30*time.Second + nodesLast)
	if b.lookAgain(t.Context()); asked != 2 {
		t.Errorf("after a while it is asked %d times", asked)
	}
}

// Who is promised something does not wait for somebody else's look at a Slurm that does not answer, nor for one
// while what was seen a moment ago will do.
func TestNobodyWaitsForALookThatIsNotNeeded(t *testing.T) {
	for name, change := range map[string]func(b *Backend){
		"a look of a moment ago": func(b *Backend) { b.looked = noon },
		"Slurm does not answer":  func(b *Backend) { b.good = time.Time{} },
	} {
		b, _ := idle(t, Agents)
		b.knows, b.good, b.looked = true, noon, noon.Add(-nodesLast)
		change(b)
		b.looking.Lock() // somebody asks
		done := make(chan struct{})
		go func() {
			b.lookAgain(t.Context())
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatalf("%s: it waits", name)
		}
		b.looking.Unlock()
	}
}
