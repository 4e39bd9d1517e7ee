package replay

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/workload"
)

// Past is the history of a market as a workload, and what became of it.
type Past struct {
	Arrivals []workload.Arrival
	Course   *Course
	Payers   []string // the account of each
	Unfunded int      // jobs refused for lack of money, which are left out
}

// Last is the last so many jobs of a past; of 0, all.
func (p *Past) Last(n int) *Past {
	from := len(p.Arrivals) - n
	if n <= 0 || from <= 0 {
		return p
	}
	return &Past{
		Arrivals: p.Arrivals[from:], Payers: p.Payers[from:], Unfunded: p.Unfunded,
		Course: NewCourse(p.Course.Policy, "", p.Course.Fates[from:], 0),
	}
}

// Pages is a way to the jobs of a market, in the order of submission.
type Pages func(ctx context.Context, after int64) ([]v1.Job, error)

// Remember makes a workload of a market's jobs. How long a job that was refused
// would have run nobody knows: as long as it said. Jobs under way, and those
// that were cancelled, say nothing yet and are left out; so are those that were
// refused because nobody could pay for them, which no other price makes income of.
func Remember(ctx context.Context, from Pages, on *Ground) (*Past, error) {
	m := &Past{}
	var fates []Fate
	utility := 0.0
	var origin int64
	for after := int64(0); ; {
		jobs, err := from(ctx, after)
		if err != nil {
			return nil, err
		}
		if len(jobs) == 0 {
			break
		}
		for i := range jobs {
			j := &jobs[i]
			after = j.ID
			if !j.State.Final() || j.State == v1.Cancelled {
				continue
			}
			if unfunded(j) {
				m.Unfunded++
				continue
			}
			if origin == 0 {
				origin = j.SubmittedUS
			}
			a := arrivalOf(j, origin, on)
			m.Arrivals, m.Payers = append(m.Arrivals, a), append(m.Payers, j.Account)
			f := livedFate(j)
			fates = append(fates, f)
			if f.Satisfied && a.Job.SLA.Budget.Limited() {
				utility += float64(a.Job.SLA.Budget)
			}
		}
	}
	m.Course = NewCourse(AsItWas, "", fates, utility)
	return m, nil
}

// unfunded reports whether a job was refused for lack of money.
func unfunded(j *v1.Job) bool {
	return j.State == v1.Rejected && (j.Reason == v1.ReasonFunds || j.Reason == v1.ReasonLimit)
}

// arrivalOf is a job of the past as one that comes again, on such nodes.
func arrivalOf(j *v1.Job, origin int64, on *Ground) workload.Arrival {
	r := &j.Request
	each := float64(r.EstimateMS) / 1e3 / on.rating
	lanes := max(1, j.Width/max(1, r.Threads))
	if r.Array != nil {
		each *= float64((r.Array.Len() + lanes - 1) / lanes)
	}
	a := workload.Arrival{
		Job: market.Job{
			Name: strconv.FormatInt(j.ID, 10), Owner: market.Account(j.Owner), Submit: market.Time(float64(j.SubmittedUS-origin) / 1e6),
			Estimate: market.Work(each), Width: market.Int32(min(max(1, r.Processors, j.Width), market.MaxWidth)), Class: market.Int32(min(max(0, r.Class), math.MaxInt32)),
			SLA: market.SLA{
				Deadline: market.Never, Budget: market.Unlimited, Penalty: market.Money(r.PenaltyMicros).Price(), Soft: r.Soft,
			},
		},
		Actual: market.Work(each),
	}
	a.Job.Where = on.where(r)
	if r.DeadlineMS > 0 {
		a.Job.SLA.Deadline = market.Time(float64(r.DeadlineMS) / 1e3)
	}
	if r.Budget != nil {
		a.Job.SLA.Budget = market.Money(*r.Budget).Price()
	}
	if j.Work > 0 {
		a.Actual = market.Work(float64(j.Work) / 1e3 / on.rating)
	}
	return a
}

// livedFate is what became of a job of a market.
func livedFate(j *v1.Job) Fate {
	if j.State != v1.Completed && j.State != v1.Failed {
		return Fate{}
	}
	paid := market.Money(j.Charged - j.Penalty).Price()
	inTime := j.DueUS == 0 || j.EndedUS <= j.DueUS+time.Microsecond.Microseconds()
	return Fate{Satisfied: inTime && (j.Request.Budget == nil || j.Charged-j.Optional <= *j.Request.Budget), Paid: float64(paid)}
}
