package trade

import (
	"math"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

// Width is how many processors a request takes of so many and how long on each, where an
// array is a job of lanes, each of which runs its elements one after the other on the
// processors that one needs.
func (r *Request) Width(processors int) (width int32, estimate market.Work) {
	one := market.Work(float64(r.EstimateMS) / 1e3)
	if r.Array == nil {
		return low32(r.Procs()), one
	}
	n := r.Array.Len()
	lanes := max(1, min(processors/r.PerProgram(), n))
	if r.Array.Limit > 0 {
		lanes = min(lanes, r.Array.Limit)
	}
	lanes, _ = r.Array.blocks(lanes)
	return market.Int32(lanes * r.PerProgram()), one * market.Work((n+lanes-1)/lanes)
}

// Asked is the request as the core sees it.
func (r *Request) Asked(id int64, owner string, at market.Time, processors int) market.Job {
	width, estimate := r.Width(processors)
	wish, _ := market.ParseObjective(r.Wish) // validated
	j := market.Job{
		ID: market.JobID(id), Submit: at, Estimate: estimate, Width: width, Spread: r.Spread,
		Memory: r.MemoryMB, Disk: r.DiskMB, GPUKind: r.GPUKind, Class: market.Int32(r.Class), Objective: wish,
		Owner: market.Account(owner), Name: r.Name, Where: r.Where(),
		SLA: market.SLA{Deadline: market.Never, Budget: market.Unlimited, Penalty: market.Money(r.PenaltyMicros).Price(), Soft: r.Soft},
	}
	r.Array.size(&j, r)
	if o := r.Optional; o != nil {
		j.Optional, j.SLA.Bonus = market.Work(float64(o.WorkMS)/1e3), market.Money(o.RateMicros).Price()
	}
	if r.DeadlineMS > 0 {
		j.SLA.Deadline = market.Time(float64(r.DeadlineMS) / 1e3)
	}
	if r.Budget != nil {
		j.SLA.Budget = market.Money(*r.Budget).Price() + rounding
	}
	return j
}

// rounding is what a price may exceed a budget by and still be that budget when
// it has become money: whoever offers just what was quoted is taken.
const rounding = market.Price(0.49e-6)

// OnOverrun is what its user chose.
func (r *Request) OnOverrun() Overrun {
	if r.Overrun == "" {
		return OverrunStop
	}
	return r.Overrun
}

// Grace is the time between SIGTERM and SIGKILL.
func (r *Request) Grace() int64 {
	if r.GraceMS == 0 {
		return 5_000
	}
	return r.GraceMS
}

// Working is how a price came about.
type Working struct {
	Formula string         `json:"formula"`
	Inputs  []market.Input `json:"inputs"`
}

// AsBefore is a request as the first version saw it: names of files had no bound, and it looked
// at 32 bits of the threads.
func (r *Request) AsBefore() *Request {
	was := *r
	was.Threads = int(low32(r.Threads))
	for _, file := range []*string{&was.Dir, &was.Output, &was.Error} {
		*file = (*file)[:min(len(*file), MaxPath)] // they might be longer
	}
	return &was
}

// low32 is what the core saw of a number in the first version: 32 of its bits.
// Today's were checked and lose none; a job of an old store keeps what it was taken
// for.
func low32(n int) int32 {
	n &= math.MaxUint32
	if n > math.MaxInt32 {
		n -= 1 << 32
	}
	return market.Int32(n)
}

// OptionalTerms is what the optional part of a request costs, if it has one.
func (r *Request) OptionalTerms() *bill.Optional {
	if r.Optional == nil {
		return nil
	}
	return &bill.Optional{WorkMS: r.Optional.WorkMS, Processors: r.Procs(), Rate: market.Money(r.Optional.RateMicros)}
}
