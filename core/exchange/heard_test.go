package exchange_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A node speaks of its own tasks alone, whatever it says of others'.
func TestANodeSpeaksForItself(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	f.enlist("n2", 1)
	id := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 11_000}).Job.ID
	f.wait(2)
	said := trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: id}, State: task.Ended, CPUUS: 2_000_000}}}
	home := f.job(id).Places[0].Node
	other := map[string]string{"n1": "n2", "n2": "n1"}[home]
	f.do(trade.Command{By: trade.Identity{User: other, Role: trade.RoleNode}, Report: &said})
	if j := f.job(id); j.State != trade.Running || j.Work != 0 {
		t.Errorf("a job on %s is %s with %d ms after what %s says", home, j.State, j.Work, other)
	}
	if fresh := f.x.News(other, said.Tasks); len(fresh) != 0 {
		t.Errorf("news from %s: %+v", other, fresh)
	}
	f.do(trade.Command{By: trade.Identity{User: home, Role: trade.RoleNode}, Report: &said})
	if j := f.job(id); j.State != trade.Completed || j.Work != 2_000 {
		t.Errorf("%s with %d ms after what its own node says", j.State, j.Work)
	}
}

// A task of which its node said nothing while it was heard has not run all that time:
// it has had what there was time for since, and what takes some reports to be heard.
func TestWhatWasNotSaidIsNotBelievedLater(t *testing.T) {
	f := openLive(t, "libra", 1, nil) // nodes report every second
	id := f.submit(alice, trade.Request{EstimateMS: 60_000, DeadlineMS: 90_000}).Job.ID
	claims := []task.Status{{Key: task.Key{Job: id}, State: task.Running, CPUUS: 51_000_000}}
	news := func() int64 {
		f.x.At(f.now)
		fresh := f.x.News("n1", claims)
		if len(fresh) != 1 {
			t.Fatalf("%+v", fresh)
		}
		return fresh[0].CPUUS
	}
	f.wait(51)
	if had := news(); had != 51_000_000 {
		t.Errorf("never heard of: it says 51 s, and %d us are believed", had)
	}
	f.now -= 1 * second
	f.x.Observe("n1", f.now, nil) // it has no tasks, it says
	f.now += 1 * second
	if had := news(); had != 4_000_000 {
		t.Errorf("heard a second ago: %d us are believed", had)
	}
	// From what was said the last time it goes on.
	f.x.Observe("n1", f.now, []task.Status{{Key: task.Key{Job: id}, State: task.Running, CPUUS: 3_000_000}})
	f.now += 2 * second
	if had := news(); had != 8_000_000 {
		t.Errorf("said 3 s two seconds ago: %d us are believed", had)
	}
}

// That a job has gone on to its optional part is news, and so is that it has had all
// of that.
func TestPartsAreNews(t *testing.T) {
	f := open(t, "mf-edf", 1)
	id := f.submit(alice, trade.Request{
		EstimateMS: 4_000, DeadlineMS: 60_000, Budget: budget(10), Optional: &trade.Optional{WorkMS: 6_000, RateMicros: 100_000},
	}).Job.ID
	key := task.Key{Job: id}
	said := func(seconds float64, part task.Part) []task.Status {
		return []task.Status{{Key: key, State: task.Running, Part: part, CPUUS: int64(seconds * 1e6), MandatoryCPUUS: 4_000_000}}
	}
	f.wait(4)
	if fresh := f.x.News("n1", said(4, task.OptionalPart)); len(fresh) != 1 {
		t.Fatalf("the optional part is no news")
	}
	f.do(trade.Command{Report: &trade.Measured{Tasks: said(4, task.OptionalPart)}})
	f.wait(6)
	if fresh := f.x.News("n1", said(10, task.OptionalPart)); len(fresh) != 1 {
		t.Errorf("all of the optional part is no news")
	}
}

// A job without a name is called after its program, or is a script; never by more
// than a name may have.
func TestWhatAJobIsCalled(t *testing.T) {
	f := open(t, "libra", 4)
	long := strings.Repeat("x", trade.MaxName+1)
	for _, c := range []struct {
		r    trade.Request
		want string
	}{
		{trade.Request{Argv: []string{"sleep", "/a/b"}}, "sleep"},
		{trade.Request{Argv: []string{"/usr/bin/x"}}, "x"},
		{trade.Request{Argv: []string{"/usr/bin/y/"}}, ""},
		{trade.Request{Argv: []string{"./" + long}}, long[1:]},
		{trade.Request{Argv: []string{"sh"}, Script: "true"}, "script"},
		{trade.Request{Argv: []string{"/bin/z"}, Name: "mine"}, "mine"},
	} {
		c.r.EstimateMS = 10
		if o := f.submit(alice, c.r); o.Job == nil || o.Job.Name != c.want {
			t.Errorf("%q is called %q (%+v), want %q", c.r.Argv, o.Job.Name, o.Refusal, c.want)
		}
	}
}
