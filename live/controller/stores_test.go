package controller_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	v1 "github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/archive"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
	"github.com/libra-market/libra/live/wire"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// expected is what a client saw of a market just before it was killed; see
// README.md beside the stores.
type expected struct {
	Config string `json:"config"`
	AtUS   int64  `json:"at_us"`
	LogSeq int64  `json:"log_seq"`

	Ledger   v1.Verified             `json:"ledger"`
	Counts   map[trade.State]int64   `json:"counts"`
	Epochs   []v1.EpochView          `json:"epochs"`
	Nodes    []v1.NodeView           `json:"nodes"`
	Accounts []v1.Account            `json:"accounts"`
	Jobs     []v1.Job                `json:"jobs"`
	Quotes   []v1.Quote              `json:"quotes"`
	Keys     []usedKey               `json:"keys"`
	Desired  map[string][]task.Order `json:"desired"`
	Finish   map[string]task.Report  `json:"finish"`

	files string // where its archives are
}

type usedKey struct {
	User string `json:"user"`
	Key  string `json:"key"`
	Job  int64  `json:"job"`
}

// TestStores opens every store that an earlier version left behind when it was
// killed: it says what that one said, its jobs end, and its books are right.
func TestStores(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join("testdata", "stores", "*", "*", "expect.json"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no stores: %v", err)
	}
	for _, path := range dirs {
		dir := filepath.Dir(path)
		name := filepath.Base(filepath.Dir(dir)) + "/" + filepath.Base(dir)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var want expected
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		want.files = dir
		t.Run(name, func(t *testing.T) {
			t.Run("then", func(t *testing.T) {
				r := reopen(t, unpack(t, dir), &want, 0)
				r.asItWas()
				r.finish()
				r.startAgain()
				r.ended()
			})
			t.Run("a year later", func(t *testing.T) {
				r := reopen(t, unpack(t, dir), &want, 365*24*time.Hour)
				r.stillAgreed()
				r.finish()
				r.ended()
			})
			for to, address := range map[string]func(testing.TB) string{"sqlite": newFile, "postgres": storetest.Postgres} {
				t.Run("from a backup in "+to, func(t *testing.T) {
					r := reopen(t, restored(t, unpack(t, dir), address(t)), &want, 0)
					r.asItWas()
					r.finish()
					r.ended()
				})
			}
		})
	}
}

func newFile(tb testing.TB) string { return "sqlite:" + filepath.Join(tb.TempDir(), "libra.db") }

// restored is a store restored from a backup of another that nobody has opened
// since it was put away.
func restored(t *testing.T, from, to string) string {
	t.Helper()
	var backup bytes.Buffer
	if _, err := store.Save(t.Context(), from, &backup, 0, nil); err != nil {
		t.Fatal(err)
	}
	if err := store.Load(t.Context(), to, have(store.ReadBackup(&backup))(t), controller.VerifyBooks, nil); err != nil {
		t.Fatal(err)
	}
	return to
}

// reopened is a market on a store of an earlier version, whose clock the test
// moves.
type reopened struct {
	*testing.T
	*controller.Controller
	want  *expected
	store store.Store
	cfg   controller.Config
	now   atomic.Int64
	stop  func()
}

func reopen(t *testing.T, address string, want *expected, later time.Duration) *reopened {
	t.Helper()
	r := &reopened{T: t, want: want, store: storetest.Open(t, address)}
	r.cfg = reopenedConfig(&r.now)
	r.now.Store(want.AtUS + later.Microseconds())
	r.start()
	return r
}

// reopenedConfig is that of a market whose clock a test moves.
func reopenedConfig(now *atomic.Int64) controller.Config {
	cfg := controller.Default()
	cfg.Lease = 2 * 365 * 24 * time.Hour // no node is missed, whenever it is
	cfg.Now = func() time.Time { return time.UnixMicro(now.Load()) }
	return cfg
}

