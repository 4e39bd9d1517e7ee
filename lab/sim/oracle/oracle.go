package oracle

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Job is one line of a workload. Deadline is a period counted from Submit.
type Job struct {
	Submit, Runtime, Estimate float64
	Procs                     int
	Deadline                  float64 // +Inf: none
	Budget                    float64 // +Inf: unlimited
	Penalty                   float64 // per second late
	Soft                      bool
	GPUs                      int // on each node it holds, as long as it runs
}

func (j Job) due() float64 { return j.Submit + j.Deadline }

// Row is one line of the job table. NaN stands for an empty cell.
type Row struct {
	Outcome, Reason              string
	Start, Finish, Cost, Utility float64
	Nodes                        []int // ascending
}

// Options choose the policy. Set holds what `--set name=value` would.
type Options struct {
	Nodes  int
	Policy string
	Set    map[string]string

	// GPUs are those of each node, which cost so much a second each; nil: none has any.
	// Of the queues fifo alone knows them.
	GPUs    []int
	GPURate float64

	// TimeOnly is another reading of "times and work 1e-6" for the time-shared
	// policies: see spent. A test may let a fast implementation match either.
	TimeOnly bool
}

// Policies are the names Run knows.
var Policies = []string{
	"fifo", "fcfs-bf", "sjf-bf", "edf-bf", "libra", "libra-plus", "libra-sla",
	"first-price", "first-reward", "bid-share", "qops", "make-way",
}

const (
	completed = "completed"
	rejected  = "rejected"

	noResources = "cannot_meet_resources"
	noDeadline  = "cannot_meet_deadline"
	noBudget    = "cannot_meet_budget"
	notWorthIt  = "not_worth_it"
)

// Run plays the jobs (sorted by submit time) under a policy until the last one
// has left, and returns one row per job, in input order.
func Run(jobs []Job, o Options) ([]Row, error) {
	if err := check(jobs, o); err != nil {
		return nil, err
	}
	rows := make([]Row, len(jobs))
	for i := range rows {
		nan := math.NaN()
		rows[i] = Row{Start: nan, Finish: nan, Cost: nan, Utility: nan}
	}
	if o.GPUs != nil {
		return sellGPUs(jobs, rows, o)
	}
	return rows, play(jobs, rows, o)
}

// play fills the rows of jobs, GPUs not being paid for.
func play(jobs []Job, rows []Row, o Options) error {
	set := settings{values: o.Set}
	var play func()
	switch o.Policy {
	case "fifo", "fcfs-bf", "sjf-bf", "edf-bf":
		s := &spaceShared{jobs: jobs, rows: rows, nodes: o.Nodes, gpus: o.GPUs, policy: o.Policy}
		s.pbase = set.number("pbase", 1)
		if o.Policy != "fifo" {
			s.lapsed = set.word("late", "", "lapsed") == "lapsed"
		}
		play = s.run
	case "libra", "libra-plus":
		l := &libra{jobs: jobs, rows: rows, nodes: o.Nodes, gpus: o.GPUs, plus: o.Policy == "libra-plus", timeOnly: o.TimeOnly}
		l.spareNone = set.word("spare", "proportional", "none") == "none"
		l.touched = set.word("replan", "cluster", "touched") == "touched"
		l.current = set.word("commitment", "claim", "current") == "current"
		if l.plus {
			l.alpha, l.beta, l.pbase = set.number("alpha", 1), set.number("beta", 0.1), set.number("pbase", 1)
		} else {
			l.gamma, l.delta = set.number("gamma", 1), set.number("delta", 1)
		}
		l.leastLoaded = set.word("fit", "best", "least-loaded") == "least-loaded"
		play = l.run
	case "libra-sla":
		s := &librasla{jobs: jobs, rows: rows, tasks: make([][]task, o.Nodes), open: make([]int, len(jobs)), timeOnly: o.TimeOnly}
		play = s.run
	case "first-price":
		play = newFirstPrice(&spaceShared{jobs: jobs, rows: rows, nodes: o.Nodes}).run
	case "first-reward":
		f := newFirstReward(&spaceShared{jobs: jobs, rows: rows, nodes: o.Nodes})
		f.discount, f.alpha, f.slack = set.number("discount", 0.01), set.number("alpha", 0.5), set.number("slack", 0)
		play = f.run
	case "bid-share":
		play = (&bidShare{jobs: jobs, rows: rows, nodes: o.Nodes, bid: set.number("bid", 1), timeOnly: o.TimeOnly}).run
	case "make-way":
		m := &makeWay{jobs: jobs, rows: rows, nodes: o.Nodes, timeOnly: o.TimeOnly}
		m.margin, m.press, m.lean, m.bid = set.number("margin", 1.1), set.number("press", 0.7), set.number("lean", 0.2), set.number("bid", 1)
		m.reserve, m.follow, m.urgency = set.number("reserve", 0), set.number("follow", 0), set.number("urgency", 1)
		m.further = set.number("further", 0)
		m.posted = set.word("price", "bid", "posted") == "posted"
		m.each = set.word("per", "job", "processor") == "processor"
		play = m.run
	case "qops":
		q := newQoPS(&spaceShared{jobs: jobs, rows: rows, nodes: o.Nodes, pbase: set.number("pbase", 1)})
		q.slack = set.number("slack", 0)
		play = q.run
	}
	if err := set.err(); err != nil {
		return err
	}
	play()
	return nil
}

