package workload

import "strconv"

// parseNumber reads a decimal number. It accepts less than strconv does: no
// infinities, no hexadecimals, no underscores, because none of these is ever
// meant in a log.
func parseNumber[T []byte | string](text T) (float64, error) {
	if len(text) <= 17 { // sign, point and fifteen digits
		if x, ok := parsePlain(text); ok {
			return x, nil
		}
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9', c == '.', c == '+', c == '-', c == 'e', c == 'E':
		default:
			return 0, errNotNumber
		}
	}
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		if x != 0 { // only a number beyond the range comes back with a value
			return 0, errTooLarge
		}
		return 0, errNotNumber
	}
	return x + 0, nil // -0 becomes 0, so that equal values are written alike
}

// parsePlain reads what nearly every number looks like: at most fifteen digits
// with a point somewhere. Such a number is an exact integer divided by an exact
// power of ten, so one division rounds it correctly.
func parsePlain[T []byte | string](text T) (float64, bool) {
	i, negative := 0, false
	if len(text) > 0 && text[0] == '-' {
		i, negative = 1, true
	}
	mantissa, digits, point := int64(0), 0, -1
	for ; i < len(text); i++ {
		c := text[i]
		if c == '.' && point < 0 {
			point = digits
			continue
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		mantissa = mantissa*10 + int64(c-'0')
		digits++
		if digits > 15 {
			return 0, false
		}
	}
	if digits == 0 {
		return 0, false
	}
	if negative {
		mantissa = -mantissa
	}
	if point >= 0 {
		return float64(mantissa)/powersOfTen[digits-point] + 0, true
	}
	return float64(mantissa), true
}

var powersOfTen = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// appendNumber writes the shortest decimal that reads back as the same number,
// never with an exponent: some readers of these formats know none.
func appendNumber(text []byte, x float64) []byte {
	if x > -1e15 && x < 1e15 && x == float64(int64(x)) {
		return strconv.AppendInt(text, int64(x), 10)
	}
	return strconv.AppendFloat(text, x, 'f', -1, 64)
}
