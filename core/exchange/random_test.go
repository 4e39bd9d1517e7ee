package exchange_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Whatever happens on the floor: the books sum to zero, every job ends in one
// state, a snapshot goes on exactly like the original, the log carried out
// again gives the same, and a bare cluster driven through the same steps says
// the same, event for event.
func TestWhateverHappens(t *testing.T) {
	for _, kind := range policy.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				f := randomDay(r, kind.Name, snapshotGoesOn)
				logGivesTheSame(r, f)
				coreSaysTheSame(r, f)
			})
		})
	}
}

// Whenever the program is killed, what the facts say goes on: the books sum to
// zero, and every job ends in one state.
func TestRecoveredFromFacts(t *testing.T) {
	checks := flag.Lookup("rapid.checks") // facts are compared with the state on the way, which takes its time
	if checks.Value.String() == checks.DefValue {
		defer func() { _ = checks.Value.Set(checks.DefValue) }()
		_ = checks.Value.Set("20")
	}
	for _, kind := range policy.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				randomDay(r, kind.Name, func(_ rapid.TB, f *floor) { f.recover() })
			})
		})
	}
}

// randomDay is a day in which anything may happen, and after which all is over;
// interrupt is what happens to the exchange itself.
func randomDay(r *rapid.T, policyName string, interrupt func(rapid.TB, *floor)) *floor {
	start := open
	if rapid.Bool().Draw(r, "live") {
		start = func(t rapid.TB, policy string, processors int) *floor { return openLive(t, policy, processors, nil) }
	}
	f := start(r, policyName, rapid.IntRange(1, 3).Draw(r, "processors"))
	if rapid.Bool().Draw(r, "two nodes") {
		f.enlist("n2", 2)
	}
	if rapid.Bool().Draw(r, "partitions") {
		divide(f)
	}
	var quotes []string
	steps := rapid.IntRange(5, 60).Draw(r, "steps")
	for range steps {
		f.wait(rapid.Float64Range(0, 8).Draw(r, "pause"))
		by := rapid.SampledFrom([]trade.Identity{alice, bob}).Draw(r, "by")
		switch rapid.IntRange(0, 17).Draw(r, "what") {
		case 0, 1, 2, 3:
			_, _ = f.try(trade.Command{By: by, Submit: &trade.Submit{Request: request(f, r)}})
		case 4:
			if o, err := f.try(trade.Command{By: by, Quote: &trade.AskQuote{Request: request(f, r), TTLMS: 5000}}); err == nil && o.Quote != nil {
				quotes = append(quotes, o.Quote.ID)
			}
		case 5:
			if len(quotes) > 0 {
				id := rapid.SampledFrom(quotes).Draw(r, "quote")
				_, _ = f.try(trade.Command{By: by, Submit: &trade.Submit{Quote: id, Request: trade.Request{Argv: []string{"x"}}}})
			}
		case 6:
			if id := some(f, r); id != 0 {
				_, _ = f.try(trade.Command{By: owner, Cancel: &trade.Cancel{Job: id}})
			}
		case 7, 8, 9, 10:
			report(f, r)
		case 11:
			node := rapid.SampledFrom([]string{"n1", "n2"}).Draw(r, "node")
			_, _ = f.try(trade.Command{Node: &trade.NodeChange{
				Node: node, Up: rapid.Bool().Draw(r, "up"), Door: rapid.SampledFrom([]trade.Door{"", "", trade.DoorClosed, trade.DoorOpen}).Draw(r, "door"),
			}})
		case 12:
			f.enlist("n1", rapid.IntRange(1, 3).Draw(r, "new shape"))
		case 13:
			interrupt(r, f)
		case 14:
			allow(f, r)
		case 15:
			if id := some(f, r); id != 0 {
				_, _ = f.try(trade.Command{By: by, Begin: &trade.Begin{Job: id}})
			}
		case 16:
			relabel(f, r)
		case 17:
			watch(f, r)
		}
	}
	finish(r, f)
	f.compare()
	return f
}

