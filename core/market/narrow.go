package market

import (
	"fmt"
	"math"
)

// whole is a number that has room for what comes from outside.
type whole interface{ ~int | ~int64 }

// Int32 is a number in 32 bits. Where numbers come in they are checked as what they
// are: one that does not fit here broke an invariant, and must not become another
// number. (Threads of 4294967298 became 2, and closed a market.)
func Int32[T whole](n T) int32 {
	if int64(int32(n)) != int64(n) {
		unfit(int64(n), "32 bits")
	}
	return int32(n)
}

// Uint32 is a number that is not negative in 32 bits.
func Uint32[T whole](n T) uint32 {
	if int64(n) < 0 || int64(n) > math.MaxUint32 {
		unfit(int64(n), "32 bits without a sign")
	}
	return uint32(n)
}

// Uint8 is a small number that is not negative, of those that name things.
func Uint8[T whole](n T) uint8 {
	if int64(n) < 0 || int64(n) > math.MaxUint8 {
		unfit(int64(n), "8 bits without a sign")
	}
	return uint8(n)
}

// Bits are the 64 bits of a number, for sums and seeds: none is lost.
func Bits[T whole](n T) uint64 { return uint64(n) }

// Signed is the number of which these are the bits.
func Signed(bits uint64) int64 { return int64(bits) } //nolint:gosec // all 64 of them stay

//go:noinline
func unfit(n int64, into string) { panic(fmt.Sprintf("libra: %d does not fit into %s", n, into)) }
