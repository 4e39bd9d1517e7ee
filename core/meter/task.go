package meter

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// Task is what was measured of a task on one processor.
type Task struct {
	Status *task.Status `json:"status,omitempty"` // once it has ended
	Told   bool         `json:"told,omitempty"`   // and the core knows
	CPUUS  int64        `json:"cpu_us"`
	Had    market.Work  `json:"had"` // on this processor

	// Of a job with an optional part.
	Refining  bool        `json:"refining,omitempty"`   // its mandatory part is done
	Known     bool        `json:"known,omitempty"`      // and the core knows
	Took      market.Work `json:"took,omitempty"`       // had until then
	TookUS    int64       `json:"took_us,omitempty"`    // of processor time
	SparedUS  int64       `json:"spared_us,omitempty"`  // and declined
	DoneUS    int64       `json:"done_us,omitempty"`    // when, as its node says; 0: it does not
	RefinedUS int64       `json:"refined_us,omitempty"` // processor time since then, with what it declined where that counts
	Cut       bool        `json:"cut,omitempty"`        // it was told to end,
	CutMS     int64       `json:"cut_ms,omitempty"`     // with so much of the optional part done
}

// Work is what each processor of a program has had, by what the program used or
// declined, where a whole processor does so much work a second.
func Work(s *task.Status, threads int, speed float64) market.Work {
	return market.Work(float64(s.CPUUS+s.DeclinedUS) / float64(threads) / 1e6 * speed)
}

// Observe notes what an agent says of a task.
func (t *Task) Observe(s *task.Status, threads int, speed float64) {
	t.CPUUS, t.Had = s.CPUUS, Work(s, threads, speed)
	if s.State.Final() {
		ended := *s
		t.Status = &ended
	}
}

// ObservePart notes what an agent says of the parts of a task that has two; well
// says that it may end with nothing to add, and has then done what it must; granted,
// that what it declines counts as executed. Money is reckoned from what it notes.
func (t *Task) ObservePart(s *task.Status, speed float64, well, granted bool) {
	switch {
	case t.Refining && s.Part == task.OptionalPart:
		t.took(s, speed)
	case t.Refining:
	case s.Part == task.OptionalPart:
		t.Refining, t.DoneUS = true, s.MandatoryUS
		t.took(s, speed)
	case s.Good() && well:
		t.Refining, t.TookUS, t.SparedUS, t.Took = true, s.CPUUS, s.DeclinedUS, t.Had
		t.DoneUS = s.EndedUS
	default:
		return
	}
	t.RefinedUS = max(t.RefinedUS, s.CPUUS-t.TookUS)
	if granted {
		t.RefinedUS = max(t.RefinedUS, t.Since(s.CPUUS+s.DeclinedUS))
	}
}

// took notes what the mandatory part had. Who was cut off in time when that was said
// first (task.Status.Cut) has more of both parts as the rest becomes believable: what
// is of the mandatory part by the node's own word is none of the optional one. It never
// becomes less, or a node could sell a part for the other.
func (t *Task) took(s *task.Status, speed float64) {
	t.TookUS, t.SparedUS = max(t.TookUS, s.MandatoryCPUUS), max(t.SparedUS, s.MandatoryDeclinedUS)
	t.Took = market.Work(float64(t.TookUS+t.SparedUS) / 1e6 * speed)
}

// Since is what was had since the mandatory part was done, of so much processor time
// that was used or declined in all.
func (t *Task) Since(allUS int64) int64 { return max(0, allUS-t.TookUS-t.SparedUS) }

// CutAt notes that a task is told to end, with so much of its optional part done:
// what it does to wind up is not paid for.
func (t *Task) CutAt(ms int64) { t.Cut, t.CutMS = true, ms }

// Mandatory is what a task has had of its mandatory part.
func (t *Task) Mandatory() market.Work {
	if t.Refining {
		return min(t.Had, t.Took)
	}
	return t.Had
}

// Worked is what the core hears that a task has had when it ended: no more than
// is paid for.
func (t *Task) Worked() market.Work {
	if t.Refining && t.Cut {
		return min(t.Had, t.Took+market.Work(float64(t.CutMS)/1e3))
	}
	return t.Had
}

// OptionalMS is how much of its optional part a task has executed that used so
// much processor time since its mandatory part was done: at most so much.
func (t *Task) OptionalMS(usedUS int64, speed float64, mostMS int64) int64 {
	if !t.Refining {
		return 0
	}
	done := min(int64(float64(usedUS)/1e3*speed), mostMS)
	if t.Cut {
		done = min(done, t.CutMS)
	}
	return max(0, done)
}
