package slurm

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/limit"
	"github.com/libra-market/libra/live/slurm/model"
)

// licensedSite is a backend before a Slurm with three licences, whose clock the test moves.
func licensedSite(t *testing.T) (b *Backend, order func(job int64, licenses string) *run, now *time.Time) {
	t.Helper()
	b, n := idle(t, Agents)
	at := noon
	b.cfg.Now = func() time.Time { return at }
	w := b.gate.wicket("libra")
	w.site, w.asked = limit.Read(limit.Said{Partition: "PartitionName=libra\n", Licenses: "LicenseName=fluent Total=3 Used=0 Free=3 Reserved=0 Remote=no\n"}), noon.Add(time.Hour)
	orders := []task.Order{}
	return b, func(job int64, licenses string) *run {
		orders = append(orders, task.Order{Spec: task.Spec{
			Key: task.Key{Job: job}, Size: 1, Nodes: []string{"n1"}, User: "bob", Argv: []string{"true"}, Env: []string{task.Licenses + "=" + licenses},
		}, CPU: 0.1})
		b.applyOrders(n, &task.Desired{Version: int64(len(orders)) + 1, LeaseMS: 60_000, Orders: orders})
		return b.runs[runKey{job, 0}]
	}, &at
}

// What waited in the market has its licences when it is let go, if they are there by then: those
// who were promised some before have theirs, and it is refused after a moment.
func TestLicensesOfWhatIsLetGo(t *testing.T) {
	b, order, now := licensedSite(t)
	license := func(r *run, free string) {
		t.Helper()
		if why := b.license(t.Context(), r, &r.inOrder()[0].Spec, "libra"); (why == "") != (free == "") || !strings.Contains(why, free) {
			t.Errorf("%s: %q, want %q", r.key, why, free)
		}
	}
	first, second := order(6, "fluent:2"), order(7, "fluent:2")
	license(second, "") // whoever comes first: the other one has nothing yet
	license(first, "1 are free")
	license(second, "") // it has them
	ticket, over := b.Admit(t.Context(), "bob", &trade.Request{EstimateMS: 1000, Env: []string{task.Licenses + "=fluent"}}, false)
	if over != nil { // who was let go and could not have his keeps them from nobody
		t.Fatal(over.Detail)
	}
	b.Settle(ticket, 8)
	late := order(9, "fluent")
	license(late, "0 are free") // that is kept by a ticket
	license(order(8, "fluent"), "")
	license(late, "0 are free") // and by its run
	for range 3 {
		if !b.mayYetBe(late) {
			t.Error("it is refused at once")
		}
		*now = now.Add(4 * time.Second)
	}
	*now = now.Add(4 * time.Second)
	if b.mayYetBe(late) {
		t.Error("it waits on")
	}
	second.state = ended
	second.moved()
	license(late, "")
	license(order(10, ""), "")
}

