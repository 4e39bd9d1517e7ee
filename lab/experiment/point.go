package experiment

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// MarshalJSON writes a point as [x, mean, low, high, seeds]; a number that is
// none is null, for which JSON has no other word.
func (p Point) MarshalJSON() ([]byte, error) {
	list := make([]any, 0, 5)
	for _, x := range []float64{p.X, p.Mean, p.Low, p.High} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			list = append(list, nil)
		} else {
			list = append(list, x)
		}
	}
	return json.Marshal(append(list, p.N))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Point) UnmarshalJSON(text []byte) error {
	var list []*float64
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	if len(list) != 5 {
		return fmt.Errorf("a point has %d numbers (want 5)", len(list))
	}
	for i, to := range []*float64{&p.X, &p.Mean, &p.Low, &p.High} {
		*to = math.NaN()
		if list[i] != nil {
			*to = *list[i]
		}
	}
	if list[4] != nil {
		p.N = int(*list[4])
	}
	return nil
}

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", ", ") }
