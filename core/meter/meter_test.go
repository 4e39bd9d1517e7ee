package meter_test

import (
	"slices"
	"testing"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/meter"
	"github.com/libra-market/libra/core/task"
)

// Work is by the speed of the node, and what was declined was to be had.
func TestWork(t *testing.T) {
	s := &task.Status{CPUUS: 3_000_000, DeclinedUS: 1_000_000}
	for _, c := range []struct {
		threads int
		speed   float64
		want    market.Work
	}{{1, 1, 4}, {1, 1.5, 6}, {4, 1.5, 1.5}} {
		if got := meter.Work(s, c.threads, c.speed); got != c.want {
			t.Errorf("%d threads at %v: %v, want %v", c.threads, c.speed, got, c.want)
		}
	}
}

func TestObserve(t *testing.T) {
	var m meter.Task
	m.Observe(&task.Status{State: task.Running, CPUUS: 2_000_000}, 1, 2)
	if m.Had != 4 || m.CPUUS != 2_000_000 || m.Status != nil {
		t.Errorf("%+v", m)
	}
	s := &task.Status{State: task.Ended, CPUUS: 3_000_000, Exit: 1}
	m.Observe(s, 1, 2)
	s.Exit = 0
	if m.Had != 6 || m.Status == nil || m.Status.Exit != 1 {
		t.Errorf("%+v", m)
	}
}

func TestObservePart(t *testing.T) {
	const speed = 2
	for _, c := range []struct {
		name string
		says []task.Status
		well bool
		want meter.Task
	}{
		{"with its mandatory part", []task.Status{{State: task.Running, CPUUS: 5e6}}, true, meter.Task{CPUUS: 5e6, Had: 10}},
		{
			"past it: what it declined before counts as work, not as executed", []task.Status{
				{State: task.Running, CPUUS: 6e6, Part: task.OptionalPart, MandatoryCPUUS: 4e6, MandatoryDeclinedUS: 1e6},
			}, true, meter.Task{CPUUS: 6e6, Had: 12, Refining: true, TookUS: 4e6, SparedUS: 1e6, Took: 10, RefinedUS: 2e6},
		},
		{
			"further: what was said first of the mandatory part stands", []task.Status{
				{State: task.Running, CPUUS: 6e6, Part: task.OptionalPart, MandatoryCPUUS: 4e6},
				{State: task.Running, CPUUS: 7e6, Part: task.OptionalPart, MandatoryCPUUS: 1e6},
			}, true, meter.Task{CPUUS: 7e6, Had: 14, Refining: true, TookUS: 4e6, Took: 8, RefinedUS: 3e6},
		},
		{
			"what was cut off at first: it is none of the optional part", []task.Status{
				{State: task.Running, CPUUS: 6e6, Part: task.OptionalPart, MandatoryCPUUS: 6e6},
				{State: task.Running, CPUUS: 9e6, DeclinedUS: 1e6, Part: task.OptionalPart, MandatoryCPUUS: 7e6, MandatoryDeclinedUS: 1e6},
			}, true, meter.Task{CPUUS: 9e6, Had: 20, Refining: true, TookUS: 7e6, SparedUS: 1e6, Took: 16, RefinedUS: 2e6},
		},
		{
			"nothing executed is taken back", []task.Status{
				{State: task.Running, CPUUS: 6e6, Part: task.OptionalPart, MandatoryCPUUS: 4e6},
				{State: task.Running, CPUUS: 5e6, Part: task.OptionalPart},
			}, true, meter.Task{CPUUS: 5e6, Had: 10, Refining: true, TookUS: 4e6, Took: 8, RefinedUS: 2e6},
		},
		{
			"below zero is nothing", []task.Status{
				{State: task.Running, CPUUS: 6e6, Part: task.OptionalPart, MandatoryCPUUS: -4, MandatoryDeclinedUS: -4},
			}, true, meter.Task{CPUUS: 6e6, Had: 12, Refining: true, RefinedUS: 6e6},
		},
	} {
		var m meter.Task
		for i := range c.says {
			m.Observe(&c.says[i], 1, speed)
			m.ObservePart(&c.says[i], speed, c.well, false)
		}
		if m != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, m, c.want)
		}
	}
	for _, c := range []struct {
		exit     int
		well     bool
		refining bool
	}{{0, true, true}, {1, true, false}, {0, false, false}} {
		var m meter.Task
		s := task.Status{State: task.Ended, Exit: c.exit, CPUUS: 5e6}
		m.Observe(&s, 1, speed)
		m.ObservePart(&s, speed, c.well, false)
		if m.Refining != c.refining || m.RefinedUS != 0 || c.refining && (m.Took != 10 || m.TookUS != 5e6) {
			t.Errorf("ended with %d: %+v", c.exit, m)
		}
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		task              meter.Task
		mandatory, worked market.Work
		optional          int64 // of 3 s of processor time at speed 2, at most 5 s of work
	}{
		{meter.Task{Had: 7}, 7, 7, 0},
		{meter.Task{Had: 7, Refining: true, Took: 4}, 4, 7, 5_000},
		{meter.Task{Had: 3, Refining: true, Took: 4}, 3, 3, 5_000},
		{meter.Task{Had: 7, Refining: true, Took: 4, Cut: true, CutMS: 2_500}, 4, 6.5, 2_500},
		{meter.Task{Had: 5, Refining: true, Took: 4, Cut: true, CutMS: 2_500}, 4, 5, 2_500},
		{meter.Task{Had: 7, Cut: true}, 7, 7, 0},
	} {
		if m, w, o := c.task.Mandatory(), c.task.Worked(), c.task.OptionalMS(3_000_000, 2, 5_000); m != c.mandatory || w != c.worked || o != c.optional {
			t.Errorf("%+v: %v, %v, %d", c.task, m, w, o)
		}
	}
	m := meter.Task{Refining: true}
	if got := m.OptionalMS(2_000_000, 2, 5_000); got != 4_000 {
		t.Errorf("2 s at speed 2: %d", got)
	}
	if got := m.OptionalMS(-5, 2, 5_000); got != 0 {
		t.Errorf("less than nothing: %d", got)
	}
	m.CutAt(7)
	if !m.Cut || m.CutMS != 7 {
		t.Errorf("%+v", m)
	}
}

