package market_test

import (
	"errors"
	"math"
	"testing"

	"github.com/libra-market/libra/core/market"
)

func fine() market.Job {
	return market.Job{Width: 1, Estimate: 10, SLA: market.SLA{Deadline: 20, Budget: 15}}
}

func TestAJobNamesTheFieldThatMakesNoSense(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for field, spoilers := range map[string][]func(*market.Job){
		"":      {func(*market.Job) {}, func(j *market.Job) { j.SLA.Deadline, j.SLA.Budget = market.Never, market.Unlimited }},
		"procs": {func(j *market.Job) { j.Width = 0 }, func(j *market.Job) { j.Width = market.MaxWidth + 1 }},
		"submit": {
			func(j *market.Job) { j.Submit = market.Time(nan) }, func(j *market.Job) { j.Submit = market.Never },
		},
		"estimate": {
			func(j *market.Job) { j.Estimate = -1 }, func(j *market.Job) { j.Estimate = market.Work(nan) },
			func(j *market.Job) { j.Estimate = market.Work(inf) },
		},
		"optional": {func(j *market.Job) { j.Optional = -1 }, func(j *market.Job) { j.Optional = market.Work(nan) }},
		// Neither NaN nor minus infinity is a way to say that there is none.
		"deadline": {
			func(j *market.Job) { j.SLA.Deadline = -1 }, func(j *market.Job) { j.SLA.Deadline = market.Time(nan) },
			func(j *market.Job) { j.SLA.Deadline = market.Time(-inf) }, func(j *market.Job) { j.SLA.Deadline = 1e16 },
		},
		"budget": {
			func(j *market.Job) { j.SLA.Budget = -1 }, func(j *market.Job) { j.SLA.Budget = market.Price(nan) },
			func(j *market.Job) { j.SLA.Budget = market.Price(-inf) },
		},
		"penalty_rate": {
			func(j *market.Job) { j.SLA.Penalty = -1 }, func(j *market.Job) { j.SLA.Penalty = market.Price(nan) },
			func(j *market.Job) { j.SLA.Penalty = market.Unlimited },
		},
		"memory_mb": {func(j *market.Job) { j.Memory = -1 }},
		"disk_mb":   {func(j *market.Job) { j.Disk = -1 }},
	} {
		for i, spoil := range spoilers {
			j := fine()
			spoil(&j)
			checkField(t, j.Validate(), field, i)
		}
	}
}

func TestANodeNamesTheFieldThatMakesNoSense(t *testing.T) {
	nan := math.NaN()
	for field, spoilers := range map[string][]func(*market.Node){
		"":           {func(*market.Node) {}},
		"processors": {func(n *market.Node) { n.Processors = 0 }, func(n *market.Node) { n.Processors = market.MaxWidth + 1 }},
		"rating": {
			func(n *market.Node) { n.Rating = 0 }, func(n *market.Node) { n.Rating = nan }, func(n *market.Node) { n.Rating = math.Inf(1) },
		},
		"memory_mb":       {func(n *market.Node) { n.Memory = -1 }},
		"disk_mb":         {func(n *market.Node) { n.Disk = -1 }},
		"processor_price": {func(n *market.Node) { n.Base.Processor = -1 }, func(n *market.Node) { n.Base.Processor = market.Price(nan) }},
		"memory_price":    {func(n *market.Node) { n.Base.Memory = market.Unlimited }},
		"disk_price":      {func(n *market.Node) { n.Base.Disk = -1 }},
	} {
		for i, spoil := range spoilers {
			n := market.Plain()
			spoil(&n)
			checkField(t, n.Validate(), field, i)
		}
	}
}

func checkField(t *testing.T, err error, field string, i int) {
	t.Helper()
	var wrong *market.FieldError
	switch {
	case field == "" && err != nil:
		t.Errorf("case %d makes sense and is refused: %v", i, err)
	case field != "" && (!errors.As(err, &wrong) || wrong.Field != field):
		t.Errorf("%s, case %d: %v", field, i, err)
	}
}

// Equation (1) of 001: nothing is taken off before the deadline, the penalty
// for each second after it, without a floor.
func TestUtilityFallsWithDelay(t *testing.T) {
	j := market.Job{Submit: 100, SLA: market.SLA{Deadline: 20, Budget: 50, Penalty: 4}}
	for finish, want := range map[market.Time]market.Price{110: 50, 120: 50, 121: 46, 140: -30} {
		if got := j.Utility(finish); got != want {
			t.Errorf("finished at %v: %v, want %v", finish, got, want)
		}
	}
	j.SLA.Deadline = market.Never
	if got := j.Utility(1e9); got != 50 {
		t.Errorf("without a deadline: %v, want 50", got)
	}
}

func TestObjectivesAreReadAsWritten(t *testing.T) {
	for _, w := range []market.Objective{market.NoObjective, market.Cheapest, market.Fastest} {
		if got, err := market.ParseObjective(w.String()); err != nil || got != w {
			t.Errorf("%q is read as %v, %v", w, got, err)
		}
	}
	if _, err := market.ParseObjective("best"); err == nil {
		t.Error("an unknown wish is granted")
	}
}

// Names are what logs and tables show: every kind and reason has its own.
func TestEveryKindAndReasonHasAName(t *testing.T) {
	seen := map[string]bool{}
	for k := market.Submitted; k <= market.Wake; k++ {
		if name := k.String(); name == "" || seen[name] {
			t.Errorf("kind %d is called %q", k, name)
		} else {
			seen[name] = true
		}
		if k.Input() != (k <= market.Woken) {
			t.Errorf("%s comes from the wrong side", k)
		}
	}
	clear(seen)
	for r := market.CannotMeetResources; r <= market.NotFirm; r++ {
		if name := r.String(); name == "" || seen[name] {
			t.Errorf("reason %d is called %q", r, name)
		} else {
			seen[name] = true
		}
	}
}
