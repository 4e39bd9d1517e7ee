package replay_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/replay"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/workload"
)

// history is a long job of bob's and two short ones of ann's behind it: strict
// order makes ann late, shares do not.
func history() []workload.Arrival {
	arrivals := make([]workload.Arrival, 3)
	for i := range arrivals {
		owner, work, deadline := market.Account("ann"), market.Work(10), market.Time(40)
		if i == 0 {
			owner, work, deadline = "bob", 100, 400
		}
		arrivals[i] = workload.Arrival{Actual: work, Job: market.Job{
			Name: string(rune('a' + i)), Owner: owner, Submit: market.Time(i), Width: 1, Estimate: work,
			SLA: market.SLA{Deadline: deadline, Budget: 1000},
		}}
	}
	return arrivals
}

func TestCompareSaysWhoGains(t *testing.T) {
	arrivals := history()
	before, err := (&replay.History{Arrivals: arrivals, Nodes: 1}).Run(t.Context(), "fifo", nil)
	if err != nil {
		t.Fatal(err)
	}
	after, err := (&replay.History{Arrivals: arrivals, Nodes: 1}).Run(t.Context(), "libra", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := replay.Compare(arrivals, before, after)
	if c.Won != 2 || c.Lost != 0 || c.Kept != 1 || c.Ending.Satisfied != 3 || before.Satisfied != 1 {
		t.Errorf("%+v, before %+v", c, before.Ending)
	}
	if w := c.Winners(5); len(w) != 1 || w[0].Name != "user ann" || w[0].Net() != 2 || len(c.Losers(5)) != 0 || len(c.Winners(0)) != 0 {
		t.Errorf("%+v", c.Users)
	}
	if better, worse := replay.WhoGains(arrivals, before.Fates, after.Fates); better != 1 || worse != 1 {
		t.Errorf("%d better off, %d worse", better, worse) // bob pays for his deadline under libra
	}
}

// The same levers change nothing; a base price ten times as high is felt.
func TestForesee(t *testing.T) {
	arrivals := history()
	now := replay.Levers{Policy: "libra-plus", Rate: 1}
	same, err := (&replay.History{Arrivals: arrivals, Nodes: 1}).Foresee(t.Context(), now, now)
	if err != nil {
		t.Fatal(err)
	}
	if same.Revenue != same.RevenueBefore || same.Better+same.Worse != 0 || same.Accepted != 3 || same.Kept != 3 {
		t.Errorf("the same levers: %+v", same)
	}
	dear, err := (&replay.History{Arrivals: arrivals, Nodes: 1}).Foresee(t.Context(), now, replay.Levers{Policy: "libra-plus", Rate: 2})
	if err != nil {
		t.Fatal(err)
	}
	if dear.Revenue <= dear.RevenueBefore || dear.Worse != 2 || dear.Better != 0 {
		t.Errorf("twice the price: %+v", dear)
	}
	if _, err := (&replay.History{Arrivals: arrivals, Nodes: 1}).Foresee(t.Context(), now, replay.Levers{Policy: "nothing"}); err == nil {
		t.Error("an unknown policy was tried")
	}
}

func TestTablesTellWhatWas(t *testing.T) {
	text := report.Header + "a,completed,,0,0,100,1,0,7,1000\nb,rejected,cannot_meet_deadline,1,,,1,,,\n"
	if !replay.IsTable(strings.NewReader(text)) || replay.IsTable(strings.NewReader("id,submit\n")) {
		t.Error("tables are not told from other files")
	}
	table, err := replay.ReadTable("t.csv", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	course, missing, err := table.Told(history())
	if err != nil || missing != 1 || course.Revenue != 7 || course.Satisfied != 1 || course.Utility != 1000 {
		t.Errorf("%+v, %d missing, %v", course, missing, err)
	}
	ran, left, err := table.Arrivals()
	if err != nil || len(ran) != 1 || left != 1 || ran[0].Actual != 100 || ran[0].Job.SLA.Budget != 1000 {
		t.Errorf("%+v, %d left, %v", ran, left, err)
	}
	if _, err := replay.ReadTable("t.csv", strings.NewReader(text+"c,completed,,x,,,1,,,\n")); err == nil || !strings.Contains(err.Error(), "line 4: submit") {
		t.Errorf("a submit that is no number: %v", err)
	}
}

func TestTuneKeepsTheBestOfItsCurve(t *testing.T) {
	kind, err := policy.Find("libra-plus")
	if err != nil {
		t.Fatal(err)
	}
	if !replay.Tunable(kind, "beta") || replay.Tunable(kind, "spare") || replay.Tunable(kind, "nothing") {
		t.Error("what can be tuned is not known")
	}
	tuned, err := (&replay.History{Arrivals: history(), Nodes: 1}).Tune(t.Context(), &experiment.Lab{Workers: 1}, kind, nil, "beta", 0.01, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range tuned.Curve {
		if v.Revenue > tuned.Revenue || i > 0 && v.Value <= tuned.Curve[i-1].Value {
			t.Errorf("%+v in a curve whose best is %v", v, tuned.Revenue)
		}
	}
}

// The processors of a job are a whole number that a cluster can have: 4294967298 of
// them were read as 2.
func TestProcessorsInATable(t *testing.T) {
	for _, procs := range []string{"4294967298", "0", "-1", "1.5", "NaN", "1e300"} {
		text := report.Header + "a,completed,,0,0,100," + procs + ",0,7,1000\n"
		if _, err := replay.ReadTable("t.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "procs") {
			t.Errorf("%s processors: %v", procs, err)
		}
	}
}
