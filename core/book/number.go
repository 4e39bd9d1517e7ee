package book

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Number is a float64 that survives JSON to the last bit: JSON has no word for
// infinity, and a book is full of times that never come. What is no finite
// number is written as text.
type Number float64

// MarshalJSON writes the shortest digits that read back as the same number.
func (n Number) MarshalJSON() ([]byte, error) {
	x := float64(n)
	text := strconv.AppendFloat(nil, x, 'g', -1, 64)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(append([]byte{'"'}, text...), '"'), nil
	}
	return text, nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(text []byte) error {
	digits := string(text)
	if len(text) > 0 && text[0] == '"' {
		if err := json.Unmarshal(text, &digits); err != nil {
			return err
		}
	}
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return fmt.Errorf("%s is not a number", text)
	}
	*n = Number(x)
	return nil
}