// Each element of an array that runs at a time has licences of its own, as by sbatch: so many are
// kept by its ticket, its quote, its run and after a start, and Slurm is asked for them.
func TestLicensesOfElements(t *testing.T) {
	b, _, _ := licensedSite(t)
	some := func(n int, env string) *trade.Request {
		return &trade.Request{EstimateMS: 1000, Env: []string{task.Licenses + "=" + env}, Array: &trade.Array{First: 1, Last: 9, Step: 1, Limit: n}}
	}
	b.nodes["n1"].hello, b.nodes["n1"].membership = &task.Hello{Node: "n1", Processors: 8}, member
	for _, c := range []struct {
		r     *trade.Request
		waits bool
		fewer int64
		says  string
	}{
		{some(2, "fluent"), false, 0, ""},
		{some(0, "fluent"), false, 3, "asks for 8 of the licences fluent (1 for each element), and Slurm has 3"},
		{some(2, "fluent:2"), false, 1, "asks for 4"},
		{some(2, "fluent:4"), false, 0, "asks for 8"},
		{some(2, "other"), false, 0, "no licences called other"},
		{some(0, "fluent"), true, 3, "asks for 9"}, // by then there may be another processor
		{some(3, "fluent"), true, 0, ""},
	} {
		ticket, over := b.Admit(t.Context(), "bob", c.r, c.waits)
		if (over == nil) != (c.says == "") || over != nil && (over.Elements != c.fewer || !strings.Contains(over.Detail, c.says)) {
			t.Errorf("%d at a time, %v: %+v", c.r.Array.Limit, c.r.Env, over)
		}
		b.Settle(ticket, 0)
	}
	ticket, over := b.AdmitQuote(t.Context(), "bob", some(3, "fluent"), false, Bounds{User: rules.Part(700_000), All: rules.Whole})
	if ticket != nil || over == nil || over.Elements != 2 {
		t.Fatalf("a quote of three of which it may keep two: %+v", over)
	}
	ticket, _ = b.AdmitQuote(t.Context(), "bob", some(2, "fluent"), false, Bounds{User: rules.Part(700_000), All: rules.Whole})
	b.Keep(ticket, "q1", noon.Add(time.Hour).UnixMicro())
	if !b.KeepsLicenses("q1", []string{task.Licenses + "=fluent"}) || b.KeepsLicenses("q1", []string{task.Licenses + "=fluent:2"}) {
		t.Error("a quote of two elements with a licence each keeps that for each, and no more")
	}
	if _, over = b.Admit(t.Context(), "eve", some(2, "fluent"), false); over == nil || over.Elements != 1 || !strings.Contains(over.Detail, "1 are free") {
		t.Errorf("beside a quote of two: %+v", over)
	}
	b.Take("q1", 0)
	b.Recall(8, "bob", []string{task.Licenses + "=fluent"}, 2)
	if _, over = b.Admit(t.Context(), "eve", some(2, "fluent"), false); over == nil || over.Elements != 1 {
		t.Errorf("beside a job of two elements of before: %+v", over)
	}
	b.LetGo(8)

	orders := []task.Order{}
	for rank := range 2 {
		orders = append(orders, task.Order{Spec: task.Spec{
			Key: task.Key{Job: 6, Rank: rank}, Size: 2, Nodes: []string{"n1", "n1"}, User: "bob", Argv: []string{"true"}, Span: &task.Span{First: rank, Step: 1, Count: 1},
			Env: []string{task.Licenses + "=fluent"},
		}, CPU: 0.1})
	}
	b.applyOrders(b.nodes["n1"], &task.Desired{Version: 2, LeaseMS: 60_000, Orders: orders})
	r := b.runs[runKey{6, 0}]
	if why := b.license(t.Context(), r, &orders[0].Spec, "libra"); why != "" || r.use().Licenses["fluent"] != 2 {
		t.Errorf("it has %v: %q", r.use().Licenses, why)
	}
	if s, err := b.submission(r, orders, "libra"); err != nil || s.Licenses != "fluent:2" {
		t.Errorf("Slurm is asked for %q, %v", s.Licenses, err)
	}
	for _, c := range []struct {
		elements   int
		said, want string
	}{{0, "b=2,a", "b=2,a"}, {1, "b=2,a", "b=2,a"}, {3, "b=2,a", "a:3,b:6"}, {3, "", ""}} {
		if got := licensesInWords(&task.Spec{Env: []string{task.Licenses + "=" + c.said}}, c.elements); got != c.want {
			t.Errorf("%d of %q: %q, want %q", c.elements, c.said, got, c.want)
		}
	}
}

// What a quote keeps that is about to be given is no other job's of its user: both would have it.
func TestLicensesOfAQuoteAreItsOwn(t *testing.T) {
	b, order, _ := licensedSite(t)
	waited := order(6, "fluent:2")
	ticket, over := b.AdmitQuote(t.Context(), "bob", &trade.Request{EstimateMS: 1000, Env: []string{task.Licenses + "=fluent:2"}}, false, Bounds{User: rules.Whole, All: rules.Whole})
	if ticket == nil || over != nil {
		t.Fatalf("%+v %+v", ticket, over)
	}
	if why := b.license(t.Context(), waited, &waited.inOrder()[0].Spec, "libra"); !strings.Contains(why, "1 are free") {
		t.Errorf("a quote and a job have 4 of 3: %q", why)
	}
}

// What waits in the market is promised licences that there are, and has none before it begins.
func TestLicensesOfWhatWaits(t *testing.T) {
	b, order, _ := licensedSite(t)
	order(6, "fluent:3").licensed = true
	for name, r := range map[string]trade.Request{
		"on hold": {Hold: true}, "later": {BeginMS: 1}, "after another": {AfterAny: []int64{1}}, "in a queue": {},
	} {
		for n, says := range map[string]string{"fluent:3": "", "fluent:4": "Slurm has 3", "other": "no licences called other"} {
			r.EstimateMS, r.Env = 1000, []string{task.Licenses + "=" + n}
			ticket, over := b.Admit(t.Context(), "bob", &r, name == "in a queue")
			if ticket != nil || (over == nil) != (says == "") || over != nil && !strings.Contains(over.Detail, says) {
				t.Errorf("%s, %s: %+v, %+v", name, n, ticket, over)
			}
		}
	}
	if _, over := b.Admit(t.Context(), "bob", &trade.Request{EstimateMS: 1000, Env: []string{task.Licenses + "=fluent"}}, false); over == nil {
		t.Error("one that begins at once is promised what another has")
	}
}

