package market

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Number is a float64 that survives JSON to the last bit: JSON has no word for
// infinity, and the core is full of times that never come. Times, prices and
// work are written alike.
type Number float64

// The words for what is no finite number.
const (
	never = `"never"`
	ever  = `"ever"`
	none  = `"none"`
)

func encodeNumber(f float64) ([]byte, error) { return Number(f).Append(nil), nil }

// Append adds a number to a text as it is written in JSON.
func (n Number) Append(to []byte) []byte {
	switch f := float64(n); {
	case math.IsInf(f, 1):
		return append(to, never...)
	case math.IsInf(f, -1):
		return append(to, ever...)
	case math.IsNaN(f):
		return append(to, none...)
	default:
		return strconv.AppendFloat(to, f, 'g', -1, 64)
	}
}

// decodeNumber reads what encodeNumber writes, and the words that strconv has
// for infinities: snapshots of form 1 have those.
func decodeNumber(text []byte, f *float64) error {
	switch string(text) {
	case never:
		*f = math.Inf(1)
		return nil
	case ever:
		*f = math.Inf(-1)
		return nil
	case none:
		*f = math.NaN()
		return nil
	}
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
	*f = x
	return nil
}

// MarshalJSON writes the shortest digits that read back as the same number.
func (n Number) MarshalJSON() ([]byte, error) { return encodeNumber(float64(n)) }

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(text []byte) error { return decodeNumber(text, (*float64)(n)) }

// MarshalJSON writes a time as a [Number].
func (t Time) MarshalJSON() ([]byte, error) { return encodeNumber(float64(t)) }

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Time) UnmarshalJSON(text []byte) error { return decodeNumber(text, (*float64)(t)) }

// MarshalJSON writes work as a [Number].
func (w Work) MarshalJSON() ([]byte, error) { return encodeNumber(float64(w)) }

// UnmarshalJSON reads what MarshalJSON writes.
func (w *Work) UnmarshalJSON(text []byte) error { return decodeNumber(text, (*float64)(w)) }

// MarshalJSON writes a share as a [Number].
func (s Share) MarshalJSON() ([]byte, error) { return encodeNumber(float64(s)) }

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Share) UnmarshalJSON(text []byte) error { return decodeNumber(text, (*float64)(s)) }

// MarshalJSON writes a price as a [Number].
func (p Price) MarshalJSON() ([]byte, error) { return encodeNumber(float64(p)) }

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Price) UnmarshalJSON(text []byte) error { return decodeNumber(text, (*float64)(p)) }
