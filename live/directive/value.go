package directive

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// What can be wrong with a value.
var (
	ErrSize   = errors.New("not an amount of memory")
	ErrArray  = errors.New("not an array")
	ErrNumber = errors.New("not a number")
)

// Megabytes reads an amount of memory or disk: 500 or 500M, 2G, 1.5G, 64K. A
// part of a megabyte is a whole one.
func Megabytes(text string) (int64, error) {
	number, unit := cutUnit(text)
	unit = strings.TrimSuffix(strings.TrimSuffix(unit, "b"), "i")
	if unit == "" {
		unit = "m"
	}
	kilobytes, known := map[string]float64{"k": 1, "m": 1 << 10, "g": 1 << 20, "t": 1 << 30}[unit]
	if !known {
		return 0, fmt.Errorf("%w: %q (want 500M or 2G)", ErrSize, text)
	}
	return megabytes(text, number, kilobytes*1024)
}

// pbsSize reads a size as PBS writes it: bytes, kb, mb, gb, tb, or the same
// in words of eight bytes.
func pbsSize(text string) (int64, error) {
	number, unit := cutUnit(text)
	letter := 1.0
	switch {
	case strings.HasSuffix(unit, "w"):
		letter = 8
		unit = strings.TrimSuffix(unit, "w")
	default:
		unit = strings.TrimSuffix(unit, "b")
	}
	scale, known := map[string]float64{"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}[unit]
	if !known {
		return 0, fmt.Errorf("%w: %q (want 500mb or 2gb)", ErrSize, text)
	}
	return megabytes(text, number, letter*scale)
}

func cutUnit(text string) (number, unit string) {
	number = strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	return number, strings.ToLower(text[len(number):])
}

func megabytes(text, number string, bytes float64) (int64, error) {
	wrong := fmt.Errorf("%w: %q (want 500M or 2G)", ErrSize, text)
	if number == "" || strings.Trim(number, "0123456789.") != "" {
		return 0, wrong
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, wrong
	}
	mb := n * bytes / (1 << 20)
	if !(mb <= 1e12) {
		return 0, fmt.Errorf("%w: %q is too much", ErrSize, text)
	}
	whole := int64(mb)
	if float64(whole) < mb {
		whole++
	}
	return whole, nil
}

// count reads a whole number of at least least.
func count(text string, least int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		return 0, fmt.Errorf("%w: %q (want %d or more)", ErrNumber, text, least)
	}
	return n, nil
}

// processors reads how many processors a job, or a part of it, has.
func processors(text string) (int, error) {
	n, err := count(text, 1)
	if err == nil && n > market.MaxWidth {
		err = fmt.Errorf("%w: %q (want %d at most)", ErrNumber, text, market.MaxWidth)
	}
	return n, err
}

// money reads an amount that is not negative, in micro-units.
func money(text string) (int64, error) {
	m, err := market.ParseMoney(text)
	if err == nil && m < 0 {
		err = fmt.Errorf("%w: %q (want 0 or more)", market.ErrAmount, text)
	}
	return int64(m), err
}

// jobs reads numbers of jobs with commas or colons between them.
func jobs(text string) ([]int64, error) {
	var ids []int64
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ':' }) {
		id, err := strconv.ParseInt(word, 10, 64)
		if err != nil || id < 1 {
			return nil, fmt.Errorf("%w: %q (want the number of a job)", ErrNumber, word)
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%w: %q (want the numbers of jobs)", ErrNumber, text)
	}
	return ids, nil
}

// Array reads a sweep: 1-100, 0-30:2 (every other), 1-100%10 (ten at a time),
// 7, or a list of such spans, 1-3,7.
func Array(text string) (*v1.Array, error) {
	wrong := fmt.Errorf("%w: %q (want 1-100, 0-30:2, 1,4,7-9 or 1-100%%10)", ErrArray, text)
	span, limit, limited := strings.Cut(text, "%")
	a := &v1.Array{Step: 1}
	if limited {
		n, err := count(limit, 1)
		if err != nil {
			return nil, wrong
		}
		a.Limit = n
	}
	if strings.Contains(span, ",") {
		return listed(a, span, wrong)
	}
	span, step, stepped := strings.Cut(span, ":")
	first, last, ranged := strings.Cut(span, "-")
	if !ranged {
		last = first
	}
	if !stepped {
		step = "1"
	}
	n, err := numbers([]string{first, last, step})
	if err != nil || n[1] < n[0] || n[2] < 1 || stepped && !ranged {
		return nil, wrong
	}
	a.First, a.Last, a.Step = int(n[0]), int(n[1]), int(n[2])
	return a, sized(a, text)
}

// listed reads a list of indexes and of spans of them, 1-3,7: by rule where they are
// equally far apart.
func listed(a *v1.Array, text string, wrong error) (*v1.Array, error) {
	var all []int
	for word := range strings.SplitSeq(text, ",") {
		span, err := Array(word)
		if err != nil {
			return nil, wrong
		}
		if len(all)+span.Len() > trade.MaxElements {
			return nil, tooMany(text)
		}
		for i := range span.Len() {
			all = append(all, span.Index(i))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	a.First, a.Last = all[0], all[len(all)-1]
	if len(all) > 1 {
		a.Step = all[1] - all[0]
	}
	if even(all) {
		return a, nil
	}
	a.Step, a.List = 1, all
	if a.Last-a.First >= trade.MaxElements {
		return nil, fmt.Errorf("%w: %q: no index of a list is more than %d after its first", ErrArray, text, trade.MaxElements-1)
	}
	return a, nil
}

// even reports whether indexes are equally far apart.
func even(all []int) bool {
	for i := 2; i < len(all); i++ {
		if all[i]-all[i-1] != all[1]-all[0] {
			return false
		}
	}
	return true
}

func tooMany(text string) error {
	return fmt.Errorf("%w: %q has more than %d elements", ErrArray, text, trade.MaxElements)
}

func sized(a *v1.Array, text string) error {
	if a.Len() > trade.MaxElements {
		return tooMany(text)
	}
	return nil
}

// truth reads yes or no; nothing is yes.
func truth(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "", "true", "yes", "1":
		return true, nil
	case "false", "no", "0":
		return false, nil
	}
	return false, fmt.Errorf("%q (want yes or no)", text)
}
