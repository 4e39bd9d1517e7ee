package wire

import (
	"slices"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

const cent = int64(market.Unit) / 100

// inCents is an amount as it is shown, to the hundredth.
func inCents(micros int64) int64 {
	half := cent / 2
	if micros < 0 {
		half = -half
	}
	return (micros + half) / cent
}

// ReceiptLines are the lines of a receipt with amounts that add up as they are shown, to the
// hundredth: each alone is rounded, and their sum may miss a cent. Where it does, those are
// rounded the other way that are nearest to it.
func ReceiptLines(r *v1.Receipt) []v1.ReceiptLine {
	lines := slices.Clone(r.Lines)
	sum, shown := int64(0), int64(0)
	for i := range lines {
		sum += lines[i].Amount
		shown += inCents(lines[i].Amount)
	}
	if sum != r.Charged && sum != r.Net {
		return lines // there is more to it than they say
	}
	for missing := inCents(sum) - shown; missing != 0; {
		step := int64(1)
		if missing < 0 {
			step = -1
		}
		at := nearest(lines, step)
		if at < 0 {
			return slices.Clone(r.Lines)
		}
		to := (inCents(lines[at].Amount) + step) * cent
		if to == 0 { // less than a cent is not nothing
			to = -step
		}
		lines[at].Amount = to
		missing -= step
	}
	return lines
}

// nearest is the line that is shown farthest from what it is, on the side that a step takes
// it away from; -1: none is.
func nearest(lines []v1.ReceiptLine, step int64) int {
	best, far := -1, int64(0)
	for i := range lines {
		if off := (lines[i].Amount - inCents(lines[i].Amount)*cent) * step; off > far {
			best, far = i, off
		}
	}
	return best
}
