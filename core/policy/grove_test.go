package policy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// Whatever comes to a grove and leaves it, every processor is on its leaf, no canopy is
// below what is under it, and no branch is much longer than it need be: also if all come
// in order.
func TestGroveHoldsWhatIsOnIt(t *testing.T) {
	const processors = 3000
	for _, rising := range []bool{false, true} {
		draw := rand.New(rand.NewPCG(1, 2))
		g, has := newGrove(), map[int32]prospect{}
		for step := range 4 * processors {
			q := drawnProspect(draw, int32(draw.IntN(processors)))
			if rising { // they differ in nothing else, and each comes at the same end
				q = prospect{proc: q.proc, some: true, worth: float64(step), rest: [2]float64{1, 1}}
			}
			if _, here := has[q.proc]; here && q.some && draw.IntN(2) == 0 {
				g.renew(&q)
			} else {
				g.set(&q)
			}
			if has[q.proc] = q; !q.some {
				delete(has, q.proc)
			} else if draw.IntN(20) == 0 {
				g.tighten(g.leaf[q.proc] - 1)
			}
			if step%1000 == 0 {
				if err := g.check(has, draw); err != nil {
					t.Fatalf("rising %v, step %d: %v", rising, step, err)
				}
			}
		}
		for proc := range has {
			g.tighten(g.leaf[proc] - 1)
		}
		if err := g.check(has, draw); err != nil {
			t.Fatalf("rising %v, tightened: %v", rising, err)
		}
		for proc := range has {
			g.set(&prospect{proc: proc})
		}
		if g.boughs[0].n != 0 || len(g.boughs)-len(g.unused) > 1 {
			t.Fatalf("rising %v: %d processors on %d branches are left when all are gone", rising, g.boughs[0].n, len(g.boughs)-len(g.unused))
		}
	}
}

func drawnProspect(draw *rand.Rand, proc int32) prospect {
	free := draw.Float64()*2 - 1
	if draw.IntN(50) == 0 {
		free = math.Inf(1)
	}
	rest, fines := draw.Float64()-0.1, float64(draw.IntN(5))
	return prospect{
		proc: proc, some: draw.IntN(4) > 0, worth: float64(draw.IntN(6)) + draw.Float64(), gap: draw.Float64(), free: free,
		rest: [2]float64{rest, rest + draw.Float64()/2}, fines: [2]float64{fines, fines + draw.Float64()}, rank: draw.Float64(),
		until: 10, closer: draw.Float64() / 100, finer: draw.Float64() / 10,
	}
}

func drawnAsking(draw *rand.Rand) asking {
	a := asking{need: draw.Float64(), worth: draw.Float64() * 3, rank: draw.Float64(), now: market.Time(draw.IntN(11)), hard: draw.IntN(2) == 0}
	if !a.hard {
		a.fines = draw.Float64()
	}
	a.settle()
	return a
}

func (g *grove) check(has map[int32]prospect, draw *rand.Rand) error {
	var asked []asking
	for range 20 {
		asked = append(asked, drawnAsking(draw))
	}
	seen := map[int32]bool{}
	if err := g.checkOn(0, 1, asked, seen); err != nil {
		return err
	}
	for proc, q := range has {
		if !seen[proc] {
			return fmt.Errorf("processor %d is nowhere", proc)
		}
		leaf := &g.boughs[g.leaf[proc]-1]
		if f := leaf.fruits[leaf.place(proc)]; f != q {
			return fmt.Errorf("processor %d is %+v, and should be %+v", proc, f, q)
		}
	}
	if len(seen) != len(has) {
		return fmt.Errorf("there are %d processors, and should be %d", len(seen), len(has))
	}
	return nil
}

func (g *grove) checkOn(at int32, depth int, asked []asking, seen map[int32]bool) error {
	b := &g.boughs[at]
	before := len(seen)
	if b.kids[0] != 0 {
		for _, kid := range b.kids {
			if g.boughs[kid].parent != at {
				return fmt.Errorf("branch %d is not known to its own", at)
			}
			if err := g.checkOn(kid, depth+1, asked, seen); err != nil {
				return err
			}
			for i := range asked {
				if most, least := b.bound(&asked[i]), g.boughs[kid].bound(&asked[i]); most < least {
					return fmt.Errorf("branch %d is bounded by %v, and %d on it by %v", at, most, kid, least)
				}
			}
		}
	}
	for i := range b.fruits {
		f := &b.fruits[i]
		seen[f.proc] = true
		for k := range asked {
			if most, could := b.bound(&asked[k]), f.bound(&asked[k]); most < could {
				return fmt.Errorf("leaf %d is bounded by %v, and processor %d on it by %v", at, most, f.proc, could)
			}
		}
	}
	if int(b.n) != len(seen)-before {
		return fmt.Errorf("branch %d has %d, and says %d", at, len(seen)-before, b.n)
	}
	if most := 2*levels(g.boughs[0].n) + 2*levels(market.Int32(onLeaf)); depth > most {
		return fmt.Errorf("branch %d is %d deep, of %d processors", at, depth, g.boughs[0].n)
	}
	return nil
}

// Bounds expire in the order of their times, each once, and those that others have taken
// the place of not at all.
func TestExpiryIsInOrder(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	const processors = 50
	e, until := expiry{}, make([]market.Time, processors)
	for i := range until {
		until[i] = market.Never
	}
	for second := range 2000 {
		now := market.Time(second)
		for range draw.IntN(5) {
			proc := int32(draw.IntN(processors))
			until[proc] = now + market.Time(1+draw.IntN(300))
			if draw.IntN(9) == 0 {
				until[proc] = market.Never
			}
			e.set(proc, until[proc])
		}
		var want []int32
		for proc := range until {
			if until[proc] <= now {
				want = append(want, int32(proc))
				until[proc] = market.Never
			}
		}
		got := slices.Sorted(slices.Values(e.over(now)))
		if !slices.Equal(got, want) {
			t.Fatalf("at %v %v expire, and should be %v", now, got, want)
		}
	}
}