// Where what is declined counts, it does from the optional part on.
func TestWhatAnOptionalPartDeclinesIsExecuted(t *testing.T) {
	said := func(cpu, declined float64) *task.Status {
		return &task.Status{
			State: task.Running, CPUUS: int64(cpu * 1e6), DeclinedUS: int64(declined * 1e6), Part: task.OptionalPart, MandatoryCPUUS: 4e6, MandatoryDeclinedUS: 1e6,
		}
	}
	for granted, want := range map[bool][]int64{false: {1e6, 1e6, 2e6}, true: {1e6, 4e6, 6e6}} {
		var m meter.Task
		for i, s := range []*task.Status{said(5, 1), said(5, 4), said(6, 5)} {
			m.Observe(s, 1, 2)
			m.ObservePart(s, 2, true, granted)
			if m.RefinedUS != want[i] {
				t.Errorf("granted %v, report %d: %+v, want %d", granted, i, m, want[i])
			}
		}
	}
	var m meter.Task
	s := &task.Status{State: task.Ended, CPUUS: 2e6, DeclinedUS: 3e6}
	m.Observe(s, 1, 2)
	m.ObservePart(s, 2, true, true)
	if m.RefinedUS != 0 || !m.Refining {
		t.Errorf("it has executed nothing of its optional part: %+v", m)
	}
}

