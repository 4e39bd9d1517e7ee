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

// Who can pay is sold more shortly before it would stand still: a quarter of a second
// before, and no more than a tenth of what was sold to it.
func TestMoreIsSoldJustInTime(t *testing.T) {
	for _, c := range []struct{ estimate, early, late float64 }{{1, 0.85, 0.95}, {60, 59.7, 59.8}} {
		f := openLive(t, "libra", 1, nil)
		f.do(trade.Command{By: trade.Identity{User: "n1", Role: trade.RoleNode}, Enlist: &task.Hello{
			Node: "n1", Processors: 1, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b", Holds: true,
		}})
		id := f.submit(alice, trade.Request{EstimateMS: int64(c.estimate * 1e3), DeadlineMS: 600_000}).Job.ID
		for _, at := range []struct {
			seconds float64
			sold    int
		}{{c.early, 0}, {c.late, 1}} {
			f.wait(at.seconds - float64(f.job(id).Work)/1e3)
			f.used(task.Key{Job: id}, at.seconds)
			if got := len(f.job(id).Extensions); got != at.sold {
				t.Errorf("after %v s of %v: %d extensions, want %d", at.seconds, c.estimate, got, at.sold)
			}
		}
	}
}

// Nobody is given orders whom nobody knows, or who is taken for lost.
func TestOrdersAreForNodesThatAreUp(t *testing.T) {
	f := open(t, "libra", 1)
	f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 40_000})
	if f.x.Orders("nobody") != nil || len(f.x.Orders("n1")) != 1 || f.x.IsDown("nobody") || f.x.IsDown("n1") {
		t.Errorf("%+v, %+v", f.x.Orders("nobody"), f.x.Orders("n1"))
	}
	if up := f.x.NodesUp(); len(up) != 1 || up[0] != "n1" {
		t.Errorf("up: %q", up)
	}
	f.do(trade.Command{Node: &trade.NodeChange{Node: "n1"}})
	if f.x.Orders("n1") != nil || !f.x.IsDown("n1") || len(f.x.NodesUp()) != 0 {
		t.Errorf("%+v", f.x.Orders("n1"))
	}
}

// What is offered instead says when it would be done, as whoever asks for just that is
// told.
func TestOffersSayWhenTheyWouldBeDone(t *testing.T) {
	for _, name := range []string{"libra", "libra-plus"} {
		f := open(t, name, 1)
		f.submit(bob, trade.Request{EstimateMS: 20_000, DeadlineMS: 100_000})
		b := int64(1)
		o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 100_000, Budget: &b})
		if o.Refusal == nil || len(o.Refusal.Offers) == 0 {
			t.Fatalf("%s: %+v", name, o)
		}
		for _, offer := range o.Refusal.Offers {
			q, err := f.x.Preview(alice, offer.Quote.Request)
			if err != nil || q.Quote == nil || offer.Quote.PredictedUS == 0 || q.Quote.PredictedUS != offer.Quote.PredictedUS {
				t.Errorf("%s: %s would be done at %d, and is told %+v (%v)", name, offer.Detail, offer.Quote.PredictedUS, q.Quote, err)
			}
		}
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
		return []task.Status{{Key: key, State: task.Running, Part: part, CPUUS: int64(seconds * 1e6), MandatoryCPUUS: 3_000_000}}
	}
	f.wait(3) // it is where it was reckoned to be
	f.x.At(f.now)
	if fresh := f.x.News("n1", said(3, task.MandatoryPart)); len(fresh) != 0 {
		t.Errorf("news of the mandatory part: %+v", fresh)
	}
	if fresh := f.x.News("n1", said(3, task.OptionalPart)); len(fresh) != 1 {
		t.Fatal("the optional part is no news")
	}
	f.do(trade.Command{Report: &trade.Measured{Tasks: said(3, task.OptionalPart)}})
	f.wait(6)
	f.x.At(f.now)
	if fresh := f.x.News("n1", said(9, task.OptionalPart)); len(fresh) != 1 {
		t.Error("all of the optional part is no news")
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

// What a node says of a job that had the number in what the store has lost is not said of
// the one that has it now: it changes nothing, and need not be said again.
func TestANumberThatWasGivenOutAgain(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	id := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000}).Job.ID
	f.wait(2)
	born := f.x.Orders("n1")[0].Spec.BornUS
	if born != f.job(id).SubmittedUS {
		t.Errorf("submitted at %d, and its node hears %d", f.job(id).SubmittedUS, born)
	}
	said := []task.Status{{Key: task.Key{Job: id}, State: task.Ended, CPUUS: 2_000_000, BornUS: born - 60*second}}
	node := trade.Identity{User: "n1", Role: trade.RoleNode}
	if fresh := f.x.News("n1", said); len(fresh) != 0 {
		t.Errorf("news: %+v", fresh)
	}
	f.x.Observe("n1", f.now, said)
	f.do(trade.Command{By: node, Report: &trade.Measured{Tasks: said}})
	if j := f.job(id); j.State != trade.Running || j.Work != 0 {
		t.Errorf("%s with %d ms", j.State, j.Work)
	}
	if keys := f.x.Forget("n1", said); len(keys) != 1 {
		t.Errorf("it is to be said again: %v", keys)
	}
	said[0].BornUS = born
	fresh := f.x.News("n1", said)
	f.do(trade.Command{By: node, Report: &trade.Measured{Tasks: fresh}})
	if j := f.job(id); j.State != trade.Completed || j.Work != 2_000 || j.Tasks[0].BornUS != 0 {
		t.Errorf("%s with %d ms, %+v", j.State, j.Work, j.Tasks)
	}
}
