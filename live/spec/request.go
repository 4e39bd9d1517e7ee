package spec

import (
	"math"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// Request is the job as it is asked of a live market. What is left at its
// default is not said, so that whoever adds to the request says it first. Its
// extra segments mean nothing to the market.
func (j *Job) Request() (v1.Request, error) {
	d, r, q := &j.Details, &j.Resources, &j.QoS
	request := v1.Request{
		Name: d.Name, Account: string(d.User), Argv: d.Command, EstimateMS: millis(float64(d.Estimate)),
		MemoryMB: r.Memory, DiskMB: r.Disk, GPUs: int(r.GPUs), GPUKind: r.GPUKind, Soft: q.Soft,
	}
	if r.Processors != 1 {
		request.Processors = int(r.Processors)
	}
	if j.Optimise == market.Fastest {
		request.Wish = market.Fastest.String()
	}
	if q.Deadline.Finite() {
		request.DeadlineMS = millis(float64(q.Deadline))
	}
	if d.Optional > 0 {
		request.Optional = &v1.Optional{WorkMS: millis(float64(d.Optional))}
	}
	if q.Budget.Limited() {
		budget, err := q.Budget.Money()
		if err != nil {
			return request, &Error{Field: "qos.budget", Problem: noSuchMoney}
		}
		request.Budget = (*int64)(&budget)
	}
	penalty, err := q.Penalty.Money()
	if err != nil {
		return request, &Error{Field: "qos.penalty_rate", Problem: noSuchMoney}
	}
	request.PenaltyMicros = int64(penalty)
	return request, nil
}

// millis are seconds in milliseconds, a part of one being a whole one: a job
// that says it runs for less than a millisecond still says that it runs.
func millis(seconds float64) int64 {
	ms := math.Ceil(float64(seconds*1e3) - 1e-6)
	if !(ms < math.MaxInt64) {
		return math.MaxInt64 // beyond all bounds, as whoever checks will say
	}
	return int64(ms)
}
