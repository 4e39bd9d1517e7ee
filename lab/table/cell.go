package table

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/libra-market/libra/core/plain"
)

// ErrEmpty says that a cell that has to have something in it has nothing.
var ErrEmpty = errors.New("empty, but needed")

// Text is what stands in a column of the line, or "" where the file has no such
// column. It holds until the next line.
func (t *Table) Text(column string) string {
	place, there := t.places[column]
	if !there {
		return ""
	}
	return strings.TrimSpace(t.record[place])
}

// Number reads a column that has to have a number in it.
func (t *Table) Number(column string) (float64, error) {
	x, err := ParseNumber(t.Text(column))
	if err != nil {
		return 0, t.Wrong(column, err)
	}
	return x, nil
}

// Whole reads a column that has to have a whole number in it.
func (t *Table) Whole(column string) (int, error) {
	x, err := t.Number(column)
	if err != nil {
		return 0, err
	}
	if x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
		return 0, t.Wrong(column, fmt.Errorf("%q is not a whole number that fits", t.Text(column)))
	}
	return int(x), nil
}

// Name reads a column that names the line, and no other line.
func (t *Table) Name(column string) (string, error) {
	name := plain.Unguard(t.Text(column))
	if name == "" {
		return "", t.Wrong(column, ErrEmpty)
	}
	for _, r := range name {
		if unicode.IsControl(r) {
			return "", t.Wrong(column, fmt.Errorf("%q has a control character in it", name))
		}
	}
	if before, twice := t.names[name]; twice {
		return "", t.Wrong(column, fmt.Errorf("%q is there twice, first in line %d", name, before))
	}
	name = strings.Clone(name) // the text it is cut from is the whole line
	t.names[name] = t.line
	return name, nil
}

// ParseNumber reads a decimal number. It accepts less than strconv does: no
// infinities, no hexadecimals, no underscores, because none of these is meant.
func ParseNumber(text string) (float64, error) {
	if text == "" {
		return 0, ErrEmpty
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return x + 0, nil // -0 becomes 0
}