// A market that was started anew keeps the licences of jobs under way for them, from before their
// orders have come.
func TestLicensesAreRecalled(t *testing.T) {
	b, order, now := licensedSite(t)
	ask := func() bool {
		ticket, over := b.Admit(t.Context(), "eve", &trade.Request{EstimateMS: 1000, Env: []string{task.Licenses + "=fluent:2"}}, false)
		b.Settle(ticket, 0)
		return over == nil
	}
	b.Recall(6, "bob", []string{task.Licenses + "=fluent:2"}, 0)
	b.Recall(7, "bob", []string{"A=b"}, 0)
	if ask() {
		t.Error("they are promised to another")
	}
	*now = now.Add(time.Hour) // for which nobody could say how its nodes are
	b.gate.wicket("libra").asked = now.Add(time.Hour)
	if ask() {
		t.Error("they are promised to another when it takes a while")
	}
	b.Recall(9, "bob", []string{task.Licenses + "=fluent"}, 0) // which has ended before its orders came
	if got := b.Recalled(); !slices.Equal(got, []int64{6, 9}) {
		t.Errorf("of %v", got)
	}
	if b.LetGo(9); !slices.Equal(b.Recalled(), []int64{6}) {
		t.Error("they are kept for who has ended")
	}
	b.newRun(runKey{6, 0}, 1).state = held // as it was noted; what it asks for is not known yet
	if ask() {
		t.Error("they are promised to another once its note was read")
	}
	r := order(6, "fluent:2")
	if ask() || !r.licensed || len(b.Recalled()) > 0 {
		t.Error("they are promised to another once its orders have come")
	}
	r.state = ended
	r.moved()
	*now = now.Add(ticketLasts)
	if !ask() {
		t.Error("they are kept after its end")
	}
	if !b.Licensed(t.Context()) {
		t.Error("there are none")
	}
}

// Where Slurm counts more than licences, a job that waits has a ticket for that, and none for its
// licences: when it is let go a moment later it is looked at like any other.
func TestATicketWithoutLicenses(t *testing.T) {
	b, order, _ := licensedSite(t)
	b.gate.wicket("libra").site = limit.Read(limit.Said{
		Config: "AccountingStorageEnforce = limits\n", Partition: "PartitionName=libra\n", Licenses: "LicenseName=fluent Total=3 Used=0 Free=3 Reserved=0 Remote=no\n",
		Manager: "ClusterName=c Account=physics UserName=bob(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxJobs=9(0)\n",
	})
	order(6, "fluent:2").licensed = true
	ticket, over := b.Admit(t.Context(), "bob", &trade.Request{BeginMS: 1, EstimateMS: 1000, Env: []string{task.Licenses + "=fluent:2"}}, false)
	if ticket == nil || over != nil {
		t.Fatalf("%+v, %+v", ticket, over)
	}
	b.Settle(ticket, 7)
	r := order(7, "fluent:2")
	if why := b.license(t.Context(), r, &r.inOrder()[0].Spec, "libra"); !strings.Contains(why, "1 are free") || r.licensed {
		t.Errorf("it has two of three, of which another has two: %q", why)
	}
}

// Whose a ticket is that has no number yet nobody knows: a job of the same user that waited, and is
// let go at that moment, has none of it, or both would have the same licences. Whose it is has them
// when the market has said so.
func TestLicensesOfATicketWithoutANumber(t *testing.T) {
	for name, user := range map[string]string{"its user's": "bob", "another's": "eve"} {
		b, order, now := licensedSite(t)
		ticket, over := b.Admit(t.Context(), user, &trade.Request{EstimateMS: 1000, Env: []string{task.Licenses + "=fluent:2"}}, false)
		if over != nil {
			t.Fatal(over)
		}
		waited, own := order(6, "fluent:2"), order(7, "fluent:2")
		for _, r := range []*run{waited, own} {
			if b.submit(t.Context(), r); r.licensed || r.end != nil || r.state.inSlurm() {
				t.Errorf("%s: job %s has 2 of 3 of which a ticket has 2: %+v", name, r.key, r.end)
			}
		}
		b.Settle(ticket, 7)
		*now = now.Add(again)
		if b.submit(t.Context(), waited); waited.licensed {
			t.Errorf("%s: who waited has what another was promised", name)
		}
		if b.submit(t.Context(), own); !own.licensed || own.end != nil {
			t.Errorf("%s: what it was promised it has not: %+v", name, own.end)
		}
	}
}

