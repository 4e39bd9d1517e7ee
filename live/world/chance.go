package world

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"time"
)

// chance draws by the seed and by what it is for: two things that happen at once
// draw each from their own, whoever comes first.
func (w *World) chance(what string, n ...int64) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(what)) // it never fails
	for _, one := range n {
		_, _ = h.Write([]byte("/" + strconv.FormatInt(one, 10)))
	}
	return rand.New(rand.NewPCG(w.day.Seed, h.Sum64()))
}

// between is a time in a range, to the nanosecond: so that hardly anything happens
// at the same instant as something else.
func between(r *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(r.Int64N(int64(high-low)+1))
}
