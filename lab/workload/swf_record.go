package workload

import (
	"fmt"
	"math"
	"strconv"

	"github.com/libra-market/libra/core/market"
)

// Record is one line of an SWF log: its 18 fields in their order. What is not
// known is -1. Whole numbers are usual, decimals are allowed everywhere.
type Record struct {
	Job          float64 //  1 number of the job
	Submit       float64 //  2 seconds since the start of the log
	Wait         float64 //  3 seconds
	Run          float64 //  4 seconds
	Procs        float64 //  5 processors allocated
	CPU          float64 //  6 average CPU time used, seconds
	UsedMemory   float64 //  7 KB per processor
	ReqProcs     float64 //  8 processors requested
	ReqTime      float64 //  9 seconds requested
	ReqMemory    float64 // 10 KB per processor
	Status       float64 // 11 1 completed, 0 failed, 5 cancelled
	User         float64 // 12
	Group        float64 // 13
	Executable   float64 // 14
	Queue        float64 // 15
	Partition    float64 // 16
	PrecedingJob float64 // 17
	ThinkTime    float64 // 18 seconds since the end of the preceding job
}

var fieldNames = [fieldCount]string{
	"job number", "submit time", "wait time", "run time", "allocated processors", "average CPU time", "used memory",
	"requested processors", "requested time", "requested memory", "status", "user", "group", "executable", "queue",
	"partition", "preceding job", "think time",
}

// fieldLabel names a field, counted from 0, as people count them.
func fieldLabel(field int) string { return fmt.Sprintf("field %d (%s)", field+1, fieldNames[field]) }

// Fields that make an arrival, counted from 0.
const (
	fieldJob      = 0
	fieldSubmit   = 1
	fieldRun      = 3
	fieldProcs    = 4
	fieldReqProcs = 7
	fieldReqTime  = 8
	fieldUser     = 11
)

func recordOf(f *[fieldCount]float64) Record {
	return Record{
		f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11], f[12], f[13], f[14], f[15], f[16], f[17],
	}
}

func (r *Record) fields() [fieldCount]float64 {
	return [fieldCount]float64{
		r.Job, r.Submit, r.Wait, r.Run, r.Procs, r.CPU, r.UsedMemory, r.ReqProcs, r.ReqTime, r.ReqMemory, r.Status,
		r.User, r.Group, r.Executable, r.Queue, r.Partition, r.PrecedingJob, r.ThinkTime,
	}
}

// Arrival turns the record into a job to replay, as docs/semantics.md, section
// 0, reads logs: processors as requested (field 8, else 5), runtime at least 1 s
// (-1, a job that never ran, counts as 1), estimate as requested (field 9, else
// the runtime); no deadline and no budget, because a log has none.
//
// Memory is left at 0. Field 10 is in KB and most logs do not have it; a replay
// that counted it for some jobs only would compare unlike with unlike.
//
// It reports false for a record that does not say on how many processors or
// when: there is nothing to replay.
func (r *Record) Arrival(a *Arrival) (bool, error) {
	f := r.fields()
	ok, fault := toArrival(&f, a, nil)
	if fault != nil {
		return false, fmt.Errorf("%s: %w", fieldLabel(fault.field), fault.err)
	}
	return ok, nil
}

// swfFault is what is wrong with a field, before anyone knows the line.
type swfFault struct {
	field int
	err   error
}

func toArrival(f *[fieldCount]float64, a *Arrival, users *userNames) (bool, *swfFault) {
	procs, from := f[fieldReqProcs], fieldReqProcs
	if !(procs > 0) {
		procs, from = f[fieldProcs], fieldProcs
	}
	submit := f[fieldSubmit]
	if !(procs > 0) || !(submit >= 0) {
		return false, nil
	}
	run := f[fieldRun]
	if !(run >= 1) {
		run = 1
	}
	estimate := f[fieldReqTime]
	if !(estimate > 0) {
		estimate = run
	}
	// Conversions of numbers out of range mean nothing, but do no harm either:
	// they are refused below.
	width, number := int32(procs), int64(f[fieldJob])
	switch {
	case procs > market.MaxWidth:
		return false, &swfFault{from, valueError(procs, errTooLarge)}
	case float64(width) != procs:
		return false, &swfFault{from, valueError(procs, errNotWhole)}
	case math.Abs(f[fieldJob]) > maxSpan:
		return false, &swfFault{fieldJob, valueError(f[fieldJob], errTooLarge)}
	case float64(number) != f[fieldJob]:
		return false, &swfFault{fieldJob, valueError(f[fieldJob], errNotWhole)}
	case submit > maxSpan:
		return false, &swfFault{fieldSubmit, valueError(submit, errTooLarge)}
	case run > maxSpan:
		return false, &swfFault{fieldRun, valueError(run, errTooLarge)}
	case estimate > maxSpan:
		return false, &swfFault{fieldReqTime, valueError(estimate, errTooLarge)}
	}
	*a = Arrival{} // and filled in where it lies: it is large, and one of millions
	a.Actual, a.Number = market.Work(run), number
	j := &a.Job
	j.Submit, j.Estimate, j.Width, j.Owner = market.Time(submit), market.Work(estimate), width, users.name(f[fieldUser])
	j.SLA.Deadline, j.SLA.Budget = market.Never, market.Unlimited
	return true, nil
}

// userNames keeps the names of numbered users, so that a log of a million jobs
// by a few hundred users makes a few hundred strings.
type userNames struct{ names []market.Account }

// mostUsers bounds the table; numbers beyond it are rare and pay for a string.
const mostUsers = 1 << 16

// name is the user's number in decimal, or "" where it is not known.
func (u *userNames) name(user float64) market.Account {
	if !(user >= 0) {
		return ""
	}
	n := mostUsers
	if user < mostUsers {
		n = int(user)
	}
	if u == nil || n == mostUsers || float64(n) != user {
		return market.Account(appendNumber(nil, user))
	}
	if n < len(u.names) && u.names[n] != "" {
		return u.names[n]
	}
	for len(u.names) <= n {
		u.names = append(u.names, "")
	}
	u.names[n] = market.Account(strconv.Itoa(n))
	return u.names[n]
}
