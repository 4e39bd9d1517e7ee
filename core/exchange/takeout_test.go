package exchange_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Who cancels elements of an array that waits has it priced without them, and it ends as the others do.
// Who cancels all cancels the array; one that runs was sold as a whole.
func TestElementsAreTakenOutOfAnArrayThatWaits(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	sweep := func(first, last int) trade.Request {
		return later(func(r *trade.Request) {
			r.Hold, r.Array, r.DeadlineMS, r.Budget = true, &trade.Array{First: first, Last: last, Limit: 1}, 1_000_000, budget(300)
		})
	}
	whole, fewer := f.submit(alice, sweep(1, 2)).Job.ID, f.submit(alice, sweep(1, 4)).Job.ID
	out := func(by trade.Identity, id int64, elements ...int) error {
		_, err := f.try(trade.Command{By: by, Cancel: &trade.Cancel{Job: id, Elements: elements}})
		return err
	}
	if err := out(bob, fewer, 1); !errors.Is(err, trade.ErrUnknown) {
		t.Errorf("bob takes out what is alice's: %v", err)
	}
	for _, elements := range [][]int{{3, 7}, {1}, {3, 1}} { // one that is not there, and those that are gone already
		if err := out(alice, fewer, elements...); err != nil {
			t.Errorf("%v: %v", elements, err)
		}
	}
	if err := out(alice, fewer, 1, 2, 3, 4); !errors.Is(err, trade.ErrConflict) {
		t.Errorf("all are taken out: %v", err)
	}
	j := f.job(fewer)
	if fmt.Sprint(j.Request.Array.List, j.TakenOut) != "[2 4] [1 3]" || j.State != trade.Held {
		t.Errorf("%+v, without %v, is %s", j.Request.Array, j.TakenOut, j.State)
	}
	price := func(id int64) int64 {
		f.do(trade.Command{By: alice, Begin: &trade.Begin{Job: id}})
		j := f.job(id)
		if j.State != trade.Running {
			t.Fatalf("job %d is %s: %s", id, j.State, j.Detail)
		}
		f.wait(20)
		f.do(trade.Command{By: trade.Identity{User: "n1", Role: trade.RoleNode}, Report: &trade.Measured{Tasks: []task.Status{{
			Key: task.Key{Job: id}, State: task.Ended, CPUUS: 20 * second, StartedUS: f.now - 20*second, EndedUS: f.now,
		}}}})
		if end := f.job(id); end.State != trade.Completed {
			t.Errorf("job %d ended as %s: %s", id, end.State, end.Detail)
		}
		return j.Price
	}
	if a, b := price(whole), price(fewer); b < a || b > a+a/100 { // its deadline is nearer
		t.Errorf("two elements cost %d, and two of four cost %d", a, b)
	}
	running := f.submit(alice, later(func(r *trade.Request) { r.Array = &trade.Array{First: 1, Last: 2} })).Job.ID
	if err := out(alice, running, 1); !errors.Is(err, trade.ErrConflict) || f.job(running).State != trade.Running {
		t.Errorf("one of an array that runs is taken out: %v, and it is %s", err, f.job(running).State)
	}
	if err := out(alice, f.submit(alice, later(func(r *trade.Request) { r.Hold = true })).Job.ID, 1); !errors.Is(err, trade.ErrConflict) {
		t.Errorf("one of what is no array is taken out: %v", err)
	}
}