// Half a percent is news, but not less than 20 ms, and never more than 250.
func TestDiffer(t *testing.T) {
	for _, c := range []struct {
		granted, had, estimate market.Work
		want                   bool
	}{
		{1, 1.015, 1, false},
		{1, 1.025, 1, true},
		{1, 0.975, 1, true},
		{5, 5.04, 10, false},
		{5, 5.0625, 10, true},
		{500, 500.24, 1000, false},
		{500, 500.25, 1000, true},
		{500, 499.75, 1000, true},
	} {
		if got := meter.Differ(c.granted, c.had, c.estimate); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestNews(t *testing.T) {
	two := market.Work(2)
	stand := func(left market.Work) *book.JobStatus {
		return &book.JobStatus{Running: true, Estimate: 10, Left: left}
	}
	refining := &book.JobStatus{Running: true, Estimate: 10, Tasks: []book.TaskStatus{{Proc: 4, Left: 1.5, Refining: true, Took: 6}}}
	for _, c := range []struct {
		name string
		r    meter.Reading
		want bool
	}{
		{"as reckoned", meter.Reading{Had: 4, Before: &meter.Task{Had: 3}, Reckoned: stand(6), Watched: true, Shared: true}, false},
		{"behind", meter.Reading{Had: 3, Before: &meter.Task{Had: 3}, Reckoned: stand(6), Watched: true, Shared: true}, true},
		{"behind where nobody shares", meter.Reading{Had: 3, Before: &meter.Task{Had: 3}, Reckoned: stand(6), Watched: true}, false},
		{"its estimate is used up", meter.Reading{Had: 10, Before: &meter.Task{Had: 9}, Reckoned: stand(0), Watched: true}, true},
		{"that was said", meter.Reading{Had: 11, Before: &meter.Task{Had: 10}, Reckoned: stand(0), Watched: true}, false},
		{"that is nobody's concern", meter.Reading{Had: 10, Before: &meter.Task{Had: 9}, Reckoned: stand(0)}, false},
		{
			"its mandatory part is done", meter.Reading{
				Says: &task.Status{Part: task.OptionalPart}, Had: 4, Before: &meter.Task{Had: 3}, Reckoned: stand(6), Optional: &two,
			}, true,
		},
		{
			"of an optional part 0.5 of 2 was reckoned, and was had", meter.Reading{
				Says: &task.Status{Part: task.OptionalPart}, Had: 6.5, Before: &meter.Task{Had: 6, Took: 6, Refining: true}, Proc: 4, Reckoned: refining, Optional: &two, Shared: true,
			}, false,
		},
		{
			"of an optional part less was had than reckoned", meter.Reading{
				Says: &task.Status{Part: task.OptionalPart}, Had: 6.2, Before: &meter.Task{Had: 6, Took: 6, Refining: true}, Proc: 4, Reckoned: refining, Optional: &two, Shared: true,
			}, true,
		},
		{
			"all of its optional part", meter.Reading{
				Says: &task.Status{Part: task.OptionalPart}, Had: 8, Before: &meter.Task{Had: 7, Took: 6, Refining: true}, Proc: 4, Reckoned: refining, Optional: &two,
			}, true,
		},
		{
			"that was said too", meter.Reading{
				Says: &task.Status{Part: task.OptionalPart}, Had: 9, Before: &meter.Task{Had: 8, Took: 6, Refining: true}, Proc: 4, Reckoned: refining, Optional: &two,
			}, false,
		},
	} {
		if c.r.Says == nil {
			c.r.Says = &task.Status{}
		}
		if got := c.r.News(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestOfAllTasks(t *testing.T) {
	running := func(had market.Work) *meter.Task { return &meter.Task{Had: had} }
	ended := func(had market.Work, s task.Status) *meter.Task { return &meter.Task{Had: had, Status: &s} }
	good, refused := task.Status{State: task.Ended}, task.Status{State: task.Refused}
	gone, leased := task.Status{State: task.Lost}, task.Status{State: task.Ended, Error: task.LeaseRanOut}
	for _, c := range []struct {
		name           string
		tasks          []*meter.Task
		hadAll, hadOne bool // of 10, together and independently
		all, refused   bool
		most, least    market.Work
		going, lost    bool
	}{
		{name: "none has", tasks: []*meter.Task{running(9), running(8)}, least: 8, going: true},
		{name: "one has", tasks: []*meter.Task{running(10), running(8)}, hadOne: true, least: 8, going: true},
		{name: "both have", tasks: []*meter.Task{running(10), running(11)}, hadAll: true, hadOne: true, least: 10, going: true},
		{name: "one is past that", tasks: []*meter.Task{{Had: 12, Took: 3, Refining: true}, running(8)}, least: 3, going: true},
		{name: "one has ended", tasks: []*meter.Task{ended(4, good), running(12)}, hadAll: true, hadOne: true, most: 4, least: 12, going: true},
		{name: "both have ended", tasks: []*meter.Task{ended(4, good), ended(3, refused)}, hadAll: true, all: true, refused: true, most: 4},
		{name: "lost", tasks: []*meter.Task{running(1), ended(3, gone)}, most: 3, least: 1, going: true, lost: true},
		{name: "the lease ran out", tasks: []*meter.Task{ended(3, leased)}, hadAll: true, all: true, most: 3, lost: true},
	} {
		tasks := slices.Values(c.tasks)
		if a, o := meter.HadAll(10, false, tasks), meter.HadAll(10, true, tasks); a != c.hadAll || o != c.hadOne {
			t.Errorf("%s: had all %v, one %v", c.name, a, o)
		}
		if all, refused, most := meter.Ends(tasks); all != c.all || refused != c.refused || most != c.most {
			t.Errorf("%s: all %v, refused %v, most %v", c.name, all, refused, most)
		}
		if least, going := meter.Least(tasks); least != c.least || going != c.going {
			t.Errorf("%s: least %v, going %v", c.name, least, going)
		}
		if lost := meter.Lost(tasks); lost != c.lost {
			t.Errorf("%s: lost %v", c.name, lost)
		}
	}
}
