package exchange_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// The receipt of an array whose elements have several tasks of one node comes to the charge,
// to the micro, and the account has paid that and no more, however many of them never began,
// failed, were cancelled or lost with their node. What never began is not in it.
func TestReceiptsOfElements(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		each := rapid.IntRange(1, 4).Draw(r, "processors of an element")
		lanes := rapid.IntRange(1, 3).Draw(r, "lanes")
		n := rapid.IntRange(1, 9).Draw(r, "elements")
		estimate := rapid.Int64Range(1_000, 20_000).Draw(r, "estimate")
		f := openLive(t, "libra", each*lanes, map[string]string{"fit": "least-loaded"})
		before := f.free("lab/alice")
		o := f.submit(alice, trade.Request{
			EstimateMS: estimate, DeadlineMS: estimate * 30, Processors: each, Threads: each, Array: &trade.Array{First: 1, Last: n, Limit: lanes}, NoRestart: true,
		})
		if o.Refusal != nil || o.Job.Width != each*min(lanes, n) {
			r.Fatalf("%+v, %+v", o.Job, o.Refusal)
		}
		id, begun := o.Job.ID, 0
		f.wait(rapid.Float64Range(0.01, 1).Draw(r, "part") * float64(estimate) / 1e3)
		cancelled := rapid.Bool().Draw(r, "cancelled")
		if cancelled {
			f.do(trade.Command{By: alice, Cancel: &trade.Cancel{Job: id}})
		}
		lost := rapid.IntRange(0, 2*lanes).Draw(r, "lost after so many lanes")
		for rank := range o.Job.Programs() {
			if rank == lost { // and with them the rest, of which nobody has said that it runs
				f.do(trade.Command{Node: &trade.NodeChange{Node: "n1", Why: "silent"}})
				break
			}
			s := task.Status{Key: task.Key{Job: id, Rank: rank}, State: task.Ended}
			for i := 1 + rank; i <= n; i += o.Job.Programs() {
				e := task.Element{Index: i}
				switch rapid.IntRange(0, 3).Draw(r, "element") {
				case 0:
					e.Error = "no such directory"
				case 1:
					e.Exit, s.Exit = 7, 7
					fallthrough
				default:
					begun++
					s.CPUUS += rapid.Int64Range(1, estimate*1_000*int64(each)/int64(n)).Draw(r, "used")
				}
				s.Elements = append(s.Elements, e)
			}
			if s.CPUUS == 0 {
				s.State, s.Error = task.Refused, "no such directory"
			}
			f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{s}}})
		}
		j := f.job(id)
		if !j.State.Final() || (begun > 0 && j.State != trade.Lost) != (j.Charged > 0) {
			r.Fatalf("%s, charged %d, %d begun", j.State, j.Charged, begun)
		}
		if most := (o.Job.Price*int64(begun) + int64(n) - 1) / int64(n); j.Charged > most+1 {
			r.Errorf("charged %d for %d of %d elements, the price was %d", j.Charged, begun, n, o.Job.Price)
		}
		if paid := before - f.free("lab/alice"); int64(paid) != j.Charged {
			r.Errorf("the account has paid %d, charged %d", paid, j.Charged)
		}
		if j.Receipt == nil {
			return
		}
		sum := int64(0)
		for _, l := range j.Receipt.Lines {
			sum += int64(l.Amount)
		}
		if sum != j.Receipt.Net || j.Receipt.Charged != j.Charged || j.Receipt.Net != j.Charged-j.Penalty {
			r.Errorf("the lines come to %d, net %d, charged %d: %+v", sum, j.Receipt.Net, j.Charged, j.Receipt.Lines)
		}
	})
}
