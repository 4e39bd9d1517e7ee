package slurm

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// Who has quotes that bind has room within Slurm's limits for them, and for no more, until
// they are taken, dropped or over: Slurm would hold the jobs of the others.
func TestQuotesCountWithinLimits(t *testing.T) {
	b, _ := idle(t, Agents) // on which ann has a job
	w := b.gate.wicket("libra")
	w.site, w.asked = limit.Read(limit.Said{
		Config:    "AccountingStorageEnforce = limits\n",
		Partition: "PartitionName=libra\n",
		Manager:   "ClusterName=c Account=physics UserName=ann(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxJobs=3(0)\n",
	}), noon
	admit := func(want bool) *Ticket {
		t.Helper()
		ticket, over := b.Admit(t.Context(), "ann", &trade.Request{EstimateMS: 1000}, false)
		if (over == nil) != want || over != nil && !strings.Contains(over.Detail, "MaxJobs=3") {
			t.Fatalf("admitted: %v, want %v: %+v", over == nil, want, over)
		}
		return ticket
	}
	later := noon.Add(time.Minute).UnixMicro()
	b.Keep(admit(true), "q1", later)
	b.Keep(admit(true), "q2", later)
	admit(false)
	if !b.Keeps("q1") || b.Keeps("q3") || b.Keeps("") {
		t.Error("what is kept is not known")
	}
	b.Take("q1", 0) // it was dropped
	b.Keep(admit(true), "q3", later)
	admit(false)
	b.Take("q2", 5) // the job that is under way is that of the quote
	b.Keep(admit(true), "q4", noon.UnixMicro())
	b.Settle(admit(true), 0) // that one was over at once
	b.Take("none", 9)
	b.Settle(admit(true), 0)
}

// Licences are kept for a job from when it is taken: by its ticket first, then by its run.
func TestLicensesAreKept(t *testing.T) {
	b, _ := idle(t, Agents) // on which ann has a job
	w := b.gate.wicket("libra")
	w.site, w.asked = limit.Read(limit.Said{Partition: "PartitionName=libra\n", Licenses: "LicenseName=fluent Total=3 Used=0 Free=3 Reserved=0 Remote=no\n"}), noon
	admit := func(n string, free string) *Ticket {
		t.Helper()
		ticket, over := b.Admit(t.Context(), "bob", &trade.Request{EstimateMS: 1000, Env: []string{task.Licenses + "=fluent:" + n}}, false)
		if (over == nil) != (free == "") || over != nil && !strings.Contains(over.Detail, free+" are free") {
			t.Fatalf("%s: %+v, want %q free", n, over, free)
		}
		return ticket
	}
	first := admit("2", "")
	admit("2", "1")
	b.Keep(first, "q1", noon.Add(time.Minute).UnixMicro())
	for env, want := range map[string]bool{task.Licenses + "=fluent": true, task.Licenses + "=fluent:2": true, "A=b": true, task.Licenses + "=fluent:3": false, task.Licenses + "=fluent,other": false} {
		if b.KeepsLicenses("q1", []string{env}) != want || b.KeepsLicenses("q2", []string{env}) != (env == "A=b") {
			t.Errorf("%s goes with a quote of two: want %v", env, want)
		}
	}
	b.Settle(first, 0)
	for _, r := range b.runs {
		o := r.orders[0]
		o.Spec.Env = []string{task.Licenses + "=fluent"}
		r.orders[0] = o
		r.moved()
	}
	admit("3", "2")
	for _, r := range b.runs {
		r.state = ended
		r.moved()
	}
	b.Settle(admit("3", ""), 0)
	if ticket, over := b.Admit(t.Context(), "bob", &trade.Request{EstimateMS: 1000}, false); ticket != nil || over != nil {
		t.Errorf("who asks for none: %+v, %+v", ticket, over)
	}
}

