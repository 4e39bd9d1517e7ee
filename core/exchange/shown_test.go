package exchange_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A job that its node could not start did not start, and did nothing.
func TestAJobThatNeverBeganHasNoStart(t *testing.T) {
	f := openLive(t, "libra", 2, nil)
	id := f.submit(alice, trade.Request{EstimateMS: 5_000, DeadlineMS: 60_000}).Job.ID
	f.wait(1)
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{
		Key: task.Key{Job: id}, State: task.Refused, Error: "no such program", CPUUS: 4_000, StartedUS: f.now, EndedUS: f.now + 5_000,
	}}}})
	if j := f.job(id); j.State != trade.Failed || j.StartedUS != 0 || j.Work != 0 || j.Charged != 0 {
		t.Errorf("%s, started at %d, %d ms done, charged %d", j.State, j.StartedUS, j.Work, j.Charged)
	}
	// One that ran and was stopped has both.
	id = f.submit(alice, trade.Request{EstimateMS: 5_000, DeadlineMS: 60_000}).Job.ID
	f.wait(1)
	f.end(task.Key{Job: id}, 1, 3)
	if j := f.job(id); j.StartedUS == 0 || j.Work != 1_000 {
		t.Errorf("started at %d, %d ms done", j.StartedUS, j.Work)
	}
}

// Until its node has said that a job runs, it is shown as starting; from then on with
// what it has.
func TestAJobIsStartingUntilItsNodeSaysSo(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	id := f.submit(alice, trade.Request{EstimateMS: 5_000, DeadlineMS: 60_000}).Job.ID
	summary := func() string {
		e, _ := f.x.Explain(id)
		return e.Summary
	}
	if got := summary(); !strings.HasPrefix(got, "starting") || !f.job(id).Starting || f.job(id).State != trade.Running {
		t.Errorf("before a word of its node: %q, starting %v", got, f.job(id).Starting)
	}
	f.wait(1)
	f.x.At(f.now)
	if e, _ := f.x.Explain(id); !slices.Contains(e.Because, "nothing of 5s is done yet") || f.job(id).Work != 0 {
		t.Errorf("a second later, without a word: %q, %d ms done", e.Because, f.job(id).Work)
	}
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: id}, State: task.Running, StartedUS: f.now, CPUUS: 1_000_000}}}})
	if got := summary(); !strings.HasPrefix(got, "runs with") || f.job(id).Starting {
		t.Errorf("when it has said so: %q", got)
	}
	// Where nobody pays for what they use, nobody has to be sure.
	f = open(t, "libra", 1)
	id = f.submit(alice, trade.Request{EstimateMS: 5_000, DeadlineMS: 60_000}).Job.ID
	if got := summary(); !strings.HasPrefix(got, "runs with") {
		t.Errorf("in a market of the papers: %q", got)
	}
}

// A job that was lost, and for which there was no time to begin again, was not
// started anew.
func TestALostJobWasNotStartedAnew(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	id := f.submit(alice, trade.Request{EstimateMS: 5_000, DeadlineMS: 6_000}).Job.ID
	f.wait(2)
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: task.Key{Job: id}, State: task.Lost, CPUUS: 2_000_000}}}})
	f.wait(60)
	f.do(trade.Command{Tick: &trade.Tick{}})
	if j := f.job(id); j.State != trade.Lost || j.Attempt != 0 || j.StartedUS == 0 {
		t.Errorf("%s, attempt %d, started at %d", j.State, j.Attempt, j.StartedUS)
	}
}

// What a job has used of an extension is known while it runs, and is what is billed.
func TestWhatIsUsedOfAnExtensionIsSaid(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	id := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 60_000}).Job.ID
	f.wait(10)
	f.used(task.Key{Job: id}, 10)
	f.wait(0.5)
	f.used(task.Key{Job: id}, 10.5)
	f.x.At(f.now)
	j, _ := f.x.Job(id)
	if len(j.Extensions) != 1 || j.Extensions[0].UsedMS != 500 {
		t.Fatalf("%+v", j.Extensions)
	}
	f.end(task.Key{Job: id}, 10.5, 0)
	if j := f.job(id); j.Extensions[0].UsedMS != 500 {
		t.Errorf("%+v", j.Extensions)
	}
}

// The memo of rent has all that is needed to work it out, to the microsecond.
func TestRentCanBeWorkedOut(t *testing.T) {
	f := openUnder(t, "libra", 2, nil)
	q := f.ask(alice, 600, minuteJob()).Quote
	f.wait(12.345678)
	f.now++ // and a microsecond
	var rent *ledger.Tx
	o, err := f.x.Do(f.now, trade.Command{By: alice, Cancel: &trade.Cancel{Quote: q.ID}})
	if err != nil {
		t.Fatalf("%+v, %v", o, err)
	}
	fx := f.x.Effects()
	for i := range fx.Txs {
		rent = &fx.Txs[i]
	}
	_, text, _ := strings.Cut(rent.Memo, ": ")
	var price, part, seconds float64
	if _, err := fmt.Sscanf(text, "%g * %g * %g s / 60 s", &price, &part, &seconds); err != nil || seconds != 12.345679 {
		t.Fatalf("%q: %v", rent.Memo, err)
	}
	want := market.Money(math.Ceil(price*part*seconds/60*1e6 - 1e-6)) // as bills are rounded
	if got := rent.Postings[len(rent.Postings)-1]; got.Account != ledger.Owner || got.Amount != want || rent.Quote() != q.ID {
		t.Errorf("%+v, %q comes to %s", got, rent.Memo, want)
	}
}

// Nothing stands of what was promised to a job that was refused, and it was not in time.
func TestARefusedJobHasNoPromise(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	refused := func(r trade.Request) {
		t.Helper()
		o := f.submit(alice, r)
		if o.Refusal == nil {
			t.Fatalf("taken: %+v", o.Job)
		}
		for _, j := range []trade.Job{*o.Job, f.job(o.Job.ID)} {
			if j.State != trade.Rejected || j.Firm || j.InTime {
				t.Errorf("%s (%s): firm %t, in time %t", j.State, j.Detail, j.Firm, j.InTime)
			}
		}
	}
	refused(trade.Request{EstimateMS: 50_000, DeadlineMS: 60_000, Budget: budget(1)})         // by the policy
	refused(trade.Request{EstimateMS: 50_000, DeadlineMS: 60_000, Budget: budget(1_000_000)}) // for want of money
	f.submit(alice, trade.Request{EstimateMS: 50_000, DeadlineMS: 60_000})
	refused(trade.Request{EstimateMS: 50_000, DeadlineMS: 60_000})
}