// What Slurm has of the market's holds its licences, also where nobody remembers that it was given
// them; who has them keeps them, and counts for nobody twice; and a ticket of a job that does not
// come runs out.
func TestWhoHoldsLicenses(t *testing.T) {
	b, order, _ := licensedSite(t)
	why := func(r *run) string { return b.license(t.Context(), r, &r.inOrder()[0].Spec, "libra") }
	here := order(6, "fluent:3")
	here.state = held
	if late := order(7, "fluent"); why(late) == "" {
		t.Error("what a job has that Slurm holds is given to another")
	}
	if said := why(here); said != "" {
		t.Errorf("it stands in its own way: %s", said)
	}
	b.gate.wicket("libra").site = limit.Read(limit.Said{Partition: "PartitionName=libra\n", Licenses: "LicenseName=fluent Total=3 Used=3 Free=0 Reserved=0 Remote=no\n"})
	if said := why(here); said != "" {
		t.Errorf("what it was given is taken back: %s", said)
	}

	b, _, now := licensedSite(t)
	ask := trade.Request{EstimateMS: 1000, Env: []string{task.Licenses + "=fluent:3"}}
	ticket, _ := b.Admit(t.Context(), "bob", &ask, false)
	b.Settle(ticket, 77)
	*now = now.Add(ticketLasts - 1)
	if _, over := b.Admit(t.Context(), "bob", &ask, false); over == nil {
		t.Error("what a job was promised a moment ago is another's")
	}
	*now = now.Add(1)
	if _, over := b.Admit(t.Context(), "bob", &ask, false); over != nil {
		t.Errorf("what a job was promised that never came is kept: %s", over.Detail)
	}
}

// What is let go is not handed in without its licences or beside its reservation: it is looked at
// again for a moment where that may help, and refused then.
func TestWhatIsNotHandedIn(t *testing.T) {
	b, order, now := licensedSite(t)
	order(6, "fluent:3").licensed = true
	r := order(7, "fluent")
	if b.submit(t.Context(), r); r.end != nil || r.state.inSlurm() || r.ID != 0 {
		t.Fatalf("at once: %+v, %v", r.end, r.state)
	}
	*now = now.Add(unlicensed)
	if b.submit(t.Context(), r); r.end == nil || r.end.state != task.Refused || !strings.Contains(r.end.why, "0 are free") {
		t.Errorf("after a while: %+v, %v", r.end, r.state)
	}

	b, order, _ = licensedSite(t)
	in := order(8, "fluent")
	first := in.orders[0]
	first.Spec.Within = "course"
	in.orders[0] = first
	was := b.slurm
	b.slurm = unanswering{was.(*model.Slurm)}
	if b.submit(t.Context(), in); in.end != nil || in.state.inSlurm() {
		t.Errorf("nobody says what is reserved: %+v, %v", in.end, in.state)
	}
	b.slurm = was
	if b.submit(t.Context(), in); in.end == nil || in.end.state != task.Refused || !strings.Contains(in.end.why, "gone from Slurm") {
		t.Errorf("there is no such reservation: %+v, %v", in.end, in.state)
	}
}

// The time that Slurm lets a job have is held against its deadline, and where it has none against
// its estimate.
func TestTheTimeOfAPartition(t *testing.T) {
	b, _, _ := licensedSite(t)
	b.gate.wicket("libra").site = limit.Read(limit.Said{Partition: "PartitionName=libra MaxTime=00:10:00\n"})
	minutes := func(n int64) int64 { return n * 60_000 }
	for _, c := range []struct {
		estimate, deadline int64
		may                bool
	}{{10, 0, true}, {11, 0, false}, {1, 10, true}, {1, 11, false}} {
		if _, over := b.Admit(t.Context(), "bob", &trade.Request{EstimateMS: minutes(c.estimate), DeadlineMS: minutes(c.deadline)}, false); (over == nil) != c.may {
			t.Errorf("%d minutes within %d: %+v", c.estimate, c.deadline, over)
		}
	}
}

// What a job was given that has ended a moment after it was taken is another's at once; of one that
// was lost, and is begun again, it is kept.
func TestLicensesOfAShortJob(t *testing.T) {
	for state, free := range map[task.State]bool{task.Ended: true, task.Refused: true, task.Lost: false} {
		b, order, _ := licensedSite(t)
		ask := &trade.Request{EstimateMS: 1000, Env: []string{task.Licenses + "=fluent:3"}}
		ticket, over := b.Admit(t.Context(), "bob", ask, false)
		if over != nil {
			t.Fatal(over.Detail)
		}
		b.Settle(ticket, 6)
		r := order(6, "fluent:3")
		r.ends(verdict{state: state}, noon)
		clear(r.orders)
		b.remove(t.Context(), r)
		if _, over = b.Admit(t.Context(), "eve", ask, false); (over == nil) != free {
			t.Errorf("%s: %+v", state, over)
		}
	}
}