// A job that has ended since Slurm was last asked is among those that Slurm counted then, and
// is not taken for somebody else's.
func TestWhatHasEndedIsNotOthers(t *testing.T) {
	b, _ := idle(t, Agents)
	for _, r := range b.runs {
		r.state = released // and Slurm has begun it
	}
	b.askSite(t.Context(), "libra", b.gate.wicket("libra"))
	w := b.gate.wicket("libra")
	w.site, w.asked = limit.Read(limit.Said{
		Config:    "AccountingStorageEnforce = limits\n",
		Partition: "PartitionName=libra\n",
		Manager:   "ClusterName=c Account=physics UserName=ann(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxJobs=1(1)\n",
	}), noon
	ask := func() *limit.Excess {
		ticket, over := b.Admit(t.Context(), "ann", &trade.Request{EstimateMS: 1000}, false)
		b.Settle(ticket, 0)
		return over
	}
	if ask() == nil {
		t.Error("one more than Slurm runs is admitted")
	}
	for _, r := range b.runs {
		delete(b.runs, r.key)
		b.drops(r)
	}
	if over := ask(); over != nil {
		t.Errorf("after its end: %s", over.Detail)
	}
}

// What was put back, and has ended for the market, is in Slurm still: what is handed in anew takes its
// place, also where its user may have no more than one job there.
func TestWhatComesBackIsNotOthers(t *testing.T) {
	b, _ := idle(t, Agents)
	clear(b.runs)
	count := func() *limit.Excess {
		b.askSite(t.Context(), "libra", b.gate.wicket("libra"))
		w := b.gate.wicket("libra")
		w.site, w.asked = limit.Read(limit.Said{
			Config:    "AccountingStorageEnforce = limits\n",
			Partition: "PartitionName=libra\n",
			Manager:   "ClusterName=c Account=physics UserName=ann(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxJobs=1(0) MaxSubmitJobs=1(1)\n",
		}), b.cfg.Now()
		ticket, over := b.Admit(t.Context(), "ann", &trade.Request{EstimateMS: 1000}, false)
		b.Settle(ticket, 0)
		return over
	}
	if count() == nil {
		t.Error("one more than Slurm takes is admitted")
	}
	b.putBacks = map[int64]*putBack{71: {Job: 12, ID: 71, User: "ann", Partition: "libra"}}
	if over := count(); over != nil {
		t.Errorf("put back it is refused: %s", over.Detail)
	}
	b.putBacks[71].User = "bob"
	if count() == nil {
		t.Error("what bob has put back is ann's")
	}
}

// newSite is a Slurm that knows more users than it did.
type newSite struct {
	client.Slurm

	users string
	asked int
}

func (s *newSite) Limits(context.Context, string) (*limit.Site, error) {
	s.asked++
	said := ""
	for user := range strings.FieldsSeq(s.users) {
		said += "ClusterName=c Account=physics UserName=" + user + "(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxJobs=9(0) MaxSubmitJobs=9(0)\n"
	}
	return limit.Read(limit.Said{Config: "AccountingStorageEnforce = associations\n", Partition: "PartitionName=libra\n", Manager: said}), nil
}

// Who has no account in Slurm, as it was said last, is refused by what it says now; strangers have it
// asked no more often than everybody else.
func TestANewUserIsLookedFor(t *testing.T) {
	b, _ := idle(t, Agents)
	s := &newSite{users: "ann"}
	b.slurm = s
	now := noon
	b.cfg.Now = func() time.Time { return now }
	comes := func(user string, after time.Duration, asked int, known bool) {
		t.Helper()
		now = now.Add(after)
		if _, over := b.Admit(t.Context(), user, &trade.Request{EstimateMS: 1000}, false); (over == nil) != known || s.asked != asked {
			t.Errorf("%s: %+v, asked %d times, want %v after %d", user, over, s.asked, known, asked)
		}
	}
	comes("ann", 0, 1, true)
	s.users = "ann bob"
	comes("bob", siteLasts-time.Millisecond, 1, false) // it was asked just now
	comes("ann", 0, 1, true)
	b.gate.wicket("libra").asked = now.Add(-siteLasts)
	comes("bob", 0, 2, true)
	for range 5 {
		comes("eve", 0, 2, false)
	}
}