func (r *reopened) start() {
	r.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c, err := controller.Start(ctx, archive.Whole(r.store, r.want.files), r.cfg)
	if err != nil {
		cancel()
		r.Fatal(err)
	}
	r.Controller = c
	r.stop = func() { cancel(); <-c.Done() }
	r.Cleanup(r.stop)
}

// startAgain reads back what the earlier version and this one have written.
func (r *reopened) startAgain() {
	r.Helper()
	r.stop()
	r.start()
}

func (r *reopened) same(what string, got, want any) {
	r.Helper()
	g, w := text(r.T, got), text(r.T, want)
	if g == w {
		return
	}
	var left, right any
	if err := errors.Join(json.Unmarshal([]byte(g), &left), json.Unmarshal([]byte(w), &right)); err != nil {
		r.Fatal(err)
	}
	if where := unlike("", left, right); where != "" {
		r.Errorf("%s: %s\n have %s\n want %s", what, where, g, w)
	}
}

// unlike says where two trees of JSON differ, but for shares: those the log has
// to a hundredth since form 2, and the next plan sets them anew.
func unlike(path string, a, b any) string {
	switch x := a.(type) {
	case map[string]any:
		y, _ := b.(map[string]any)
		for k := range x {
			if where := unlike(path+"."+k, x[k], y[k]); where != "" {
				return where
			}
		}
		if len(x) == len(y) {
			return ""
		}
	case []any:
		y, _ := b.([]any)
		for i := range min(len(x), len(y)) {
			if where := unlike(fmt.Sprintf("%s[%d]", path, i), x[i], y[i]); where != "" {
				return where
			}
		}
		if len(x) == len(y) {
			return ""
		}
	case float64:
		y, _ := b.(float64)
		switch path[strings.LastIndex(path, ".")+1:] {
		case "share", "cpu", "weight":
			if math.Abs(x-y) <= 0.01*math.Abs(y) {
				return ""
			}
		}
		if x == y {
			return ""
		}
	default:
		if a == b {
			return ""
		}
	}
	return fmt.Sprintf("%s is %v, not %v", path, a, b)
}

