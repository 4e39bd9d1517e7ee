package controller_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	v1 "github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/wire"
)

// TestKeepAStore plays a short day and puts the store away in the middle of it, with
// what was seen of it: LIBRA_KEEP_STORE=testdata/stores/v7/day. It is run with a program that
// has a new form, once; TestStores opens what it leaves for ever after.
func TestKeepAStore(t *testing.T) {
	to := os.Getenv("LIBRA_KEEP_STORE")
	if to == "" {
		t.Skip("LIBRA_KEEP_STORE does not say where")
	}
	k := newKeeper(t)
	k.day()
	k.keep(to)
}

// keeper is a market on a file, whose clock the test moves.
type keeper struct {
	*floor
	now  *atomic.Int64
	file string
}

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	k := &keeper{floor: &floor{T: t}, now: &atomic.Int64{}, file: filepath.Join(t.TempDir(), "libra.db")}
	k.now.Store(time.Date(2026, 11, 17, 9, 0, 0, 0, time.UTC).UnixMicro())
	st := have(store.Open(t.Context(), "sqlite:"+k.file))(t)
	t.Cleanup(func() { _ = st.Close() })
	k.store = st
	k.cfg = reopenedConfig(k.now)
	k.start(st)
	return k
}

func (k *keeper) later(d time.Duration) { k.now.Add(d.Microseconds()) }

// day has something of everything that is written down: people and money, jobs that
// have ended, wait and run, an array, a refusal, a quote, and tasks that were measured.
func (k *keeper) day() {
	for _, user := range []string{"alice", "bob"} {
		k.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "open", To: user, User: user, Below: true}}, "")
		k.money("grant", user, 1_000_000)
	}
	k.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "allow", To: "bob", Amount: 5e6, EveryUS: 60e6, Most: 2e12}}, "")
	k.hello("n1", 2)
	k.hello("n2", 4)
	bob := trade.Identity{User: "bob", Role: trade.RoleUser}
	ask := func(by trade.Identity, name string, hours int64, change func(*trade.Request)) trade.Outcome {
		r := trade.Request{Name: name, Argv: []string{"true"}, Dir: "/", EstimateMS: hours * 3_600_000, DeadlineMS: 4 * hours * 3_600_000}
		if change != nil {
			change(&r)
		}
		o, _ := k.do(trade.Command{By: by, Submit: &trade.Submit{Request: r}}, "key-"+name)
		return o
	}
	done := ask(alice, "completed", 1, nil)
	ask(alice, "measured", 5, func(r *trade.Request) { r.PenaltyMicros = 100 })
	ask(bob, "wide", 3, func(r *trade.Request) { r.Processors = 3 })
	ask(bob, "array", 2, func(r *trade.Request) { r.Array = &trade.Array{First: 1, Last: 6, Limit: 2} })
	ask(alice, "waits", 1, func(r *trade.Request) { r.After = []int64{done.Job.ID + 1} })
	ask(alice, "refused", 9, func(r *trade.Request) { r.DeadlineMS = 1000 })
	k.do(trade.Command{By: alice, Quote: &trade.AskQuote{TTLMS: 600_000, Request: trade.Request{Name: "quoted", Argv: []string{"true"}, Dir: "/", EstimateMS: 60_000, DeadlineMS: 600_000}}}, "")
	for range 3 {
		k.later(3 * time.Minute)
		before := k.entries()
		for _, node := range []string{"n1", "n2"} {
			d := have(k.Desired(k.Context(), node, -1, 0))(k.T)
			report := task.Report{Node: node, Version: d.Version, Tasks: []task.Status{}}
			for i := range d.Orders {
				key := d.Orders[i].Spec.Key
				report.Tasks = append(report.Tasks, task.Status{Key: key, State: task.Running, CPUUS: k.now.Load() % 3_600_000_000 / 4, StartedUS: k.now.Load() - 1})
			}
			have(k.Report(k.Context(), report))(k.T)
		}
		for k.entries() == before { // what was measured is taken in every second
			time.Sleep(50 * time.Millisecond)
		}
	}
	for _, p := range done.Job.Places {
		k.ended(p.Node, task.Key{Job: done.Job.ID}, time.Hour)
	}
	k.later(time.Second)
}

func (k *keeper) entries() int64 { return have(k.VerifyLedger(k.Context()))(k.T).Entries }

// keep puts the store away as a kill would leave it, and what a client sees.
func (k *keeper) keep(to string) {
	ctx := k.Context()
	want := expected{
		AtUS: k.now.Load(), Ledger: have(k.VerifyLedger(ctx))(k.T), Counts: map[trade.State]int64{},
		Epochs: wire.Epochs(have(k.Epochs(ctx))(k.T)), Nodes: wire.Nodes(have(k.Nodes(ctx))(k.T)),
		Desired: map[string][]task.Order{}, Finish: map[string]task.Report{},
	}
	for state, n := range have(k.CountJobs(ctx, ""))(k.T) {
		want.Counts[trade.State(state)] = n
	}
	want.LogSeq = want.Ledger.Entries
	for _, a := range wire.Accounts(have(k.Accounts(ctx, ""))(k.T)) {
		a.Spent, a.Used, a.Users, a.PaysFor = a.Used, 0, nil, nil // as the first versions said it
		want.Accounts = append(want.Accounts, a)
	}
	jobs := have(k.Jobs(ctx, v1.JobQuery{Limit: 500}))(k.T)
	for i := range jobs {
		j := have(k.Job(ctx, jobs[len(jobs)-1-i].ID))(k.T)
		v := wire.Job(&j)
		v.CostNow = 0 // which grows by itself
		want.Jobs = append(want.Jobs, v)
		want.Keys = append(want.Keys, usedKey{User: j.Owner, Key: "key-" + j.Name, Job: j.ID})
	}
	for _, n := range want.Nodes {
		d := have(k.Desired(ctx, n.Node, -1, 0))(k.T)
		for i := range d.Orders {
			d.Orders[i].Spec = d.Orders[i].Spec.Listed()
			d.Orders[i].Spec.BornUS = 0
		}
		want.Desired[n.Node] = d.Orders
		want.Finish[n.Node] = task.Report{Node: n.Node, Tasks: ends(d.Orders, jobs)}
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	files := tar.NewWriter(zip)
	for _, path := range []string{k.file, k.file + "-wal"} {
		text := have(os.ReadFile(path))(k.T)
		if err := files.WriteHeader(&tar.Header{Name: filepath.Base(path), Mode: 0o600, Size: int64(len(text))}); err != nil {
			k.Fatal(err)
		}
		have(files.Write(text))(k.T)
	}
	_ = files.Close()
	_ = zip.Close()
	k.write(filepath.Join(to, "store.tar.gz"), packed.Bytes())
	k.write(filepath.Join(to, "expect.json"), append(have(json.MarshalIndent(want, "", " "))(k.T), '\n'))
	fmt.Printf("%d entries, %d bytes\n", want.LogSeq, packed.Len())
}

func (k *keeper) write(path string, text []byte) {
	k.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		k.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		k.Fatal(err)
	}
}
