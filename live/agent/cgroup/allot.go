package cgroup

// claim is what one group asks of a tree that signals keep, in processors.
type claim struct {
	limit  float64 // negative: none
	weight float64
	need   float64 // what it would use; negative: all it can get
}

// most is what the claim can be given at most; false is no bound.
func (c claim) most() (float64, bool) {
	switch {
	case c.limit < 0 && c.need < 0:
		return 0, false
	case c.limit < 0:
		return c.need, true
	case c.need < 0:
		return c.limit, true
	default:
		return min(c.limit, c.need), true
	}
}

// allot divides the capacity by weight, so that what one does not need goes to
// the others, again by weight. With no capacity (negative) everybody has what
// the limit allows; a negative answer is no bound.
func allot(capacity float64, claims []claim) []float64 {
	got := make([]float64, len(claims))
	if capacity < 0 {
		for i, c := range claims {
			got[i] = c.limit
		}
		return got
	}
	open := make([]int, len(claims))
	for i := range claims {
		open[i] = i
	}
	left := capacity
	for len(open) > 0 {
		sum := 0.0
		for _, i := range open {
			sum += claims[i].weight
		}
		// Whoever can take no more than its part has it, and the rest is
		// divided anew; when nobody is left of that kind, the parts are right.
		rest, taken := open[:0:0], 0.0
		for _, i := range open {
			part := left * claims[i].weight / sum
			if most, bound := claims[i].most(); bound && most <= part {
				got[i] = most
				taken += most
			} else {
				got[i] = part
				rest = append(rest, i)
			}
		}
		if len(rest) == len(open) {
			break
		}
		left = max(0, left-taken)
		open = rest
	}
	return got
}