func text(tb testing.TB, v any) string {
	tb.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// have is a value that must be had.
func have[T any](v T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}

// asItWas compares with the clock where it stood: everything is the same to the
// last digit but what nobody wrote down.
func (r *reopened) asItWas() {
	r.Helper()
	ctx := r.Context()
	books := have(r.VerifyLedger(ctx))(r.T)
	if books.Entries == r.want.Ledger.Entries+1 {
		books.Entries-- // the last one says in which store it goes on, where that is another
	}
	r.same("ledger", books, r.want.Ledger)
	r.same("epochs", wire.Epochs(have(r.Epochs(ctx))(r.T)), r.want.Epochs)
	r.same("accounts", r.accountsAsBefore(), r.want.Accounts)
	r.same("counts", have(r.CountJobs(ctx, ""))(r.T), r.want.Counts)
	for _, want := range r.want.Jobs {
		got := r.job(want.ID)
		unwritten(&got, &want)
		r.same(fmt.Sprintf("job %d (%s)", want.ID, want.Name), got, want)
	}
	for i := range r.want.Quotes {
		q := have(r.Quote(ctx, r.want.Quotes[i].ID))(r.T)
		q.Keeps, q.Worked = 0, "" // which were not said
		if !q.Firm {
			q.Binding, q.NotBinding = true, "" // which was said, and was not so
		}
		r.same("quote", wire.Quote(&q), r.want.Quotes[i])
	}
	nodes := wire.Nodes(have(r.Nodes(ctx))(r.T))
	for _, list := range [][]v1.NodeView{nodes, r.want.Nodes} {
		for i := range list {
			list[i].SeenUS = 0
			for k := range list[i].Loads {
				list[i].Loads[k].Kept = 0
			}
		}
	}
	r.same("nodes", nodes, r.want.Nodes)
	for node, want := range r.want.Desired {
		r.same("orders of "+node, r.orders(node, len(want)), want)
	}
}

// accountsAsBefore are the accounts as the earlier versions showed them, with what is
// held in what was spent. Whose account it was by its name is bound to it.
func (r *reopened) accountsAsBefore() []v1.Account {
	r.Helper()
	list := wire.Accounts(have(r.Accounts(r.Context(), ""))(r.T))
	for i := range list {
		a := &list[i]
		name := a.Path[strings.LastIndex(a.Path, "/")+1:]
		if a.Path[0] != '@' && !slices.Equal(a.Users, []string{name}) {
			r.Errorf("%s is bound to %v", a.Path, a.Users)
		}
		if own := have(r.Bindings(r.Context(), name))(r.T); a.Path[0] != '@' && !own.MayBelow(a.Path) {
			r.Errorf("%s may no longer spend from %s", name, a.Path)
		}
		a.Spent, a.Used, a.Users, a.PaysFor = a.Used, 0, nil, nil
	}
	return list
}

// unwritten lets differ what agents had said that is not in the log, because it
// was no news: how far a job is.
func unwritten(got, want *v1.Job) {
	got.CostNow = 0 // nobody said that before
	if want.Program == "" {
		got.Program = "" // nor that
	}
	// Of the shares within one command the last alone is kept since form 2.
	got.Timeline, want.Timeline = nil, nil
	const most = 3000 // milliseconds of work, while everything was read
	if got.Work <= want.Work && want.Work-got.Work < most {
		got.Work = want.Work
	}
	if want.State.Final() {
		return
	}
	for i := range min(len(got.Extensions), len(want.Extensions)) { // it was not said before the end
		want.Extensions[i].UsedMS = got.Extensions[i].UsedMS
	}
	if got.Penalty <= want.Penalty {
		got.Penalty = want.Penalty
	}
	if got.OptionalMS <= want.OptionalMS {
		got.OptionalMS, got.Optional = want.OptionalMS, want.Optional
	}
	for i := range min(len(got.Tasks), len(want.Tasks)) {
		if g, w := &got.Tasks[i], &want.Tasks[i]; g.CPUUS <= w.CPUUS {
			g.CPUUS = w.CPUUS
		}
	}
}

// stillAgreed compares what no time changes.
func (r *reopened) stillAgreed() {
	r.Helper()
	for i := range r.want.Jobs {
		want, got := &r.want.Jobs[i], r.job(r.want.Jobs[i].ID)
		if want.State.Final() {
			r.same(fmt.Sprintf("job %d (%s)", want.ID, want.Name), got, *want)
			continue
		}
		if got.Price != want.Price || got.DueUS != want.DueUS || got.Held != want.Held || got.Charged != want.Charged {
			r.Errorf("job %d (%s) is not what it was: %s", got.ID, got.Name, text(r.T, got))
		}
	}
}

func (r *reopened) job(id int64) v1.Job {
	r.Helper()
	j := have(r.Job(r.Context(), id))(r.T)
	return wire.Job(&j)
}

// orders are what a node should be doing, once they are as many.
func (r *reopened) orders(node string, n int) []task.Order {
	r.Helper()
	var d task.Desired
	for after := int64(-1); ; after = d.Version {
		next := have(r.Desired(r.Context(), node, after, 100*time.Millisecond))(r.T)
		if len(next.Orders) == n || next.Version == after {
			orders := slices.Clone(next.Orders)
			for i := range orders { // in the words of the version that wrote the fixtures
				orders[i].Spec = orders[i].Spec.Listed()
				orders[i].Spec.BornUS = 0 // the first version did not say
			}
			return orders
		}
		d = next
	}
}

// finish lets every job end: those that run as was noted when the market was
// killed, and then whatever begins.
func (r *reopened) finish() {
	r.Helper()
	ctx := r.Context()
	for i := range r.want.Nodes {
		var hello task.Hello
		if err := json.Unmarshal([]byte(text(r.T, r.want.Nodes[i])), &hello); err != nil {
			r.Fatal(err)
		}
		if r.want.Nodes[i].Up {
			have(r.Hello(ctx, hello))(r.T)
		}
	}
	for _, report := range r.want.Finish {
		have(r.Report(ctx, report))(r.T)
	}
	var left []trade.Job
	for range 100 {
		r.now.Add(time.Second.Microseconds())
		left = have(r.Jobs(ctx, v1.JobQuery{States: underway(), Limit: 500}))(r.T)
		if len(left) == 0 {
			return
		}
		for node := range r.want.Desired {
			d := have(r.Desired(ctx, node, -1, time.Second))(r.T)
			have(r.Report(ctx, task.Report{Node: node, Tasks: ends(d.Orders, left)}))(r.T)
		}
		time.Sleep(10 * time.Millisecond)
	}
	for i := range left {
		r.Errorf("job %d (%s) does not end: %s", left[i].ID, left[i].Name, left[i].State)
	}
}

func underway() []v1.State {
	return slices.DeleteFunc(v1.States(), func(s v1.State) bool { return s.Final() })
}

// ends are the ends of what was ordered, as far as the jobs have begun.
func ends(orders []task.Order, jobs []trade.Job) []task.Status {
	all := []task.Status{}
	for i := range orders {
		spec := &orders[i].Spec
		at := slices.IndexFunc(jobs, func(j trade.Job) bool { return j.ID == spec.Job && len(j.Places) > 0 })
		if at < 0 {
			continue
		}
		j := &jobs[at]
		s := task.Status{
			Key: spec.Key, State: task.Ended, CPUUS: j.Request.EstimateMS * 1000 * int64(max(1, spec.Len())),
			PeakBytes: 10 << 20, StartedUS: j.StartedUS, EndedUS: j.StartedUS + 1,
		}
		for i := range spec.Len() {
			s.Elements = append(s.Elements, task.Element{Index: spec.Element(i)})
		}
		if spec.Optional != nil {
			s.Part, s.MandatoryCPUUS = task.OptionalPart, s.CPUUS
		}
		if orders[i].Stop != task.GoOn {
			s.Signal = "SIGTERM"
		}
		all = append(all, s)
	}
	return all
}

// ended checks the market in which all jobs have ended: nothing is held, keys
// are still answered, and the books are right.
func (r *reopened) ended() {
	r.Helper()
	ctx := r.Context()
	for _, a := range have(r.Accounts(ctx, ""))(r.T) {
		if a.Held != 0 {
			r.Errorf("%s still has %d held", a.Path, a.Held)
		}
	}
	for state, n := range have(r.CountJobs(ctx, ""))(r.T) {
		if !state.Final() && n > 0 {
			r.Errorf("%d jobs are %s", n, state)
		}
	}
	for _, k := range r.want.Keys {
		reply, found, err := r.store.Reply(ctx, k.User, k.Key)
		if err != nil || !found {
			if r.now.Load() < r.want.AtUS+store.RepliesKept.Microseconds() {
				r.Errorf("key %s: %v %v", k.Key, found, err)
			}
			continue
		}
		by := trade.Identity{User: k.User, Role: trade.RoleUser}
		o, replayed, err := r.Do(ctx, trade.Command{By: by, Submit: &trade.Submit{}}, trade.Key{Owner: k.User, Key: k.Key, Digest: reply.Digest})
		if err != nil || !replayed || o.Job == nil || o.Job.ID != k.Job {
			r.Errorf("key %s: %v, %s", k.Key, err, text(r.T, o))
		}
	}
	v := have(r.VerifyLedger(ctx))(r.T)
	if v.Problem != "" || v.Entries < r.want.LogSeq {
		r.Errorf("the books: %+v", v)
	}
}
