package policy

import (
	"cmp"
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// grove is a tree of processors with tasks, those that are like each other near each
// other (a k-d tree over what bounds them), and over each branch a canopy: who looks for
// the best leaves out branches, not processors.
//
// A canopy holds at any time. It is as close as it may be where somebody has looked: what
// leaves a leaf is not missed until then.
type grove struct {
	boughs []bough // the first is the root
	unused []int32 // places there
	leaf   []int32 // by processor: its leaf and 1; 0: none
	fruits []fruit // scratch
}

// bough is a branch of a grove: two others, or a leaf with processors.
type bough struct {
	canopy
	cut    float64 // what is less is on the first side, what is more on the other
	fruits []prospect
	kids   [2]int32 // 0: it is a leaf
	parent int32
	n      int32 // processors on it
	side   uint8 // by which number it is cut
	loose  bool  // its canopy may be over more than what is on it
}

// fruit is a processor that is put on a branch, and where it belongs. A leaf keeps no canopy
// of each: who searches waits for memory, and has half of it to wait for.
type fruit struct {
	prospect
	over canopy
}

// onLeaf is how many a leaf has when it is grown; it has no more than twice as many.
// small is how many processors may be asked one after the other. Tests change both.
var (
	onLeaf = 16
	small  = 16384
)

func newGrove() grove {
	return grove{boughs: []bough{{canopy: bare, parent: -1}}}
}

// sides is by how many numbers a processor has its leaf.
const sides = 4

func (c *canopy) side(k uint8) float64 {
	switch k {
	case 0:
		return c.last.slope
	case 1:
		return c.last.value
	case 2:
		return c.last.past
	}
	return c.last.rest
}

// set puts a processor where its bounds put it; one that nobody is on, nowhere.
func (g *grove) set(q *prospect) {
	for int(q.proc) >= len(g.leaf) {
		g.leaf = append(g.leaf, 0)
	}
	from := g.leaf[q.proc] - 1
	if !q.some {
		if from >= 0 {
			g.remove(from, q.proc)
			g.leaf[q.proc] = 0
		}
		return
	}
	c := over(q)
	to := g.find(&c)
	if from == to {
		g.replace(to, q, &c)
		return
	}
	if from >= 0 {
		g.remove(from, q.proc)
		to = g.find(&c) // a branch that has lost too many is another
	}
	g.add(to, q, &c)
}

// renew gives a processor other bounds where it is: with time they change little.
func (g *grove) renew(q *prospect) {
	c := over(q)
	g.replace(g.leaf[q.proc]-1, q, &c)
}

func (g *grove) replace(leaf int32, q *prospect, c *canopy) {
	b := &g.boughs[leaf]
	b.fruits[b.place(q.proc)] = *q
	b.loose = true
	for at := leaf; at >= 0 && g.boughs[at].join(c); {
		at = g.boughs[at].parent
	}
}

// find is the leaf where a processor belongs.
func (g *grove) find(c *canopy) int32 {
	at := int32(0)
	for {
		b := &g.boughs[at]
		if b.kids[0] == 0 {
			return at
		}
		x := c.side(b.side)
		more := x > b.cut
		if x == b.cut { // as many are alike, it may be either
			more = g.boughs[b.kids[1]].n < g.boughs[b.kids[0]].n
		}
		if more {
			at = b.kids[1]
		} else {
			at = b.kids[0]
		}
	}
}

func (b *bough) place(proc int32) int {
	i := 0
	for b.fruits[i].proc != proc {
		i++
	}
	return i
}

// add puts a processor on a leaf.
func (g *grove) add(leaf int32, q *prospect, c *canopy) {
	g.leaf[q.proc] = leaf + 1
	b := &g.boughs[leaf]
	b.fruits = append(b.fruits, *q)
	depth, wider := 0, true
	for at := leaf; at >= 0; at = g.boughs[at].parent {
		up := &g.boughs[at]
		wider = wider && up.join(c)
		up.n++
		depth++
	}
	if len(b.fruits) <= 2*onLeaf {
		return
	}
	if depth > 2*levels(g.boughs[0].n) {
		leaf = g.lopsided(leaf)
	}
	g.grow(leaf)
}

// levels is how long the branches of a tree of so many need to be.
func levels(n int32) (long int) {
	for ; n > 0; n /= 2 {
		long++
	}
	return long
}

// lopsided is the lowest branch above a leaf of which one side has much more than the
// other; the root, if there is none.
func (g *grove) lopsided(at int32) int32 {
	for g.boughs[at].parent >= 0 {
		n := g.boughs[at].n
		at = g.boughs[at].parent
		if 10*int(n) > 7*int(g.boughs[at].n)+20*onLeaf {
			break
		}
	}
	return at
}

// remove takes a processor off a leaf. A branch with few is a leaf.
func (g *grove) remove(leaf, proc int32) {
	b := &g.boughs[leaf]
	last := len(b.fruits) - 1
	b.fruits[b.place(proc)] = b.fruits[last]
	b.fruits = b.fruits[:last]
	b.loose = true
	few := int32(-1)
	for at := leaf; at >= 0; at = g.boughs[at].parent {
		up := &g.boughs[at]
		up.n--
		if int(up.n) <= onLeaf/2 && at != leaf {
			few = at
		}
	}
	if few >= 0 {
		g.grow(few)
	}
}

// tighten works out the canopy over a leaf, and those over it.
func (g *grove) tighten(leaf int32) {
	b := &g.boughs[leaf]
	b.loose = false
	c := overAll(b.fruits)
	for b.canopy != c {
		b.canopy = c
		if b.parent < 0 {
			return
		}
		b = &g.boughs[b.parent]
		c = g.boughs[b.kids[0]].canopy
		c.cover(&g.boughs[b.kids[1]].canopy)
	}
}

// overAll is the canopy over the processors of a leaf.
func overAll(fruits []prospect) canopy {
	all := bare
	for i := range fruits {
		c := over(&fruits[i])
		all.cover(&c)
	}
	return all
}

// grow grows a branch anew from what is on it.
func (g *grove) grow(at int32) {
	g.fruits = g.fruits[:0]
	g.fell(at)
	g.plant(at, g.fruits)
}

// fell takes everything off a branch.
func (g *grove) fell(at int32) {
	b := &g.boughs[at]
	for i := range b.fruits {
		g.fruits = append(g.fruits, fruit{b.fruits[i], over(&b.fruits[i])})
	}
	b.fruits = b.fruits[:0]
	if kids := b.kids; kids[0] != 0 {
		b.kids = [2]int32{}
		g.fell(kids[0])
		g.fell(kids[1])
		g.unused = append(g.unused, kids[0], kids[1])
	}
}

// plant puts processors on a bare branch.
func (g *grove) plant(at int32, fruits []fruit) {
	b := &g.boughs[at]
	b.n = market.Int32(len(fruits))
	if len(fruits) <= onLeaf {
		b.fruits = b.fruits[:0]
		b.canopy, b.loose = bare, false
		for i := range fruits {
			b.fruits = append(b.fruits, fruits[i].prospect)
			b.join(&fruits[i].over)
			g.leaf[fruits[i].proc] = at + 1
		}
		return
	}
	side := widest(fruits)
	slices.SortFunc(fruits, func(a, b fruit) int {
		return cmp.Or(cmp.Compare(a.over.side(side), b.over.side(side)), cmp.Compare(a.proc, b.proc))
	})
	middle := len(fruits) / 2
	b.side, b.cut = side, fruits[middle].over.side(side)
	kids := [2]int32{g.bud(at), g.bud(at)}
	g.boughs[at].kids = kids
	g.plant(kids[0], fruits[:middle])
	g.plant(kids[1], fruits[middle:])
	c := g.boughs[kids[0]].canopy
	c.join(&g.boughs[kids[1]].canopy)
	g.boughs[at].canopy = c
}

// bud is a new branch of another.
func (g *grove) bud(parent int32) int32 {
	if last := len(g.unused) - 1; last >= 0 {
		at := g.unused[last]
		g.unused = g.unused[:last]
		b := &g.boughs[at]
		*b = bough{fruits: b.fruits[:0], parent: parent}
		return at
	}
	g.boughs = append(g.boughs, bough{parent: parent})
	return market.Int32(len(g.boughs) - 1)
}

// widest is in what processors differ most.
func widest(fruits []fruit) (side uint8) {
	most := -1.0
	for k := range uint8(sides) {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range fruits {
			if x := fruits[i].over.side(k); !math.IsInf(x, 0) {
				low, high = lesser(low, x), greater(high, x)
			}
		}
		if apart := (high - low) / (math.Abs(high) + math.Abs(low)); apart > most {
			side, most = k, apart
		}
	}
	return side
}
