package bound

import (
	"iter"
	"math"

	"github.com/libra-market/libra/core/market"
)

// Limits are what no policy exceeds on a workload: the measures of 000 and 001.
type Limits struct {
	Jobs    int64   `json:"jobs"`
	QoS     float64 `json:"qos_satisfaction"` // jobs in time, of all
	Utility float64 `json:"utility"`          // equation (1) of 001
	// Revenue of jobs in time and within their budgets, and the same as a part of all
	// budgets: nil where a job names no budget, for what it would pay has no bound.
	Revenue       *float64 `json:"revenue"`
	Profitability *float64 `json:"profitability"`
}

// Assumes says what the limits take for granted, for whoever reads them.
const Assumes = "any choice of these jobs by somebody who knows the future, paying their budgets, on the cluster without failures; " +
	"work may be cut, moved and shared at will, no job is faster than on the fastest processors it may hold, all together no faster than the cluster; " +
	"memory, disk and threads are not counted"

// Of works out the limits of a workload: jobs with how long they really run.
func Of(jobs iter.Seq2[*market.Job, market.Work], c Cluster, e Effort) Limits {
	var l Limits
	var promises, bids, worths []Offer
	budgets, unpriced := 0.0, false
	for j, actual := range jobs {
		l.Jobs++
		o := Offer{From: j.Submit, Until: j.Due(), Width: int(j.Width), Work: actual, Worth: 1, Fade: Lapses}
		promises = append(promises, o)
		if !j.SLA.Budget.Limited() {
			unpriced = true
			continue
		}
		o.Worth = float64(j.SLA.Budget)
		budgets += o.Worth
		bids = append(bids, o)
		o.Fade = float64(j.SLA.Penalty)
		worths = append(worths, o)
	}
	if l.Jobs == 0 {
		return Limits{Revenue: new(float64), Profitability: new(float64)}
	}
	// Half a job is none.
	l.QoS = math.Min(1, math.Floor(Most(promises, c, e)+1e-6)/float64(l.Jobs))
	if !unpriced {
		revenue, part := math.Min(budgets, Most(bids, c, e)), 0.0
		if budgets > 0 {
			part = revenue / budgets
		}
		l.Revenue, l.Profitability = &revenue, &part
	}
	l.Utility = math.Min(budgets, Most(worths, c, e))
	return l
}