// divide gives a market two partitions, of which the one costs six times as much as the other,
// and puts its first node into the cheap one.
func divide(f *floor) {
	e := f.x.Epochs()[0]
	e.Rates.Partitions, e.Rates.Partition = map[string]int64{"slow": 500_000, "fast": 3_000_000}, "slow"
	set := map[string]string{}
	for _, s := range e.Settings {
		set[s.Name] = s.Value
	}
	f.do(trade.Command{By: owner, Epoch: &trade.Epoch{Policy: e.Policy, Settings: set, Rates: &e.Rates}})
	for i, n := range f.x.Nodes() {
		h := n.Hello
		h.Partition = []string{"slow", "fast"}[i%2]
		f.do(trade.Command{Enlist: &h})
	}
}

// watch has somebody outside let in who wants it, or say why not, or begin to look, or look no more.
func watch(f *floor, r *rapid.T) {
	due := f.x.Watch().Due()
	switch how := rapid.IntRange(0, 5).Draw(r, "watch"); {
	case len(due) == 0 || how == 0:
		on := rapid.IntRange(0, 3).Draw(r, "watched") > 0
		f.do(trade.Command{By: owner, Watch: &trade.Watch{On: &on}})
	case how == 1:
		f.do(trade.Command{By: owner, Watch: &trade.Watch{Kept: due, Why: rapid.SampledFrom([]string{"room", "more room"}).Draw(r, "why")}})
	default:
		for _, id := range due[:rapid.IntRange(1, len(due)).Draw(r, "so many")] {
			_, _ = f.try(trade.Command{By: owner, Begin: &trade.Begin{Job: id, Let: true}})
		}
	}
}

// relabel lets a node come as it was, with other features, or in another partition.
func relabel(f *floor, r *rapid.T) {
	for _, n := range f.x.Nodes() {
		if n.Up && rapid.Bool().Draw(r, "labelled") {
			h := n.Hello
			h.Features = rapid.SampledFrom([]string{"", "ib", "fast", "fast,ib"}).Draw(r, "features")
			h.Partition = rapid.SampledFrom([]string{h.Partition, h.Partition, "slow", "fast", ""}).Draw(r, "in partition")
			f.do(trade.Command{Enlist: &h})
		}
	}
}

func request(f *floor, r *rapid.T) trade.Request {
	q := trade.Request{
		Argv: []string{"work"}, EstimateMS: rapid.Int64Range(500, 20_000).Draw(r, "estimate"),
		DeadlineMS: rapid.SampledFrom([]int64{0, 8_000, 20_000, 60_000}).Draw(r, "deadline"),
		Processors: rapid.SampledFrom([]int{0, 1, 1, 2, 3}).Draw(r, "processors"),
		Overrun:    rapid.SampledFrom([]trade.Overrun{"", trade.OverrunLate, trade.OverrunKill}).Draw(r, "overrun"),
		NoRestart:  rapid.Bool().Draw(r, "no restart"),
		Class:      rapid.IntRange(0, 1).Draw(r, "class"),
	}
	if rapid.Bool().Draw(r, "budget") {
		q.Budget = budget(rapid.Float64Range(1, 120).Draw(r, "amount"))
	}
	if q.DeadlineMS > 0 && rapid.Bool().Draw(r, "fined") {
		q.Soft, q.PenaltyMicros = rapid.Bool().Draw(r, "soft"), rapid.Int64Range(0, 3_000_000).Draw(r, "penalty")
	}
	if rapid.IntRange(0, 5).Draw(r, "array") == 0 {
		q.Processors, q.Array = 0, &trade.Array{First: 1, Last: rapid.IntRange(1, 7).Draw(r, "last"), Limit: rapid.IntRange(0, 3).Draw(r, "limit")}
		q.Threads = rapid.SampledFrom([]int{0, 0, 2}).Draw(r, "element's")
	}
	mf := strings.HasPrefix(f.x.Epochs()[0].Policy, "mf-")
	if mf && q.DeadlineMS > 0 && q.Budget != nil && !q.Soft && q.Array == nil && rapid.IntRange(0, 3).Draw(r, "optional") > 0 {
		q.Optional = &trade.Optional{
			WorkMS: rapid.Int64Range(1, 30_000).Draw(r, "optional work"), RateMicros: rapid.Int64Range(0, 2_000_000).Draw(r, "rate"),
		}
	}
	if q.Processors > 1 && q.Optional == nil && rapid.Bool().Draw(r, "threads") {
		q.Threads = q.Processors
	}
	if q.Processors > 1 && q.Array == nil && rapid.Bool().Draw(r, "spread") {
		q.Spread = true
	}
	if rapid.IntRange(0, 5).Draw(r, "later") == 0 {
		q.BeginMS, q.Hold = rapid.SampledFrom([]int64{0, 1, 5_000, 15_000}).Draw(r, "begin"), rapid.Bool().Draw(r, "hold")
	}
	switch rapid.IntRange(0, 8).Draw(r, "where") {
	case 0:
		q.Nodelist = rapid.SliceOfN(rapid.SampledFrom([]string{"n1", "n2"}), 1, 2).Draw(r, "nodelist")
	case 1:
		q.Exclude = []string{rapid.SampledFrom([]string{"n1", "n2", "n3"}).Draw(r, "exclude")}
	case 2:
		q.Constraint = rapid.SampledFrom([]string{"ib", "fast", "fast&ib", "fast|ib"}).Draw(r, "constraint")
	}
	q.Partition = rapid.SampledFrom([]string{"", "", "slow", "fast", "short"}).Draw(r, "partition")
	if id := some(f, r); id != 0 && rapid.IntRange(0, 4).Draw(r, "after") == 0 {
		switch rapid.IntRange(0, 4).Draw(r, "how it ends") {
		case 0:
			q.After = []int64{id}
		case 1:
			q.AfterAny = []int64{id}
		case 2:
			q.AfterFailed = []int64{id}
		case 3:
			q.AfterBegun = []trade.Begun{{Job: id, DelayMS: rapid.SampledFrom([]int64{0, 20_000}).Draw(r, "delay")}}
		case 4:
			q.AfterEach = []int64{id}
		}
	}
	return q
}

