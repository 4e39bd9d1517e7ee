package experiment

import (
	"fmt"
	"math"
	"strings"
)

// curve is a series seen by a judge.
type curve []Point

// at is the value at x, or NaN: whatever is compared with it does not hold.
func (c curve) at(x float64) float64 {
	for _, p := range c {
		if math.Abs(p.X-x) < 1e-9 {
			return p.Mean
		}
	}
	return math.NaN()
}

func (c curve) first() float64 {
	if len(c) == 0 {
		return math.NaN()
	}
	return c[0].Mean
}

func (c curve) last() float64 {
	if len(c) == 0 {
		return math.NaN()
	}
	return c[len(c)-1].Mean
}

// between is the part of the curve with from <= x <= to.
func (c curve) between(from, to float64) curve {
	var part curve
	for _, p := range c {
		if p.X >= from-1e-9 && p.X <= to+1e-9 {
			part = append(part, p)
		}
	}
	return part
}

// average is the mean over all x.
func (c curve) average() float64 {
	sum := 0.0
	for _, p := range c {
		sum += p.Mean
	}
	return sum / float64(len(c)) // NaN for none
}

// peak is the largest value and where it is.
func (c curve) peak() (x, y float64) {
	x, y = math.NaN(), math.Inf(-1)
	for _, p := range c {
		if p.Mean > y {
			x, y = p.X, p.Mean
		}
	}
	return x, y
}

// spread is the largest value less the smallest.
func (c curve) spread() float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range c {
		low, high = min(low, p.Mean), max(high, p.Mean)
	}
	return high - low
}

// worstFall is the largest step down from one x to the next, 0 if there is
// none, and where it ends.
func (c curve) worstFall() (fall, x float64) {
	for i := 1; i < len(c); i++ {
		if down := c[i-1].Mean - c[i].Mean; down > fall || math.IsNaN(down) {
			fall, x = down, c[i].X
		}
	}
	return fall, x
}

// slope is that of the straight line that fits best.
func (c curve) slope() float64 {
	n := float64(len(c))
	var sx, sy, sxx, sxy float64
	for _, p := range c {
		sx, sy = sx+p.X, sy+p.Mean
		sxx, sxy = sxx+float64(p.X*p.X), sxy+float64(p.X*p.Mean)
	}
	return (float64(n*sxy) - float64(sx*sy)) / (float64(n*sxx) - float64(sx*sx))
}

// lead is by how much one curve is above another.
type lead struct {
	least, leastAt float64
	most, mostAt   float64
	mean           float64
	above          count // x at which it is
}

// over compares two curves at the values of x that both have.
func (c curve) over(d curve) lead { return c.overBy(d, 0) }

// overBy is over, and counts where the one is above the other by more than margin.
func (c curve) overBy(d curve, margin float64) lead {
	l := lead{least: math.Inf(1), most: math.Inf(-1)}
	for _, p := range c {
		gap := p.Mean - d.at(p.X)
		if math.IsNaN(gap) {
			continue
		}
		if gap < l.least {
			l.least, l.leastAt = gap, p.X
		}
		if gap > l.most {
			l.most, l.mostAt = gap, p.X
		}
		l.mean += gap
		l.above.of++
		if gap > margin {
			l.above.n++
		}
	}
	if l.above.of == 0 {
		nan := math.NaN()
		return lead{least: nan, leastAt: nan, most: nan, mostAt: nan, mean: nan}
	}
	l.mean /= float64(l.above.of)
	return l
}

func (l lead) String() string {
	return fmt.Sprintf("%s at %s to %s at %s, on average %s points, above at %s", signed(l.least), number(l.leastAt), signed(l.most), number(l.mostAt), signed(l.mean), l.above)
}

// signed writes a difference.
func signed(x float64) string {
	return strings.Replace(fmt.Sprintf("%+.1f", x), "-", "\u2212", 1)
}

// tenth writes a value.
func tenth(x float64) string { return strings.Replace(fmt.Sprintf("%.1f", x), "-", "\u2212", 1) }

// number writes a parameter.
func number(x float64) string { return strings.Replace(fmt.Sprintf("%.4g", x), "-", "\u2212", 1) }

// percent writes a value that is in per cent already.
func percent(x float64) string { return strings.Replace(fmt.Sprintf("%.1f %%", x), "-", "\u2212", 1) }
