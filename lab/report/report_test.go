package report_test

import (
	"encoding/csv"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/report"
)

// story is a stream of records by hand.
type story struct {
	see  []func(*market.Record)
	jobs map[market.JobID]*market.Job
	seq  int64
}

func (s *story) tell(at market.Time, e market.Event) {
	e.Spec = s.jobs[e.Job]
	for _, see := range s.see {
		see(&market.Record{Seq: s.seq, At: at, Event: &e})
	}
	s.seq++
}

func (s *story) submit(at market.Time, j market.Job) {
	j.Submit = at
	if s.jobs == nil {
		s.jobs = map[market.JobID]*market.Job{}
	}
	s.jobs[j.ID] = &j
	s.tell(at, market.Event{Kind: market.Submitted, Job: j.ID})
}

func (s *story) accept(at market.Time, id market.JobID, price market.Price, procs ...int) {
	s.tell(at, market.Event{Kind: market.Accepted, Job: id, Price: price, Start: at, Procs: market.ProcsOf(procs...)})
}

func (s *story) complete(start, at market.Time, id market.JobID, work market.Work, price market.Price) {
	s.tell(at, market.Event{Kind: market.Completed, Job: id, Start: start, Finish: at, Work: work, Price: price})
}

// Rows leave in the order of submission, each as soon as no earlier job is
// open, whatever the order in which jobs end.
func TestRowsLeaveInTheOrderOfSubmission(t *testing.T) {
	var left []string
	table := report.NewTable(nil, func(r *report.Row) error { left = append(left, r.Label); return nil })
	s := &story{see: []func(*market.Record){table.See}}
	for id, name := range []string{"a", "b", "c", "d"} {
		s.submit(0, market.Job{ID: market.JobID(id), Name: name, Width: 1})
		s.accept(0, market.JobID(id), 1, 0)
	}
	for _, c := range []struct {
		id   market.JobID
		want string
	}{{1, ""}, {0, "a b"}, {3, "a b"}} {
		s.complete(0, 10, c.id, 10, 1)
		if got := strings.Join(left, " "); got != c.want {
			t.Errorf("after job %d: %q, want %q", c.id, got, c.want)
		}
	}
	if err := table.Close(); err != nil || strings.Join(left, " ") != "a b c d" {
		t.Errorf("in the end: %q, %v", left, err)
	}
}

// Every outcome has its row: what is not known is empty.
func TestRowsOfEveryOutcome(t *testing.T) {
	var text []byte
	table := report.NewTable(func(proc int) int { return proc / 2 }, func(r *report.Row) error {
		text = r.AppendCSV(text)
		return nil
	})
	s := &story{see: []func(*market.Record){table.See}}
	sla := market.SLA{Deadline: 20, Budget: 15, Penalty: 2}
	s.submit(0, market.Job{ID: 0, Name: "in time", Width: 3, SLA: sla})
	s.accept(0, 0, 10.5, 0, 1, 2) // two processors of node 0, one of node 1
	s.complete(0, 20, 0, 10, 10.5)

	s.submit(1, market.Job{ID: 1, Name: "late", Width: 1, SLA: sla})
	s.tell(1, market.Event{Kind: market.Queued, Job: 1, Price: 10})
	s.tell(2.25, market.Event{Kind: market.Granted, Job: 1, Start: 2.25, Procs: market.ProcsOf(5)})
	s.complete(2.25, 22, 1, 19.75, 10) // due at 21: 15 - 2

	s.submit(2, market.Job{ID: 2, Name: "refused", Width: 1, SLA: sla})
	s.tell(2, market.Event{Kind: market.Rejected, Job: 2, Reason: market.CannotMeetBudget, Start: market.Never})

	s.submit(3, market.Job{ID: 3, Name: "dropped", Width: 1, SLA: sla})
	s.tell(3, market.Event{Kind: market.Queued, Job: 3, Price: 10})
	s.tell(9, market.Event{Kind: market.Rejected, Job: 3, Reason: market.CannotMeetDeadline, Start: market.Never})

	s.submit(4, market.Job{ID: 4, Name: "no budget", Width: 1, SLA: market.SLA{Deadline: 20, Budget: market.Unlimited}})
	s.accept(4, 4, 1, 0)
	s.complete(4, 5, 4, 1, 1)

	s.submit(5, market.Job{ID: 5, Name: `a "name", quoted`, Width: 1, SLA: sla})
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	want := `in time,completed,,0,0,20,3,0;1,10.500000,15
late,completed,,1,2.250000,22,1,2,10,13
refused,rejected,cannot_meet_budget,2,,,1,,,
dropped,rejected,cannot_meet_deadline,3,,,1,,,
no budget,completed,,4,4,5,1,0,1,
"a ""name"", quoted",unfinished,,5,,,1,,,
`
	if string(text) != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
	lines, err := csv.NewReader(strings.NewReader(report.Header + string(text))).ReadAll()
	if err != nil || len(lines) != 7 {
		t.Errorf("it is no CSV: %d lines, %v", len(lines), err)
	}
}