// allow gives somebody an allowance, or everybody, or takes it away.
func allow(f *floor, r *rapid.T) {
	amount := rapid.Int64Range(0, 3).Draw(r, "allowance") * int64(market.Unit)
	m := trade.MoneyCommand{
		Op: "allow", To: rapid.SampledFrom([]string{"lab", "lab/alice"}).Draw(r, "to"), Amount: amount,
		EveryUS: rapid.Int64Range(60, 90).Draw(r, "every") * 1e6, Most: amount * rapid.Int64Range(1, 500).Draw(r, "most"), Each: rapid.Bool().Draw(r, "each"),
	}
	_, _ = f.try(trade.Command{By: owner, Money: &m})
}

// some is a job under way.
func some(f *floor, r *rapid.T) int64 {
	var ids []int64
	for id := int64(1); id < 400; id++ {
		if _, live := f.x.Job(id); live {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return 0
	}
	return rapid.SampledFrom(ids).Draw(r, "job")
}

// report lets agents say something about the tasks they have.
func report(f *floor, r *rapid.T) {
	var said []task.Status
	for _, node := range []string{"n1", "n2"} {
		for _, o := range f.x.Orders(node) {
			s := task.Status{Key: o.Spec.Key, State: task.Running, CPUUS: rapid.Int64Range(0, 25_000_000).Draw(r, "cpu")}
			if o.Spec.Optional != nil && rapid.Bool().Draw(r, "refining") {
				s.Part, s.MandatoryCPUUS = task.OptionalPart, rapid.Int64Range(0, s.CPUUS).Draw(r, "mandatory")
			}
			switch rapid.IntRange(0, 5).Draw(r, "how") {
			case 0, 1:
				s.State, s.Exit = task.Ended, rapid.IntRange(0, 1).Draw(r, "exit")
			case 2:
				s.State = rapid.SampledFrom([]task.State{task.Lost, task.Refused}).Draw(r, "end")
			}
			said = append(said, s)
		}
	}
	f.do(trade.Command{Report: &trade.Measured{Tasks: f.x.News("", said)}})
}

// finish lets everything that is under way come to its end.
func finish(t rapid.TB, f *floor) {
	t.Helper()
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Up: true}})
	endAll(f)
	f.wait(700) // all quotes expire, and who waits for too many processors makes room for others
	endAll(f)
	for id, j := range f.all {
		if !j.State.Final() && j.State != trade.Queued && j.State != trade.Held {
			t.Errorf("job %d is still %s", id, j.State)
		}
	}
	noneIsPaidMore(t, f)
	if f.x.Underway() == 0 {
		for _, a := range f.x.Accounts("") {
			if a.Held != 0 {
				t.Errorf("%s still has %d held", a.Path, a.Held)
			}
		}
	}
}

