package market

import (
	"iter"
	"math/bits"
)

// Procs is a set of processors, in blocks of 64 in ascending order. Wide jobs
// hold thousands of processors; a set of blocks is taken, given back and
// carried around at the cost of its blocks.
type Procs []Block

// Block is the part of a set within [64*Index, 64*Index+64).
type Block struct {
	Bits  uint64
	Index int32
}

// Len counts the processors.
func (p Procs) Len() int {
	n := 0
	for _, b := range p {
		n += bits.OnesCount64(b.Bits)
	}
	return n
}

// All yields the processors in ascending order.
func (p Procs) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, b := range p {
			for w := b.Bits; w != 0; w &= w - 1 {
				if !yield(int(b.Index)<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// Add puts a processor into the set; processors must come in ascending order.
func (p Procs) Add(proc int) Procs {
	index, bit := Int32(proc>>6), uint64(1)<<(proc&63)
	if n := len(p); n > 0 && p[n-1].Index == index {
		p[n-1].Bits |= bit
		return p
	}
	return append(p, Block{Bits: bit, Index: index})
}

// Has reports whether the set holds the processor.
func (p Procs) Has(proc int) bool {
	for _, b := range p {
		if int(b.Index) == proc>>6 {
			return b.Bits&(1<<(proc&63)) != 0
		}
	}
	return false
}

// ProcsOf makes a set of processors given in ascending order.
func ProcsOf(procs ...int) Procs {
	var set Procs
	for _, p := range procs {
		set = set.Add(p)
	}
	return set
}
