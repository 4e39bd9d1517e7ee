package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// ParseAxes reads axes as people write them: name=a,b,c or name=from:to:step.
func ParseAxes(texts []string) ([]Axis, error) {
	var axes []Axis
	for _, text := range texts {
		name, list, found := strings.Cut(text, "=")
		if !found || name == "" || list == "" {
			return nil, fmt.Errorf("%q is not name=values", text)
		}
		if slices.ContainsFunc(axes, func(a Axis) bool { return a.Name == name }) {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		a := Axis{Name: name}
		for part := range strings.SplitSeq(list, ",") {
			values, err := parseValues(part)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			a.Values = append(a.Values, values...)
		}
		for i, value := range a.Values {
			if slices.Contains(a.Values[:i], value) {
				return nil, fmt.Errorf("%s: %s is there twice", name, value)
			}
		}
		axes = append(axes, a)
	}
	return axes, nil
}

// parseValues reads one value, or a range from:to:step with both ends in it.
func parseValues(text string) ([]string, error) {
	parts := strings.Split(text, ":")
	if len(parts) == 1 && parts[0] != "" {
		return parts, nil
	}
	var x [3]float64
	for i, part := range parts {
		if len(parts) != 3 {
			return nil, fmt.Errorf("%q is not from:to:step", text)
		}
		var err error
		if x[i], err = strconv.ParseFloat(part, 64); err != nil || math.IsNaN(x[i]) || math.IsInf(x[i], 0) {
			return nil, fmt.Errorf("%q is not a number", part)
		}
	}
	steps := math.Floor((x[1]-x[0])/x[2] + 1e-9)
	if !(x[2] > 0) || !(steps >= 0) || steps > 1e6 {
		return nil, fmt.Errorf("%q is not a range (want from:to:step, upwards)", text)
	}
	var values []string
	for i := 0.0; i <= steps; i++ {
		// Twelve digits: 0.1 + 2 * 0.1 is 0.3 to whoever wrote the range.
		values = append(values, strconv.FormatFloat(market.RoundSignificant(x[0]+float64(i*x[2])), 'g', -1, 64))
	}
	return values, nil
}
