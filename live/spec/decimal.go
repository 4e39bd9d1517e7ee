package spec

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// most is the largest number the market counts with, whatever it counts.
const most = 1e15

// jsonNumber reports whether the text is a number as JSON writes them. Other
// spellings are not taken for numbers: 010 is ten to one reader of YAML and
// eight to another.
func jsonNumber(text string) bool {
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') &&
		text[len(text)-1] >= '0' && text[len(text)-1] <= '9' && json.Valid([]byte(text))
}

// decimal reads a number exactly, so that it is rounded once, at the end.
func decimal(text string) (*big.Rat, bool) {
	// Far beyond anything that makes sense, but a power of ten costs its size.
	const longest, steepest = 400, 400
	if len(text) > longest || !jsonNumber(text) {
		return nil, false
	}
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		power, err := strconv.Atoi(text[e+1:])
		if err != nil || power > steepest || power < -steepest {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// float rounds to the nearest float64.
func float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// inRange reports whether the market can count with x.
func inRange(x *big.Rat) bool {
	return x.Sign() >= 0 && x.Cmp(new(big.Rat).SetInt64(most)) <= 0
}

// formatFloat writes x so that reading it gives x again.
func formatFloat(x float64) string {
	if x != 0 && x < 1e-6 {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
