package spec

import (
	"fmt"
	"math/big"
	"strings"
)

// A megabyte is a million bytes here, so that 500 and "500MB" are the same.
// Sizes in binary units are rounded up to the next megabyte, for jobs and for
// nodes alike: a job of 4GiB fits a node of 4GiB.
var sizeUnits = []unit{
	{"b", big.NewRat(1, 1e6)},
	{"kb", big.NewRat(1, 1e3)},
	{"mb", big.NewRat(1, 1)},
	{"gb", big.NewRat(1e3, 1)},
	{"tb", big.NewRat(1e6, 1)},
	{"pb", big.NewRat(1e9, 1)},
	{"kib", big.NewRat(1<<10, 1e6)},
	{"mib", big.NewRat(1<<20, 1e6)},
	{"gib", big.NewRat(1<<30, 1e6)},
	{"tib", big.NewRat(1<<40, 1e6)},
	{"pib", big.NewRat(1<<50, 1e6)},
	// Letters alone are what they are in flags and scripts.
	{"k", big.NewRat(1, 1<<10)},
	{"m", big.NewRat(1, 1)},
	{"g", big.NewRat(1<<10, 1)},
	{"t", big.NewRat(1<<20, 1)},
}

// parseSize reads megabytes ("500") or a size with its unit ("4G", "4GiB").
func parseSize(text string) (*big.Rat, error) {
	if x, ok := decimal(text); ok {
		return x, nil
	}
	name := strings.TrimLeft(text, "0123456789.")
	x, ok := decimal(text[:len(text)-len(name)])
	if !ok {
		return nil, fmt.Errorf("%s is not a size (want MB, or text such as 500M, 4G, 500MB or 4GiB)", quote(text))
	}
	size, ok := sizeOf(strings.ToLower(strings.TrimSpace(name)), sizeUnits)
	if !ok {
		return nil, fmt.Errorf("%s has no unit of size %s (want M, G, T, MB, GB, TB, MiB, GiB or TiB)",
			quote(text), quote(strings.TrimSpace(name)))
	}
	return x.Mul(x, size), nil
}

// roundUp is the least whole number that is not below x, which is not negative.
func roundUp(x *big.Rat) int64 {
	whole, left := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	if left.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return whole.Int64()
}
