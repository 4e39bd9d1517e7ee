package exchange

import "github.com/libra-market/libra/core/trade"

// resume goes on in another store. Jobs and quotes that were made after a backup of
// it have numbers that are not given out again.
func (x *floor) resume(r *trade.Resume) {
	if x.generation != "" && x.generation != r.Generation {
		x.next += min(max(trade.Skipped, r.Skip), trade.Skipped+trade.SkippedMost)
	}
	x.generation, x.touched.Resumed = r.Generation, r.Generation
}

// Generation is that of the store the market was last in; empty: nobody has said.
func (x *state) Generation() string { return x.generation }
