package book

import (
	"math"
	"math/bits"

	"github.com/libra-market/libra/core/market"
)

// shadowWithRoom is View.Shadow for a job that is choosy: it plays the expected
// ends forward until the idle processors that will do are enough. An end changes what
// is left on its own nodes, so those alone are asked again.
func (b *Book) shadowWithRoom(j *market.Job) (market.Time, int) {
	then := b.inAdvance(j)
	r := b.reachOf(j, b.gpus.equipped) // some will be left where none is now
	free := b.idleFor(j, math.MaxInt)
	for _, chunk := range b.ends.chunks {
		for _, x := range chunk.items {
			s, _ := b.register.find(x.id)
			e := b.slots.at(s)
			free += then.vacate(e.Procs, &e.Job, &r, j)
			if free >= int(j.Width) {
				return max(b.now, x.at), then.idleN
			}
		}
	}
	return market.Never, b.idleN
}

// inAdvance is the processors in a copy in which ends can be played forward: of what a job does
// not ask for there is nothing in it.
func (b *Book) inAdvance(j *market.Job) *processors {
	idle, memory, disk := b.then.idle, b.then.memory, b.then.disk
	b.then = b.processors
	then := &b.then
	then.idle = bitset{words: append(idle.words[:0], b.idle.words...), summary: append(idle.summary[:0], b.idle.summary...)}
	then.memory, then.disk, then.gpus = nil, nil, gpus{}
	if b.memory != nil && (j.Memory > 0 || j.Disk > 0) {
		then.memory, then.disk = append(memory[:0], b.memory...), append(disk[:0], b.disk...)
	}
	if j.GPUs > 0 {
		then.gpus = b.gpus.clone()
	}
	return then
}

// vacate makes processors idle that one job held alone, and says by how many more of them there
// are for another, whose nodes are within a reach.
func (p *processors) vacate(held market.Procs, of *market.Job, r *reach, j *market.Job) (more int) {
	node, asked := int32(-1), false
	for _, block := range held {
		for w := block.Bits; w != 0; w &= w - 1 {
			proc := int(block.Index)<<6 + bits.TrailingZeros64(w)
			if on := p.nodeOf[proc]; on != node {
				if asked {
					more += p.idleOn(int(node), j)
				}
				node, asked = on, r.has(int(on))
				if asked {
					more -= p.idleOn(int(node), j)
				}
			}
			if asked {
				p.use(proc, of, 1)
			}
			if !p.shut(node) {
				p.idle.set(proc)
				p.idleN++
			}
		}
	}
	if asked {
		more += p.idleOn(int(node), j)
	}
	return more
}
