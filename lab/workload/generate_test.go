package workload

import (
	"bytes"
	"math"
	"testing"
)

func TestBatchesOfTable1(t *testing.T) {
	for _, b := range []Batch{FirstBatch(), SecondBatch()} {
		var lengths, deadlines []float64
		for seed := range uint64(200) {
			arrivals, err := b.Generate(seed)
			if err != nil {
				t.Fatal(err)
			}
			if len(arrivals) != b.Jobs || !Sorted(arrivals) {
				t.Fatalf("seed %d: %d jobs, sorted %v", seed, len(arrivals), Sorted(arrivals))
			}
			rich := 0
			for i := range arrivals {
				a := &arrivals[i]
				mi := math.Round(float64(a.Actual)*b.Rating*1e6) / 1e6
				submit, deadline, budget := float64(a.Job.Submit), float64(a.Job.SLA.Deadline), float64(a.Job.SLA.Budget)
				if mi < 1000 || mi > 10900 || math.Mod(mi, 100) != 0 || submit < 1 || submit > float64(b.LastArrival) ||
					deadline < 1 || deadline > 1200 || budget < 1000 || budget > 12000 ||
					submit != math.Trunc(submit) || deadline != math.Trunc(deadline) || budget != math.Trunc(budget) {
					t.Fatalf("seed %d: %+v", seed, a)
				}
				if err := a.Job.Validate(); err != nil || a.Job.Width != 1 || a.Job.Estimate != a.Actual || a.Number != int64(i)+1 {
					t.Fatalf("seed %d: %+v: %v", seed, a, err)
				}
				if budget > 1000 {
					rich++
				}
				lengths, deadlines = append(lengths, mi), append(deadlines, deadline)
			}
			// One of the drawn budgets may be 1000 too.
			if rich > b.Jobs/5 || rich < b.Jobs/5-2 {
				t.Fatalf("seed %d: %d rich jobs of %d", seed, rich, b.Jobs)
			}
		}
		mean, _ := moments(lengths)
		near(t, "mean length", mean, 5950, 60)
		mean, _ = moments(deadlines)
		near(t, "mean deadline", mean, 600.5, 8)
	}
	b := FirstBatch()
	b.LongestMI = 10
	if _, err := b.Generate(1); err == nil {
		t.Error("a longest job shorter than the shortest")
	}
}

func lublinJobs(t *testing.T, m Lublin, seed uint64) []Arrival {
	t.Helper()
	src, err := m.Source(seed)
	if err != nil {
		t.Fatal(err)
	}
	return load(t, src)
}

func TestLublinIsAWorkload(t *testing.T) {
	m := NewLublin()
	m.Jobs = 100_000
	arrivals := lublinJobs(t, m, 1)
	if len(arrivals) != 100_000 || !Sorted(arrivals) {
		t.Fatalf("%d jobs, sorted %v", len(arrivals), Sorted(arrivals))
	}
	var work, serial, powers, under, round float64
	var hours [24]int
	for i := range arrivals {
		a := &arrivals[i]
		if err := a.Job.Validate(); err != nil {
			t.Fatal(err)
		}
		width := int(a.Job.Width)
		if width > m.Nodes || a.Actual < 1 || float64(a.Actual) != math.Trunc(float64(a.Actual)) || a.Job.Owner == "" {
			t.Fatalf("%+v", a)
		}
		work += float64(a.Actual) * float64(width)
		if width == 1 {
			serial++
		} else if width&(width-1) == 0 {
			powers++
		}
		if a.Job.Estimate < a.Actual {
			under++
		}
		if math.Mod(float64(a.Job.Estimate), 60) == 0 {
			round++
		}
		hours[int(float64(a.Job.Submit)/3600)%24]++
	}
	n := float64(len(arrivals))
	span := float64(arrivals[len(arrivals)-1].Job.Submit - arrivals[0].Job.Submit)
	near(t, "load", work/span/float64(m.Nodes), 0.7, 0.03)
	near(t, "serial share", serial/n, serialShare, 0.01)
	if powers/n < powerShare {
		t.Errorf("powers of two: %v", powers/n)
	}
	near(t, "share of underestimates", under/n, 0.065, 0.02)
	near(t, "share of round estimates", round/n, 1, 0)
	if hours[14] < 2*hours[5] {
		t.Errorf("no daily cycle: %v", hours)
	}
}

func TestLublinGapsAndSeeds(t *testing.T) {
	m := Lublin{Jobs: 50_000, Nodes: 1, MeanGap: 60}
	arrivals := lublinJobs(t, m, 2)
	near(t, "mean gap", float64(arrivals[len(arrivals)-1].Job.Submit)/50_000, 60, 3)
	for i := range arrivals {
		if arrivals[i].Job.Width != 1 || arrivals[i].Job.Owner != "" {
			t.Fatalf("%+v", arrivals[i])
		}
	}
	compare(t, lublinJobs(t, m, 2), arrivals)
	if lublinJobs(t, m, 3)[7] == arrivals[7] {
		t.Error("seeds do not matter")
	}
	for _, wrong := range []Lublin{
		{Jobs: -1, Nodes: 1},
		{Nodes: 0},
		{Nodes: 1, Load: -1},
		{Nodes: 1, Load: 1, MeanGap: 1},
		{Nodes: 1, Load: math.NaN()},
		{Nodes: 1, Underestimates: 2},
		{Nodes: 1, Users: -1},
	} {
		if _, err := wrong.Source(1); err == nil {
			t.Errorf("%+v makes sense", wrong)
		}
	}
	for _, nodes := range []int{2, 3, 4, 100, 93312} {
		for _, a := range lublinJobs(t, Lublin{Jobs: 1000, Nodes: nodes}, 1) {
			if int(a.Job.Width) > nodes {
				t.Fatalf("%d of %d nodes", a.Job.Width, nodes)
			}
		}
	}
}

// A workload written as SWF is the same workload when read again.
func TestLublinSurvivesSWF(t *testing.T) {
	m := NewLublin()
	m.Jobs = 500
	want := lublinJobs(t, m, 1)
	var out bytes.Buffer
	if err := WriteSWF(&out, m.Header(), want); err != nil {
		t.Fatal(err)
	}
	s, err := NewSWF(&out, "written")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, load(t, s), want)
	if s.Header().Processors() != 128 {
		t.Errorf("%d processors", s.Header().Processors())
	}
}

func TestDayCoversTheClock(t *testing.T) {
	d := newDay()
	before := -1.0
	for clock := 0.0; clock < 3*86400; clock += 97 {
		now := d.at(clock)
		if now < before {
			t.Fatalf("time runs back at %v", clock)
		}
		before = now
	}
	near(t, "a day", d.elapsed[halfHours], 86400, 1e-6)
	near(t, "two days", d.at(2*d.elapsed[halfHours]), 2*86400, 1e-6)
}
