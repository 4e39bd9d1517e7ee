package controller_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

var (
	owner = trade.Identity{User: "root", Role: trade.RoleOwner}
	alice = trade.Identity{User: "alice", Role: trade.RoleUser}
)

// floor is a controller on a store in a directory of the test, with a node that
// the test plays.
type floor struct {
	*testing.T
	*controller.Controller
	store store.Store
	whole store.Store // with its archives
	stop  context.CancelFunc
	cfg   controller.Config
}

func open(t *testing.T, change func(*controller.Config)) *floor {
	t.Helper()
	return openOn(t, newFile(t), change)
}

// openOn does it on a new store.
func openOn(t *testing.T, address string, change func(*controller.Config)) *floor {
	t.Helper()
	st, err := store.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	f := &floor{T: t, store: st, cfg: controller.Default()}
	f.cfg.Version = "test"
	f.cfg.Report = 100 * time.Millisecond
	if change != nil {
		change(&f.cfg)
	}
	f.start(st)
	f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "open", To: "lab/alice", User: "alice"}}, "")
	f.money("grant", "lab/alice", 1_000_000)
	f.hello("n1", 4)
	return f
}

// start runs a controller on a store: the first one, or another one after it.
func (f *floor) start(log controller.Log) {
	f.Helper()
	ctx, stop := context.WithCancel(context.Background())
	c, err := controller.Start(ctx, log, f.cfg)
	if err != nil {
		stop()
		f.Fatal(err)
	}
	f.Controller, f.stop = c, stop
	f.Cleanup(func() { stop(); <-c.Done() })
}

// restart stops the controller cleanly and starts another one.
func (f *floor) restart() {
	f.Helper()
	f.stop()
	<-f.Done()
	f.start(f.store)
}

func (f *floor) do(cmd trade.Command, key string) (trade.Outcome, bool) {
	f.Helper()
	o, replayed, err := f.Do(f.Context(), cmd, trade.Key{Owner: cmd.By.User, Key: key, Digest: []byte(key)})
	if err != nil {
		f.Fatalf("%s: %v", cmd.Kind(), err)
	}
	return o, replayed
}

func (f *floor) money(op, to string, units int64) {
	f.Helper()
	f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: op, To: to, Amount: units * int64(market.Unit)}}, "")
}

func (f *floor) hello(node string, processors int) {
	f.Helper()
	if _, err := f.Hello(f.Context(), task.Hello{
		Node: node, Processors: processors, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b",
	}); err != nil {
		f.Fatal(err)
	}
}

func (f *floor) submit(key string, r trade.Request) trade.Outcome {
	f.Helper()
	r.Argv = []string{"true"}
	o, _ := f.do(trade.Command{By: alice, Submit: &trade.Submit{Request: r}}, key)
	return o
}

// orders waits until a node should be doing so many things.
func (f *floor) orders(node string, n int) []task.Order {
	f.Helper()
	after := int64(-1)
	for range 50 {
		d, err := f.Desired(f.Context(), node, after, time.Second)
		if err != nil {
			f.Fatal(err)
		}
		if len(d.Orders) == n {
			return d.Orders
		}
		after = d.Version
	}
	f.Fatalf("%s is never told to do %d things", node, n)
	return nil
}

// ended reports that a task has ended well.
func (f *floor) ended(node string, key task.Key, cpu time.Duration) task.Reply {
	f.Helper()
	reply, err := f.Report(f.Context(), task.Report{Node: node, Tasks: []task.Status{{Key: key, State: task.Ended, CPUUS: cpu.Microseconds()}}})
	if err != nil {
		f.Fatal(err)
	}
	return reply
}

func (f *floor) job(id int64) trade.Job {
	f.Helper()
	j, err := f.Job(f.Context(), id)
	if err != nil {
		f.Fatal(err)
	}
	return j
}

func (f *floor) verify() {
	f.Helper()
	v, err := f.VerifyLedger(f.Context())
	if err != nil || v.Problem != "" {
		f.Fatalf("the books: %+v, %v", v, err)
	}
}

// brittle is a store that can be told to fail.
type brittle struct {
	store.Store
	fail atomic.Bool
}

var errBrittle = errors.New("no space left on device")

func (b *brittle) Append(ctx context.Context, batch store.Batch) error {
	if b.fail.Load() {
		return errBrittle
	}
	return b.Store.Append(ctx, batch)
}

// slow is a store that waits with every write until it may go on.
type slow struct {
	store.Store
	begun, goOn chan struct{}
	once        sync.Once
}

func (s *slow) Append(ctx context.Context, batch store.Batch) error {
	s.once.Do(func() { close(s.begun) })
	<-s.goOn
	return s.Store.Append(ctx, batch)
}
