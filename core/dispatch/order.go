package dispatch

import (
	"math"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// Slot is a processor of a node on which a task may work so fast.
type Slot struct {
	Processor int     `json:"processor"`
	Speed     float64 `json:"speed"` // work a second that is granted
}

// Quota is the part of a processor's time that gives a speed on a node of which
// a whole processor does so much work a second.
func Quota(speed, whole float64) float64 { return min(1, speed/whole) }

// Most is the processor time, in microseconds, that so much work on each of a task's
// processors takes on a node of that speed; never less than the work.
func Most(work market.Work, whole float64, processors int) int64 {
	us := math.Ceil(float64(work) / whole * 1e6)
	if !(us > 0) || us >= math.MaxInt64/2/float64(processors) { // without end, as far as anybody can count
		return 0
	}
	return int64(us) * int64(processors)
}

// leastWeight is what a task has in what nobody claims, however little it is
// granted.
const leastWeight = 0.01

// Want is an order as long as nobody reads it: it names what its task runs, which is large
// and never changes, and does not have it. A node with thousands of tasks has its orders
// worked out many times a second.
type Want struct {
	Spec      *task.Spec
	CPU       float64
	Weight    float64
	Processor int
	More      []int
	MostUS    int64
	Stop      task.Stop
}

// Wanted is what a node is told of one task: the one slot, or as many as it has
// threads.
func Wanted(spec *task.Spec, stop task.Stop, whole float64, first Slot, more ...Slot) Want {
	w := Want{Spec: spec, Stop: stop, Processor: first.Processor, CPU: Quota(first.Speed, whole)}
	for _, s := range more {
		w.CPU += Quota(s.Speed, whole)
		w.More = append(w.More, s.Processor)
	}
	w.Weight = max(leastWeight, w.CPU)
	return w
}

// Order is the whole order.
func (w *Want) Order() task.Order {
	return task.Order{Spec: *w.Spec, CPU: w.CPU, Weight: w.Weight, Processor: w.Processor, More: w.More, MostUS: w.MostUS, Stop: w.Stop}
}

// Orders are whole orders; nil if nothing was said.
func Orders(wants []Want) []task.Order {
	if wants == nil {
		return nil
	}
	orders := make([]task.Order, len(wants))
	for i := range wants {
		orders[i] = wants[i].Order()
	}
	return orders
}
