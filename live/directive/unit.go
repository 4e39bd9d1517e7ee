package directive

import "strconv"

// WithoutUnit finds an amount of memory that is so small, and without a unit, that
// gigabytes were meant more likely than megabytes.
func WithoutUnit(text string) bool {
	n, err := strconv.ParseFloat(text, 64)
	return err == nil && n > 0 && n <= 64
}
