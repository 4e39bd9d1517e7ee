package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// Explain says why a job waits, what share it has, when it will be done and how
// sure that is.
func (x *teller) Explain(id int64) (trade.Explanation, bool) {
	j := x.jobs.Find(id)
	if j == nil {
		return trade.Explanation{}, false
	}
	e := trade.Explanation{Job: id, State: j.State, Share: j.Share, DueUS: j.DueUS, Because: []string{}}
	if j.DueUS == 0 || x.now <= j.DueUS { // what is late cannot be in time
		e.Odds, e.OddsFrom = x.record.Odds(j.Firm)
	}
	owed := x.owed.owedNow(j)
	e.PenaltyNow, e.CostNow, e.CancelNow = int64(owed.Penalty), int64(owed.Charge), int64(owed.Charge)
	if j.State != trade.Stopping {
		e.CancelNow = int64(x.owed.owedAs(j, trade.Cancelled).Charge)
	}
	if j.Request.Optional != nil {
		e.Part, e.OptionalMS, e.Optional = j.Part, x.owed.optionalNow(j), int64(owed.Optional)
	}
	switch j.State {
	case trade.Held:
		e.Summary = "waits for " + x.jobs.WaitsFor(j, x.now)
		e.Because = append(e.Because, "nothing is promised until it can begin"+underway.Runs(j, x.now))
	case trade.Queued:
		x.explainQueue(j, &e)
	case trade.Running, trade.Stopping:
		x.explainRun(j, &e, &owed)
	default:
	}
	return e, true
}

func (x *teller) explainQueue(j *underway.Job, e *trade.Explanation) {
	stand, here := x.cluster.Status(market.JobID(j.ID), x.time())
	if !here {
		return
	}
	e.Ahead = max(0, stand.Place-1)
	e.Summary = fmt.Sprintf("waits for %d of %d processors, %d jobs ahead of it", j.Width, j.Request.Lanes(x.nodes), e.Ahead)
	e.Because = append(e.Because, underway.Unpromised(j, x.epoch().Policy, !stand.Terms.Liable && x.now > j.DueUS)...)
	if latest := stand.Terms.Latest; latest.Finite() && latest > 0 {
		e.Because = append(e.Because, fmt.Sprintf("it must start within %s to be in time", market.Span(int64(float64(latest-x.time())*1e3))))
	}
	if j.Attempt > 0 {
		e.Because = append(e.Because, "it lost its node and begins again")
	}
	x.explainLeaving(j, e)
}

func (x *teller) explainRun(j *underway.Job, e *trade.Explanation, owed *bill.Bill) {
	t := x.time()
	stand, here := x.cluster.Status(market.JobID(j.ID), t)
	if !here {
		return
	}
	need, _ := x.standing(j)
	late := j.DueUS != 0 && x.now > j.DueUS
	if e.Need = min(1, need/x.nodes.At(j.Ranks[0].Node).Rating); late {
		e.Need = 0 // nothing helps any more
	}
	if stand.Speed > 0 {
		e.PredictedUS = x.unix(t + market.Time(float64(max(0, stand.Left))/stand.Speed))
	}
	e.Summary = fmt.Sprintf("runs with %.1f %% of a processor%s", e.Share*100, underway.Outlook(j, e, late))
	switch {
	case x.starting(j): // what the plan gives it meanwhile it has not had
		e.Because = append(e.Because, fmt.Sprintf("nothing of %s is done yet", market.Span(x.owed.paidMS(j)+j.Extra)))
	case x.kind.Imprecise:
		x.explainParts(j, e, &stand)
	default:
		e.Because = append(e.Because, market.Progress(x.owed.workNow(j), x.owed.paidMS(j)+j.Extra)+" are done")
	}
	if declined := x.declined(j); declined >= 100 {
		e.Because = append(e.Because, fmt.Sprintf("it was offered %s of processor time that it did not want, which counts as had", market.Span(declined)))
	}
	switch n := x.neighbours(j); {
	case n == 1:
		e.Because = append(e.Because, "it shares its processor with another job")
	case n > 1:
		e.Because = append(e.Because, fmt.Sprintf("it shares its processor with %d other jobs", n))
	}
	switch {
	case x.starting(j):
		e.Summary = "starting: its node has not said yet that it runs"
	case j.State == trade.Stopping:
		e.Summary = "is being stopped: " + j.Detail
	case j.Void && e.PenaltyNow == 0:
		e.Because = append(e.Because, "its promise is void: "+j.Detail)
		e.Odds = 0
	case e.PenaltyNow > 0:
		e.Because = append(e.Because, fmt.Sprintf("it is late: the penalty has come to %s, at %s a second",
			market.Money(e.PenaltyNow).Said(), market.Money(j.Request.PenaltyMicros).Exact()+" "+market.Sign))
		e.Odds = 0
	case e.PredictedUS > 0 && j.DueUS > 0 && e.PredictedUS > j.DueUS+1e6:
		e.Because = append(e.Because, "at this share it would be late")
		e.Odds = min(e.Odds, 0.5)
	}
	if why := bill.Unpaid(owed.Lines); why != "" && j.State == trade.Running {
		e.Because, e.Odds = append(e.Because, "it is late, and no penalty is owed: "+why), 0
	}
	if len(j.Extensions) > 0 {
		e.Because = append(e.Because, fmt.Sprintf("it needs more than it estimated and was given %s more", market.Span(j.Extra)))
	}
	if j.Attempt > 0 {
		e.Because = append(e.Because, fmt.Sprintf("it has begun again %d times, because nodes were lost", j.Attempt))
	}
	x.explainLeaving(j, e)
}

// declined is the processor time that a job did not want, on each of its processors.
func (x *teller) declined(j *underway.Job) (ms int64) {
	for program := range j.Placed() {
		r := j.First(program)
		ms += j.DeclinedUS(r, x.nodes.At(r.Node).Speed) / 1000
	}
	return ms / int64(max(1, len(j.Ranks)))
}

// neighbours counts the other jobs on a job's processors.
func (x *teller) neighbours(j *underway.Job) int {
	n := 0
	for other := range x.jobs.All() {
		if other != j && underway.Beside(j, other) {
			n++
		}
	}
	return n
}

// explainParts says which part of a job runs, or why it stands still.
func (x *teller) explainParts(j *underway.Job, e *trade.Explanation, stand *cluster.JobStatus) {
	what := "its mandatory part"
	if j.Request.Optional == nil {
		what = "it"
	} else if stand.Refining {
		what = "its optional part"
	}
	if e.Share > 0 {
		e.Summary = fmt.Sprintf("%s runs with %.1f %% of a processor", what, e.Share*100)
	} else {
		e.Summary = fmt.Sprintf("%s stands still: another goes first on its processor", what)
	}
	if stand.Refining {
		if e.PredictedUS == 0 || e.PredictedUS > j.DueUS {
			e.PredictedUS = j.DueUS
		}
		e.Because = append(e.Because,
			"its mandatory part is done: what was promised is kept",
			fmt.Sprintf("%s of its optional part are executed, which is worth %s", market.Span(e.OptionalMS), market.Money(e.Optional).Said()),
			"mandatory parts of others go first; it ends at its deadline with what it has")
		return
	}
	e.Because = append(e.Because, market.Progress(x.owed.workNow(j), x.owed.paidMS(j)+j.Extra)+" are done", "mandatory parts run one at a time, the earliest deadline first")
}