// A job that lost its node and started again is shown where it ended.
func TestARowForgetsTheNodeThatWasLost(t *testing.T) {
	var row report.Row
	table := report.NewTable(nil, func(r *report.Row) error { row = *r; return nil })
	s := &story{see: []func(*market.Record){table.See}}
	s.submit(0, market.Job{Width: 1})
	s.accept(0, 0, 10, 3)
	s.tell(5, market.Event{Kind: market.Evicted})
	s.accept(5, 0, 10, 7)
	s.complete(5, 15, 0, 10, 10)
	if err := table.Close(); err != nil || !slices.Equal(row.Nodes, []int32{7}) || row.Start != 5 || row.Finish != 15 {
		t.Errorf("%+v, %v", row, err)
	}
}

// The first error of whoever takes the rows is the table's, and the last row it
// bothers him with.
func TestATableStopsAtTheFirstError(t *testing.T) {
	full, rows := errors.New("disk full"), 0
	table := report.NewTable(nil, func(*report.Row) error { rows++; return full })
	s := &story{see: []func(*market.Record){table.See}}
	for id := range market.JobID(3) {
		s.submit(0, market.Job{ID: id, Width: 1})
	}
	if err := table.Close(); !errors.Is(err, full) || rows != 1 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// Numbers are read as they were written, with six decimals at least where they
// are not whole, never with an exponent or a minus before nothing.
func TestNumbersInCSV(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "0"},
		{10, "10"},
		{1e21, "1000000000000000000000"},
		{2.5, "2.500000"},
		{-2.5, "-2.500000"},
		{1.0 / 3, "0.3333333333333333"},
		{1e-7, "0.0000001"},
		{12.345678, "12.345678"},
	} {
		r := report.Row{Finish: market.Time(c.x), Start: market.Never}
		line := string(r.AppendCSV(nil))
		if got := strings.Split(line, ",")[5]; got != c.want {
			t.Errorf("%v is written %s, want %s", c.x, got, c.want)
		}
	}
}

// Five jobs on two processors, by hand (000, (7) and (8); 001, (1)).
//
//	a  submit 0, runs 0-10 at full speed on 2, due 20, budget 15, cost 10.5
//	b  submit 2, runs 10-14, due 12: 2 late, penalty 3: utility 20-6 = 14
//	c  submit 4, refused
//	d  submit 5, runs 5-20 with 5 s of work, in time, cost 30 > budget 25
//	e  submit 6, no budget, runs 6-8, in time, cost 2
func TestSummaryByHand(t *testing.T) {
	sum := report.NewSummary("libra", 2)
	s := &story{see: []func(*market.Record){sum.See}}
	s.submit(0, market.Job{ID: 0, Width: 2, SLA: market.SLA{Deadline: 20, Budget: 15}})
	s.submit(2, market.Job{ID: 1, Width: 1, SLA: market.SLA{Deadline: 10, Budget: 20, Penalty: 3}})
	s.submit(4, market.Job{ID: 2, Width: 1, SLA: market.SLA{Deadline: 10, Budget: 40}})
	s.tell(4, market.Event{Kind: market.Rejected, Job: 2, Reason: market.CannotMeetDeadline})
	s.submit(5, market.Job{ID: 3, Width: 1, SLA: market.SLA{Deadline: 20, Budget: 25}})
	s.submit(6, market.Job{ID: 4, Width: 1, SLA: market.SLA{Deadline: 20, Budget: market.Unlimited}})
	s.complete(6, 8, 4, 2, 2)
	s.complete(0, 10, 0, 10, 10.5)
	s.complete(10, 14, 1, 4, 4)
	s.complete(5, 20, 3, 5, 30)
	sum.Close()

	if sum.Jobs != 5 || sum.Accepted != 4 || sum.Rejected != 1 || sum.Completed != 4 || sum.MetDeadline != 3 || sum.Events != 10 {
		t.Errorf("counts: %+v", sum)
	}
	if len(sum.Reasons) != 1 || sum.Reasons["cannot_meet_deadline"] != 1 {
		t.Errorf("reasons: %v", sum.Reasons)
	}
	for name, x := range map[string][2]float64{
		"revenue: a and e, in time and within budget":     {sum.Revenue, 10.5 + 2},
		"qos: a and e of five":                            {sum.QoSSatisfaction, 2.0 / 5},
		"profitability: of the budgets 15, 20, 40 and 25": {sum.Profitability, 12.5 / 100},
		"utility: 15 of a, 14 of b, 25 of d":              {sum.Utility, 54},
		"makespan: 0 to 20":                               {sum.Makespan, 20},
		"utilization: 2*10 + 4 + 5 + 2 of 2*20":           {sum.Utilization, 31.0 / 40},
		"mean wait: b waited 8, the others not":           {sum.MeanWait, 2},
		"mean slowdown: a 10/10, b 12/4, d 15/5, e 2/2":   {sum.MeanSlowdown, (1 + 3 + 3 + 1) / 4.0},
	} {
		if math.Abs(x[0]-x[1]) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, x[0], x[1])
		}
	}
}