// check refuses what the text does not cover.
func check(jobs []Job, o Options) error {
	if !slices.Contains(Policies, o.Policy) {
		return fmt.Errorf("oracle: unknown policy %q", o.Policy)
	}
	if o.Nodes < 1 {
		return errors.New("oracle: no nodes")
	}
	if o.GPUs != nil && (len(o.GPUs) != o.Nodes || !slices.Contains([]string{"fifo", "libra", "libra-plus"}, o.Policy)) {
		return errors.New("oracle: GPUs of other nodes, or under another policy")
	}
	timeShared := slices.Contains([]string{"libra", "libra-plus", "libra-sla"}, o.Policy)
	for i, j := range jobs {
		bad := func(why string) error { return fmt.Errorf("oracle: job %d: %s", i, why) }
		switch {
		case i > 0 && j.Submit < jobs[i-1].Submit:
			return bad("not sorted by submit time")
		case !(j.Runtime >= 0) || !(j.Estimate >= 0) || j.Procs < 1 || math.IsInf(j.Runtime+j.Estimate, 0):
			return bad("runtime, estimate or procs out of range")
		case j.GPUs < 0 || j.GPUs > 0 && o.GPUs == nil:
			return bad("GPUs out of range, or nobody said who has any")
		case math.IsNaN(j.Deadline) || math.IsNaN(j.Budget) || math.IsNaN(j.Penalty) || math.IsNaN(j.Submit):
			return bad("not a number")
		case timeShared && (math.IsInf(j.Deadline, 0) || j.Deadline <= 0):
			return bad("a time-shared policy needs a deadline after the submit time")
		case o.Policy == "libra-sla" && (math.IsInf(j.Budget, 0) || j.Runtime <= 0):
			return bad("libra-sla divides by the runtime and needs a budget")
		}
	}
	return nil
}

// reject fills a row of a job that never ran: everything else stays empty.
func reject(r *Row, reason string) { r.Outcome, r.Reason = rejected, reason }

// utility is equation (1) of 001; NaN (empty) if the budget is unlimited.
func utility(j Job, finish float64) float64 {
	if math.IsInf(j.Budget, 1) {
		return math.NaN()
	}
	return j.Budget - math.Max(0, finish-j.due())*j.Penalty
}

// ---- Conventions: comparisons allow for rounding ----

const (
	shareSlack  = 1e-9 // absolute
	timeSlack   = 1e-6 // absolute; work too
	moneySlack  = 1e-9 // relative
	returnSlack = 1e-12
)

// sameOrBefore: times within 1e-6 are the same instant, so a job that ends
// exactly at its deadline is in time.
func sameOrBefore(a, b float64) bool { return a <= b+timeSlack }

// spent reports whether work of which `left` remains now, advancing at rate, is
// done at instant t: if it ends within 1e-6 s of t or if no more than 1e-6 of
// it remains then.
//
// Reading: the second half is what "work 1e-6" can mean. It matters rarely, but
// it does: on an over-committed node a job close to its end needs, and so gets,
// less and less; at a rate of 1e-6 the last 1e-6 of work takes a second.
// timeOnly leaves the second half out.
func spent(left, rate, now, t float64, timeOnly bool) bool {
	if rate > 0 && sameOrBefore(now+left/rate, t) {
		return true
	}
	return !timeOnly && left-rate*(t-now) <= timeSlack
}

// fits: three shares of a third make one processor.
func fits(share float64) bool { return share <= 1+shareSlack }

// affordable: a cost equal to the budget is.
func affordable(cost, budget float64) bool {
	return cost <= budget || cost-budget <= moneySlack*math.Max(math.Abs(cost), math.Abs(budget))
}

// Ranking keys are compared after rounding, so that equal means equal.
func round9(share float64) float64 { return math.Round(share*1e9) / 1e9 }
func round6(time float64) float64  { return math.Round(time*1e6) / 1e6 }
func round12(ret float64) float64 {
	x, _ := strconv.ParseFloat(strconv.FormatFloat(ret, 'e', 11, 64), 64) // 1 + 11 digits
	return x
}

// settings reads Options.Set and remembers what nobody asked for.
type settings struct {
	values map[string]string
	asked  []string
	wrong  []error
}

func (s *settings) number(name string, usual float64) float64 {
	s.asked = append(s.asked, name)
	text, ok := s.values[name]
	if !ok {
		return usual
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		s.wrong = append(s.wrong, fmt.Errorf("oracle: %s: %w", name, err))
	}
	return x
}

func (s *settings) word(name, usual, other string) string {
	s.asked = append(s.asked, name)
	text, ok := s.values[name]
	if !ok {
		return usual
	}
	if text != usual && text != other {
		s.wrong = append(s.wrong, fmt.Errorf("oracle: %s=%q: want %q or %q", name, text, usual, other))
	}
	return text
}

func (s *settings) err() error {
	for name := range s.values {
		if !slices.Contains(s.asked, name) {
			s.wrong = append(s.wrong, fmt.Errorf("oracle: this policy has no setting %q", name))
		}
	}
	return errors.Join(s.wrong...)
}
