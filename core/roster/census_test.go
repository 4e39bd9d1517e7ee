package roster_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
)

// Whatever happens to nodes, what is kept of all of them together is what asking each
// of them gives.
func TestCensusIsWhatAskingEverybodyGives(t *testing.T) {
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 1))
		r := roster.New()
		for step := range 60 {
			change(r, draw)
			if err := compare(r); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
		}
	}
}

func change(r *roster.Roster, draw *rand.Rand) {
	hello := &task.Hello{
		Node: fmt.Sprintf("n%d", draw.IntN(8)), Processors: 1 + draw.IntN(2), MemoryMB: int64(1+draw.IntN(2)) << 10, DiskMB: 1,
		GPUs: draw.IntN(2), Rating: 1 + float64(draw.IntN(2)), Speed: 4, Holds: draw.IntN(4) > 0,
	}
	if draw.IntN(5) == 0 {
		hello.Runs = "slurm"
	}
	if r.Len() == 0 || draw.IntN(3) == 0 {
		undo := r.Add(hello)
		r.Census()
		if draw.IntN(3) == 0 {
			undo()
			return
		}
		r.Name()
		return
	}
	index := draw.IntN(r.Len())
	if r.At(index).Retired {
		return
	}
	switch draw.IntN(7) {
	case 0:
		r.Rejoin(index, hello)
	case 1:
		r.Raise(index)
	case 2:
		r.Lower(index, "gone")
	case 3:
		r.Close(index, "drained")
	case 4:
		r.Open(index)
	case 5:
		same := r.At(index).Hello
		same.GPUs = hello.GPUs
		if undo, has := r.Equip(&same); has {
			r.Census()
			if draw.IntN(2) == 0 {
				undo()
			}
		}
	default:
		r.Lower(index, "gone")
		r.Census()
		r.Retire(index)
	}
}

func compare(r *roster.Roster) error {
	job := &market.Job{Width: 1, Memory: 600, GPUs: 1}
	processors, gpus, batch, hold := 0, 0, false, true
	memory, disk := int64(0), int64(0)
	best, fastest, slowest := 0.0, 0.0, math.Inf(1)
	var usual []int64
	for _, n := range r.All() {
		hold = hold && (n.Retired || n.Holds)
		if n.Could(job) {
			fastest = max(fastest, n.Rating)
		}
		if !n.Up {
			continue
		}
		processors, gpus, memory, disk = processors+n.Processors, gpus+n.GPUs, memory+n.MemoryMB, disk+n.DiskMB
		best, batch = max(best, n.Rating), batch || n.Runs != ""
		usual = append(usual, min(900, n.MemoryMB/int64(n.Processors)))
		if n.Could(job) {
			slowest = min(slowest, n.Speed)
		}
	}
	if math.IsInf(slowest, 1) {
		slowest = 1
	}
	slices.Sort(usual)
	middle := int64(900)
	if len(usual) > 0 {
		middle = usual[len(usual)/2]
	}
	c := r.Census()
	asked := []any{processors, gpus, memory, disk, best, batch, hold, fastest, slowest, middle}
	kept := []any{c.Processors, c.GPUs, c.MemoryMB, c.DiskMB, c.Fastest, r.Batch() != nil, c.HoldAll, r.Fastest(job), r.Slowest(job, nil), r.Usual(900)}
	if !slices.Equal(asked, kept) {
		return fmt.Errorf("asking everybody gives %v, and kept is %v", asked, kept)
	}
	return nil
}

// A node that is another partition's from now on is counted there, and in the one of before
// no longer; and back again where that is undone.
func TestTheCensusOfAPartitionFollowsItsNodes(t *testing.T) {
	r := roster.New()
	h := task.Hello{Node: "a", Processors: 4, Rating: 1, Partition: "slow"}
	r.Add(&h)
	r.Name()
	r.Raise(0)
	counts := func(slow, fast int) {
		t.Helper()
		if s, f := r.CensusOf("slow").Processors, r.CensusOf("fast").Processors; s != slow || f != fast {
			t.Errorf("%d and %d processors, want %d and %d", s, f, slow, fast)
		}
	}
	counts(4, 0)
	h.Partition = "fast"
	undo, other := r.Label(&h)
	if !other {
		t.Fatal("it is as it was")
	}
	counts(0, 4)
	undo()
	counts(4, 0)
}
