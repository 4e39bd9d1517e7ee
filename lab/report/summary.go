package report

import (
	"github.com/libra-market/libra/core/bound"
	"github.com/libra-market/libra/core/market"
)

// Summary is the result of a run in numbers. It is a fold: show it every
// record, then read it.
type Summary struct {
	Policy          string  `json:"policy"`
	Jobs            int64   `json:"jobs"`
	Accepted        int64   `json:"accepted"`
	Rejected        int64   `json:"rejected"`
	Completed       int64   `json:"completed"`
	Expired         int64   `json:"expired"`
	MetDeadline     int64   `json:"met_deadline"`
	QoSSatisfaction float64 `json:"qos_satisfaction"`
	Profitability   float64 `json:"profitability"`
	Utility         float64 `json:"utility"`
	Revenue         float64 `json:"revenue"`
	Earned          float64 `json:"earned"` // all costs, of late jobs and of expired ones too
	Makespan        float64 `json:"makespan"`
	Utilization     float64 `json:"utilization"`
	MeanWait        float64 `json:"mean_wait"`
	MeanSlowdown    float64 `json:"mean_slowdown"`
	Events          int64   `json:"events"`
	WallSeconds     float64 `json:"wall_seconds"`
	JobsPerSecond   float64 `json:"jobs_per_second"`

	// Reasons counts the refusals by reason.
	Reasons map[string]int64 `json:"reasons"`
	// Bound is what no policy could exceed, where somebody asked for it.
	Bound *bound.Limits `json:"bound,omitempty"`
	// Dealt is how jobs were spread over several clusters, where there were several.
	Dealt *Dealt `json:"dealt,omitempty"`

	// What the papers' claims ask for beside the table.
	HardLate   int64   `json:"-"` // jobs with a hard deadline that missed it
	OverBudget int64   `json:"-"` // jobs that cost more than their budget
	UnitPrices float64 `json:"-"` // sum of cost over estimate of completed jobs

	processors   int
	satisfied    int64
	budgets      float64
	work         float64
	waits        float64
	slowdowns    float64
	firstSubmit  market.Time
	lastFinish   market.Time
	reasonCounts [1 << 8]int64
}

// Dealt is how the jobs of a run were spread over several clusters.
type Dealt struct {
	Clusters  int    `json:"clusters"`
	Wish      string `json:"wish"`
	Asked     int64  `json:"asked"`     // quotes that were asked for
	Forwarded int64  `json:"forwarded"` // jobs that were taken after at least one cluster had refused
	Fewest    int64  `json:"fewest"`    // jobs at the cluster that took fewest
	Most      int64  `json:"most"`
}

// NewSummary begins the summary of a run on so many processors.
func NewSummary(policy string, processors int) *Summary {
	return &Summary{Policy: policy, processors: processors, firstSubmit: market.Never, lastFinish: -market.Never}
}

// See takes in a record.
func (s *Summary) See(r *market.Record) {
	s.Events++
	switch r.Kind {
	case market.Submitted, market.Reserved:
		s.Jobs++
		s.firstSubmit = min(s.firstSubmit, r.Spec.Submit)
		if r.Spec.SLA.Budget.Limited() {
			s.budgets += float64(r.Spec.SLA.Budget)
		}
	case market.Rejected:
		s.Rejected++
		s.reasonCounts[r.Reason]++
	case market.Stopped:
		if r.Reason == market.OutOfPatience {
			s.Expired++
			s.Earned += float64(r.Price)
		}
		s.reasonCounts[r.Reason]++
	case market.Completed:
		s.complete(r)
	default: // the other kinds change no sum
	}
}

// complete takes in a job that ran to its end: equations (7) and (8) of 000,
// (1) of 001.
func (s *Summary) complete(r *market.Record) {
	j := r.Spec
	s.Completed++
	s.lastFinish = max(s.lastFinish, r.Finish)
	s.work += float64(float64(r.Work) * float64(j.Width))
	s.waits += float64(r.Start - j.Submit)
	if r.Work > 0 {
		s.slowdowns += float64(r.Finish-j.Submit) / float64(r.Work)
	} else {
		s.slowdowns++
	}
	if j.SLA.Budget.Limited() {
		s.Utility += float64(j.Utility(r.Finish))
	}
	s.Earned += float64(Paid(r))
	if !Paid(r).Within(j.SLA.Budget) {
		s.OverBudget++
	}
	if j.Estimate > 0 {
		s.UnitPrices += float64(Paid(r)) / float64(j.Estimate)
	}
	if r.Finish.After(j.Due()) {
		if !j.SLA.Soft {
			s.HardLate++
		}
		return
	}
	s.MetDeadline++
	if Satisfied(r) {
		s.satisfied++
		s.Revenue += float64(Paid(r))
	}
}

// Paid is what a job that ran to its end costs its user. libra-sla charges
// what a job is worth, and where that has no limit there is no amount to add
// up: such a job counts as free.
func Paid(r *market.Record) market.Price {
	if !r.Price.Limited() {
		return 0
	}
	return r.Price
}

// Satisfied reports whether a job that ran to its end did so in time and
// within its budget.
func Satisfied(r *market.Record) bool {
	return !r.Finish.After(r.Spec.Due()) && Paid(r).Within(r.Spec.SLA.Budget)
}

// Close works out the ratios, once the last record has been seen.
func (s *Summary) Close() {
	s.Accepted = s.Jobs - s.Rejected
	if s.Jobs > 0 {
		s.QoSSatisfaction = float64(s.satisfied) / float64(s.Jobs)
	}
	if s.budgets > 0 {
		s.Profitability = s.Revenue / s.budgets
	}
	if s.Completed > 0 {
		s.MeanWait = s.waits / float64(s.Completed)
		s.MeanSlowdown = s.slowdowns / float64(s.Completed)
		s.Makespan = float64(s.lastFinish - s.firstSubmit)
	}
	if s.Makespan > 0 {
		s.Utilization = s.work / s.Makespan / float64(s.processors)
	}
	s.Reasons = map[string]int64{}
	for reason, n := range s.reasonCounts {
		if n > 0 {
			s.Reasons[market.Reason(market.Uint8(reason)).String()] = n
		}
	}
}