// A run without jobs, or without an end, divides by nothing.
func TestSummaryOfNothing(t *testing.T) {
	for _, submits := range []int{0, 1} {
		sum := report.NewSummary("fifo", 2)
		s := &story{see: []func(*market.Record){sum.See}}
		for id := range market.JobID(submits) {
			s.submit(3, market.Job{ID: id, Width: 1, SLA: market.SLA{Deadline: 10}})
		}
		sum.Close()
		for _, x := range []float64{
			sum.QoSSatisfaction, sum.Profitability, sum.Makespan, sum.Utilization, sum.MeanWait, sum.MeanSlowdown, sum.Revenue,
		} {
			if x != 0 {
				t.Errorf("%d jobs: %+v", submits, sum)
				break
			}
		}
	}
}

// A job that is done exactly at its deadline is in time, and one that costs
// exactly its budget within it; rounding does not change that.
func TestSummaryAllowsForRounding(t *testing.T) {
	sum := report.NewSummary("libra", 1)
	s := &story{see: []func(*market.Record){sum.See}}
	s.submit(0, market.Job{Width: 1, SLA: market.SLA{Deadline: 10, Budget: 5}})
	s.complete(0, 10+5e-7, 0, 10, 5*(1+1e-12))
	sum.Close()
	if sum.MetDeadline != 1 || sum.QoSSatisfaction != 1 {
		t.Errorf("%+v", sum)
	}
}

// A reservation is a job like any other, which begins when it is confirmed; one
// that is given back has no start.
func TestReservationsCountFromTheirConfirmation(t *testing.T) {
	var rows []report.Row
	table := report.NewTable(nil, func(r *report.Row) error { rows = append(rows, *r); return nil })
	summary := report.NewSummary("libra", 1)
	s := &story{see: []func(*market.Record){table.See, summary.See}, jobs: map[market.JobID]*market.Job{}}
	for id := range market.JobID(2) {
		s.jobs[id] = &market.Job{ID: id, Width: 1, SLA: market.SLA{Deadline: 10, Budget: 20}}
		s.tell(0, market.Event{Kind: market.Reserved, Job: id})
		s.tell(0, market.Event{Kind: market.Accepted, Job: id, Price: 5, Start: market.Never, Procs: market.ProcsOf(0)})
	}
	s.jobs[0].Submit = 7
	s.tell(7, market.Event{Kind: market.Confirmed, Job: 0})
	s.tell(7, market.Event{Kind: market.Accepted, Job: 0, Price: 5, Start: 7, Procs: market.ProcsOf(0)})
	s.tell(8, market.Event{Kind: market.Prolonged, Job: 0, Price: 2, Work: 9})
	s.tell(9, market.Event{Kind: market.Stopped, Reason: market.ByUser, Job: 1, Start: market.Never})
	s.complete(7, 17, 0, 9, 5)
	summary.Close()
	if r := rows[0]; r.Submit != 7 || r.Start != 7 || r.Finish != 17 || r.Cost != 5 || r.Outcome != report.Completed {
		t.Errorf("confirmed: %+v", r)
	}
	if r := rows[1]; r.Start.Finite() || r.Outcome != report.Unfinished || r.Reason != market.ByUser {
		t.Errorf("given back: %+v", r)
	}
	if summary.Jobs != 2 || summary.MetDeadline != 1 || summary.MeanWait != 0 {
		t.Errorf("%+v", summary)
	}
}

// A job whose price has no limit counts as free, and the record that says so
// stays as it is: it belongs to whoever shows it.
func TestSummaryTakesAPriceWithoutLimitAsFree(t *testing.T) {
	sum := report.NewSummary("libra-sla", 1)
	s := &story{see: []func(*market.Record){sum.See, func(r *market.Record) {
		if r.Kind == market.Completed && (r.Price.Limited() || report.Paid(r) != 0 || !report.Satisfied(r)) {
			t.Errorf("shown %v", r.Price)
		}
	}}}
	s.submit(0, market.Job{Width: 1, SLA: market.SLA{Deadline: 10, Budget: market.Unlimited}})
	s.complete(0, 10, 0, 10, market.Unlimited)
	sum.Close()
	if sum.QoSSatisfaction != 1 || sum.Revenue != 0 || sum.Earned != 0 {
		t.Errorf("%+v", sum)
	}
}
