package market

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Money is an exact amount in micro-units of currency. It is what accounts
// hold and what is owed; it never comes from arithmetic on floats except
// through [Price.Money].
type Money int64

// Unit is one unit of currency.
const Unit Money = 1_000_000

// ErrAmount says that a number is not an amount of money.
var ErrAmount = errors.New("not an amount of money")

// Money rounds a price to micro-units, half to even, once.
func (p Price) Money() (Money, error) {
	micros := math.RoundToEven(float64(p) * float64(Unit))
	if math.IsNaN(micros) || math.Abs(micros) >= math.MaxInt64 {
		return 0, fmt.Errorf("%w: %v", ErrAmount, float64(p))
	}
	return Money(micros), nil
}

// Price is the amount as policies compare it.
func (m Money) Price() Price { return Price(float64(m) / float64(Unit)) }

// Plus adds without overflowing silently.
func (m Money) Plus(n Money) (Money, error) {
	sum := m + n
	if (sum > m) != (n > 0) && n != 0 {
		return 0, fmt.Errorf("%w: %s + %s overflows", ErrAmount, m, n)
	}
	return sum, nil
}

// String writes the amount in units, with as many decimals as it needs.
func (m Money) String() string {
	sign, units, micros := "", Bits(m), uint64(0)
	if m < 0 {
		sign, units = "-", -units
	}
	units, micros = units/uint64(Unit), units%uint64(Unit)
	if micros == 0 {
		return sign + strconv.FormatUint(units, 10)
	}
	return sign + strconv.FormatUint(units, 10) + "." + strings.TrimRight(fmt.Sprintf("%06d", micros), "0")
}

// cent is the least amount that people are shown.
const cent = Unit / 100

// Text writes the amount for people, on a page as in a terminal: with two decimals and
// the thousands apart. Less than half a cent is not nothing, and says so.
func (m Money) Text() string {
	rest := m % cent
	switch whole := m - rest; {
	case m > 0 && m < cent/2:
		return "<0.01"
	case m < 0 && m > -cent/2:
		return ">-0.01"
	case rest >= cent/2 && whole <= math.MaxInt64-cent:
		return (whole + cent).Exact()
	case rest <= -cent/2 && whole >= math.MinInt64+cent:
		return (whole - cent).Exact()
	default:
		return whole.Exact()
	}
}

// Sign stands behind an amount in what the core says: it knows no currency, and whoever
// shows it puts the unit in its place.
const Sign = "\u00a4"

// Said writes the amount in a sentence.
func (m Money) Said() string { return m.Text() + " " + Sign }

// Apart writes two amounts that are compared: alike only if they are.
func Apart(a, b Money) (string, string) {
	if a != b && a.Text() == b.Text() {
		return a.Exact(), b.Exact()
	}
	return a.Text(), b.Text()
}

// Exact writes the amount to the last micro-unit, for those who add it up: with two
// decimals at least and the thousands apart.
func (m Money) Exact() string {
	text, negative := strings.CutPrefix(m.String(), "-")
	whole, fraction, _ := strings.Cut(text, ".")
	var b strings.Builder
	if negative {
		b.WriteByte('-')
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	b.WriteByte('.')
	b.WriteString(fraction)
	for range 2 - len(fraction) {
		b.WriteByte('0')
	}
	return b.String()
}

// ParseMoney reads an amount in units, exactly: more than six decimals are
// refused rather than rounded.
func ParseMoney(text string) (Money, error) {
	digits, negative := strings.CutPrefix(text, "-")
	sign := ""
	if negative {
		sign = "-" // read with its sign, the least amount is in range
	}
	whole, fraction, point := strings.Cut(digits, ".")
	if !allDigits(whole) || point && !allDigits(fraction) || len(fraction) > 6 {
		return 0, fmt.Errorf("%w: %q (want units with at most six decimals)", ErrAmount, text)
	}
	micros, err := strconv.ParseInt(sign+whole+fraction+strings.Repeat("0", 6-len(fraction)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %q is too large", ErrAmount, text)
	}
	return Money(micros), nil
}

func allDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