// endAll ends what runs, and what begins then, until nothing does any more.
func endAll(f *floor) {
	f.Helper()
	for range 300 {
		if f.x.Underway() == 0 {
			return
		}
		f.wait(5)
		var said []task.Status
		for _, node := range []string{"n1", "n2"} {
			for _, o := range f.x.Orders(node) {
				said = append(said, task.Status{Key: o.Spec.Key, State: task.Ended, CPUUS: 1e6})
			}
		}
		f.do(trade.Command{Report: &trade.Measured{Tasks: said}})
	}
}

func encode(t rapid.TB, x *exchange.Exchange) []byte {
	t.Helper()
	return asJSON(t, x.Snapshot())
}

// counter is how often a book was restored: it is not part of what it says.
var counter = regexp.MustCompile(`"version":\d+,`)

// differ shows where two snapshots differ.
func differ(a, b []byte) string {
	a, b = counter.ReplaceAll(a, nil), counter.ReplaceAll(b, nil)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			from := max(0, i-200)
			return fmt.Sprintf("...%s\n...%s", a[from:min(len(a), i+200)], b[from:min(len(b), i+200)])
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d and %d bytes", len(a), len(b))
	}
	return ""
}

// snapshotGoesOn puts a restored exchange in the place of the original: what
// follows must be what the log says.
func snapshotGoesOn(t rapid.TB, f *floor) {
	t.Helper()
	f.compare()
	body := encode(t, f.x)
	y, err := exchange.Restore("test", body)
	if err != nil {
		t.Fatal(err)
	}
	if again := encode(t, y); differ(body, again) != "" {
		t.Fatalf("a snapshot of what was restored differs: %s", differ(body, again))
	}
	f.x = y
	if f.image, err = journal.ReadImage(body); err != nil { // what is written down from now on goes on from here
		t.Fatal(err)
	}
}

func logGivesTheSame(t rapid.TB, f *floor) {
	t.Helper()
	y := exchange.New("test")
	for i, e := range f.log {
		text, err := json.Marshal(e.cmd)
		if err != nil {
			t.Fatal(err)
		}
		var cmd trade.Command
		if err := json.Unmarshal(text, &cmd); err != nil {
			t.Fatal(err)
		}
		if _, err := y.Do(e.at, cmd); err != nil {
			t.Fatalf("entry %d (%s): %v", i, cmd.Kind(), err)
		}
		if fx := y.Effects(); !reflect.DeepEqual(fx.Steps, e.steps) {
			t.Fatalf("entry %d (%s): the core says\n%s, said\n%s", i, cmd.Kind(), asJSON(t, fx.Steps), asJSON(t, e.steps))
		}
	}
	if d := differ(encode(t, y), encode(t, f.x)); d != "" {
		t.Fatalf("carried out again: %s", d)
	}
}

// coreSaysTheSame drives a bare cluster through the steps of the log.
func coreSaysTheSame(t rapid.TB, f *floor) {
	t.Helper()
	var c *cluster.Cluster
	for _, e := range f.log {
		for i := range e.steps {
			step := &e.steps[i]
			var err error
			if step.Rebuilt != nil {
				if c, err = step.Rebuilt.Rebuild(c); err != nil {
					t.Fatal(err)
				}
				continue
			}
			happened, err := step.Happened()
			if err != nil {
				t.Fatal(err)
			}
			said, err := c.Step(market.Time(step.At), happened)
			if err != nil {
				t.Fatal(err)
			}
			if err := step.Agrees(said); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func asJSON(t rapid.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
