package agent

import (
	"slices"
	"time"

	"github.com/libra-market/libra/core/task"
)

// portion is what one task has of a job that is one group for several.
type portion struct {
	task.Key

	Share      float64 `json:"share"` // as ordered
	Weight     float64 `json:"weight"`
	CPUNS      int64   `json:"cpu_ns"`
	DeclinedNS int64   `json:"declined_ns"`
}

// tally divides what a group has used over its tasks, in proportion to the
// shares they had at the time.
type tally []portion

// order makes the tally that of these orders. What a task has used stays its
// own, also when its order is gone; then it gets no more.
func (t tally) order(orders []task.Order) tally {
	next := slices.Clone(t)
	for i := range next {
		next[i].Share, next[i].Weight = 0, 0
	}
	for _, order := range orders {
		at := slices.IndexFunc(next, func(p portion) bool { return p.Key == order.Spec.Key })
		if at < 0 {
			at = len(next)
			next = append(next, portion{Key: order.Spec.Key})
		}
		next[at].Share, next[at].Weight = max(order.CPU, 0), max(order.Weight, 0)
	}
	return next
}

// share is what all tasks together were ordered to have.
func (t tally) share() (share, weight float64) {
	for _, p := range t {
		share += p.Share
		weight += p.Weight
	}
	return share, weight
}

// used is what all tasks together have used.
func (t tally) used() (sum time.Duration) {
	for _, p := range t {
		sum += time.Duration(p.CPUNS)
	}
	return sum
}

// add divides some more. What rounding leaves is for the largest share, so that
// the parts are always the whole.
func (t tally) add(cpu, declined time.Duration) {
	if len(t) == 0 {
		return
	}
	sum, _ := t.share()
	largest, cpuLeft, declinedLeft := 0, cpu, declined
	for i := range t {
		part := 1 / float64(len(t))
		if sum > 0 {
			part = t[i].Share / sum
		}
		mine, off := time.Duration(float64(cpu)*part), time.Duration(float64(declined)*part)
		mine, off = min(mine, cpuLeft), min(off, declinedLeft)
		t[i].CPUNS += int64(mine)
		t[i].DeclinedNS += int64(off)
		cpuLeft, declinedLeft = cpuLeft-mine, declinedLeft-off
		if t[i].Share > t[largest].Share {
			largest = i
		}
	}
	t[largest].CPUNS += int64(cpuLeft)
	t[largest].DeclinedNS += int64(declinedLeft)
}

// same reports whether orders are for the tasks of the same attempt of the same
// job as those of before. Numbers of jobs are given out again after a crash of
// the batch system.
func (t tally) same(orders []task.Order) bool {
	return len(t) == 0 || len(orders) == 0 ||
		t[0].Job == orders[0].Spec.Job && t[0].Attempt == orders[0].Spec.Attempt
}

// equal reports whether two tallies give the same to the same.
func (t tally) equal(other tally) bool {
	return slices.EqualFunc(t, other, func(x, y portion) bool {
		return x.Key == y.Key && x.Share == y.Share && x.Weight == y.Weight
	})
}
