package trade

import (
	"fmt"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// A GPU of a kind has its own price, of another kind that of all, and who names none pays
// for the dearest: simulated as sold.
func TestPricesOfKindsOfGPUs(t *testing.T) {
	r := Rates{ProcessorHour: 1_000_000, GPUHour: 1_000_000, GPUKinds: map[string]int64{"a100": 2_000_000, "old": 0}}
	simulated := market.Rates{GPU: 1, GPUKinds: "a100:2,old:0"}
	for kind, want := range map[string]int64{"a100": 2, "v100": 1, "old": 0, "": 2} {
		if got := r.GPUPrice(kind); got != want*1_000_000 {
			t.Errorf("%q: %d", kind, got)
		}
		if got := simulated.GPUPrice(kind); got != market.Price(want) {
			t.Errorf("%q, simulated: %v", kind, got)
		}
		job := &market.Job{Width: 4, Threads: 2, GPUs: 3, GPUKind: kind} // two programs
		if s := r.Storage(job, false, 1800_000); s.GPUs != 3*want*1_000_000 || r.Sells(job, false) != (want > 0) {
			t.Errorf("%q: half an hour of six costs %+v", kind, s)
		} else if want > 0 {
			in := s.Inputs(&r, job)
			if in[1].Name != "gpu price" || in[1].Value != float64(want) {
				t.Errorf("%q: %+v", kind, in)
			}
		}
	}
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
	for _, wrong := range []map[string]int64{{"": 1}, {"a:b": 1}, {"a,b": 1}, {"a100": -1}, {"a100": maxMicros + 1}, {"a\nb": 1}, {"a b": 1}, {"a=b": 1}} {
		if bad := (Rates{GPUKinds: wrong}); bad.Validate() == nil {
			t.Errorf("%v is a price", wrong)
		}
	}
	many := Rates{GPUKinds: map[string]int64{}}
	for i := range maxGPUKinds {
		many.GPUKinds[fmt.Sprint("k", i)] = maxMicros
	}
	if err := many.Validate(); err != nil {
		t.Errorf("of as many as there can be: %v", err)
	}
	if many.GPUKinds["another"] = 1; many.Validate() == nil {
		t.Error("there are prices of one more than there can be")
	}
	other := r
	if other.GPUKinds = map[string]int64{"a100": 2_000_000, "old": 1}; r.Equal(other) || !r.Equal(r) || other.Named().GPUKinds["old"] != 1 {
		t.Error("which prices are the same is not known")
	}
	if other = r; other.GPUHour == 1_000_000 {
		if other.GPUHour++; r.Equal(other) {
			t.Error("which prices are the same is not known")
		}
	}
	n := market.Plain()
	for kinds, good := range map[string]bool{"": true, "a100:0.5,v100:1": true, "a100": false, "a100:-1": false, ":1": false, "a100:1,": false, "a100:x": false} {
		n.Base.GPUKinds = kinds
		if err := n.Validate(); (err == nil) != good {
			t.Errorf("%q: %v", kinds, err)
		}
	}
}

// Who waits for others waits for all of them, and what has to come of each is its own matter.
func TestWhatAJobWaitsFor(t *testing.T) {
	r := Request{After: []int64{1}, AfterAny: []int64{2}, AfterFailed: []int64{3}, AfterBegun: []Begun{{Job: 4}}, AfterEach: []int64{5}, AfterElement: []Ahead{{Job: 6}}}
	if got := fmt.Sprint(r.Follows()); got != "[1 2 3 5 4 6]" {
		t.Errorf("it waits for %s", got)
	}
	for id, broken := range map[int64][2]bool{1: {false, true}, 2: {false, false}, 3: {true, false}, 4: {false, false}, 5: {false, true}} {
		for i, ended := range []State{Completed, Failed} {
			if _, got := r.Follow(&Settled{Job: id, State: ended}); (got != "") != broken[i] {
				t.Errorf("job %d is %s: %q", id, ended, got)
			}
		}
	}
}
