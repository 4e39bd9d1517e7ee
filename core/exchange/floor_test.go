package exchange_test

import (
	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// floor is an exchange with a clock in the hand of the test.
type floor struct {
	rapid.TB
	x   *exchange.Exchange
	now int64
	log []entry
	all map[int64]trade.Job // as last written down

	told []string // nodes that hear something new after the last command

	image    *journal.Image // what the facts say
	followed int
}

type entry struct {
	at    int64
	cmd   trade.Command
	steps []journal.Step
}

var (
	owner = trade.Identity{User: "root", Role: trade.RoleOwner}
	alice = trade.Identity{User: "alice", Role: trade.RoleUser}
	bob   = trade.Identity{User: "bob", Role: trade.RoleUser}
)

const second = int64(1_000_000)

// open is a market of one node of the given processors, with two users who have
// 1000 each.
func open(t rapid.TB, policy string, processors int) *floor {
	t.Helper()
	return openWith(t, policy, processors, nil)
}

// openLive is the same with the rules of a live market, and others where they are
// given.
func openLive(t rapid.TB, policy string, processors int, set map[string]string) *floor {
	t.Helper()
	return openWith(t, policy, processors, epoch.Complete(policy, set, epoch.LiveSettings()))
}

func openWith(t rapid.TB, policy string, processors int, set map[string]string) *floor {
	t.Helper()
	f := &floor{TB: t, x: exchange.New("test"), now: 1_700_000_000 * second, all: map[int64]trade.Job{}}
	f.do(trade.Command{By: owner, Open: &trade.Open{Policy: policy, Settings: set, Rates: trade.Rates{Processor: 1_000_000}}})
	f.enlist("n1", processors)
	for _, user := range []string{"alice", "bob"} {
		f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "open", To: "lab/" + user, User: user}})
		f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "grant", To: "lab/" + user, Amount: 1000 * int64(market.Unit)}})
	}
	return f
}

func (f *floor) enlist(name string, processors int) {
	f.Helper()
	f.hello(name, processors, "b")
}

// hello lets a node introduce itself, as started for the so-called time.
func (f *floor) hello(name string, processors int, boot string) {
	f.Helper()
	f.do(trade.Command{By: trade.Identity{User: name, Role: trade.RoleNode}, Enlist: &task.Hello{
		Node: name, Processors: processors, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: boot,
	}})
}

func (f *floor) do(c trade.Command) trade.Outcome {
	f.Helper()
	o, err := f.try(c)
	if err != nil {
		f.Fatalf("%s: %v", c.Kind(), err)
	}
	return o
}

func (f *floor) try(c trade.Command) (trade.Outcome, error) {
	f.Helper()
	o, err := f.x.Do(f.now, c)
	fx := f.x.Effects()
	f.told = fx.Nodes
	f.follow(&fx.Facts)
	if err != nil {
		if !fx.Facts.Empty() {
			f.log = append(f.log, entry{f.now, c.InVain(), fx.Steps})
		}
		return o, err
	}
	f.log = append(f.log, entry{f.now, c, fx.Steps})
	for _, j := range fx.Jobs {
		if old, was := f.all[j.ID]; was && old.State.Final() {
			f.Errorf("job %d ended as %s and now is %s", j.ID, old.State, j.State)
		}
		if _, was := f.all[j.ID]; was == fx.First[j.ID] {
			f.Errorf("job %d: first %v, written before %v", j.ID, !was, was)
		}
		f.all[j.ID] = j
	}
	if total := f.x.LedgerTotal(); total != 0 {
		f.Fatalf("the books sum to %s after %s", total, c.Kind())
	}
	return o, nil
}

// wait lets time pass, with the ticks asked for in between.
func (f *floor) wait(seconds float64) {
	f.Helper()
	until := f.now + int64(seconds*float64(second))
	for {
		at, asked := f.x.Next()
		if !asked || at > until {
			break
		}
		f.now = max(f.now, at)
		f.do(trade.Command{Tick: &trade.Tick{}})
	}
	f.now = until
}

func (f *floor) submit(by trade.Identity, r trade.Request) trade.Outcome {
	f.Helper()
	if len(r.Argv) == 0 {
		r.Argv = []string{"true"}
	}
	return f.do(trade.Command{By: by, Submit: &trade.Submit{Request: r}})
}

// end reports that a task has ended, after so much processor time.
func (f *floor) end(key task.Key, seconds float64, exit int) {
	f.Helper()
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{
		Key: key, State: task.Ended, Exit: exit, CPUUS: int64(seconds * 1e6),
	}}}})
}

// used reports how much processor time a task has had so far.
func (f *floor) used(key task.Key, seconds float64) {
	f.Helper()
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: key, State: task.Running, CPUUS: int64(seconds * 1e6)}}}})
}

func (f *floor) job(id int64) trade.Job {
	f.Helper()
	if j, live := f.x.Job(id); live {
		return j
	}
	return f.all[id]
}

func (f *floor) free(path string) market.Money {
	f.Helper()
	a, _ := f.x.Account(path)
	return market.Money(a.Free)
}

func budget(units float64) *int64 {
	b := int64(units * float64(market.Unit))
	return &b
}
