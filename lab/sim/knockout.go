package sim

import (
	"math/bits"

	"github.com/libra-market/libra/core/market"
)

// knockout says which of a number of units, numbered from 0, is done first, where nearly all of them have
// a time and those change all the time. Units meet in pairs, the earlier goes on, and of equals the lower
// number: there is no place to keep of a unit, and nothing to guess on the way up or down.
type knockout struct {
	keys []uint64 // of times: who won it all at 1, those who met for place i at 2i and 2i+1, the units last
	away int      // the place of unit 0
	due  []int32  // scratch
}

var noKey = keyOf(market.Never)

// grow makes room for a unit.
func (k *knockout) grow(unit int32) {
	n := max(64, k.away)
	for n <= int(unit) {
		n *= 2
	}
	keys := make([]uint64, 2*n)
	for i := range keys {
		keys[i] = noKey
	}
	if k.away > 0 {
		copy(keys[n:], k.keys[k.away:])
	}
	for i := n - 1; i > 0; i-- {
		keys[i] = min(keys[2*i], keys[2*i+1])
	}
	k.keys, k.away = keys, n
}

// set gives a unit a time; one that never comes takes it out.
func (k *knockout) set(unit int32, key uint64) {
	if int(unit) >= k.away {
		k.grow(unit)
	}
	keys, i := k.keys, k.away+int(unit)
	keys[i] = key
	for i > 1 { // to the end, which is a few steps: where it makes no difference any more is anybody's guess
		key = min(key, keys[i^1])
		i >>= 1
		keys[i] = key
	}
}

// first is the time of the first unit.
func (k *knockout) first() market.Time {
	if k.away == 0 {
		return market.Never
	}
	return timeOf(k.keys[1])
}

// unit is the first unit, and its key.
func (k *knockout) unit() (unit int32, key uint64) {
	keys, i := k.keys, 1
	key = keys[1]
	for i < k.away {
		_, second := bits.Sub64(key, keys[2*i], 0) // 1 if the first of the two is later
		i = 2*i + int(second)                      //nolint:gosec // of 0 and 1
	}
	return market.Int32(i - k.away), key
}

// at is the time of a unit, if it has one.
func (k *knockout) at(unit int32) (at market.Time, on bool) {
	if int(unit) >= k.away {
		return 0, false
	}
	key := k.keys[k.away+int(unit)]
	return timeOf(key), key != noKey
}

// by lists the units that are due by a horizon.
func (k *knockout) by(horizon market.Time) []int32 {
	k.due = k.due[:0]
	if k.away > 0 && horizon.Finite() {
		k.search(1, keyOf(horizon))
	}
	return k.due
}

func (k *knockout) search(i int, horizon uint64) {
	switch {
	case k.keys[i] > horizon:
	case i >= k.away:
		k.due = append(k.due, market.Int32(i-k.away))
	default:
		k.search(2*i, horizon)
		k.search(2*i+1, horizon)
	}
}
