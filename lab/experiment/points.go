package experiment

import "fmt"

// count is at how many points, steps or curves of a figure something is so.
type count struct{ n, of int }

func (c count) String() string { return fmt.Sprintf("%d of %d", c.n, c.of) }

// where counts the points of a curve at which something is so.
func (c curve) where(so func(Point) bool) count {
	all := count{of: len(c)}
	for _, p := range c {
		if so(p) {
			all.n++
		}
	}
	return all
}

// steps counts the steps from one x to the next that go up (1) or down (-1).
func (c curve) steps(way float64) count {
	all := count{of: max(0, len(c)-1)}
	for i := 1; i < len(c); i++ {
		if way*(c[i].Mean-c[i-1].Mean) > 0 {
			all.n++
		}
	}
	return all
}

// inOrder counts the x at which the curves come in order, each above the one before.
func inOrder(curves ...curve) count {
	return curves[0].where(func(p Point) bool {
		for i := 1; i < len(curves); i++ {
			if !(curves[i].at(p.X) > curves[i-1].at(p.X)) {
				return false
			}
		}
		return true
	})
}

// fewest is the least part of a figure that a judge has counted; nothing if none was.
func fewest(counts []count) string {
	least, points := 2.0, ""
	for _, c := range counts {
		if part := float64(c.n) / float64(c.of); c.of > 0 && part < least {
			least, points = part, c.String()
		}
	}
	return points
}
