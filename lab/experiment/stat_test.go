package experiment

import (
	"math"
	"testing"
)

// The quantiles that every table of Student's t has.
func TestStudentT(t *testing.T) {
	for freedom, want := range map[int]float64{1: 12.7062, 2: 4.30265, 4: 2.77645, 9: 2.26216, 29: 2.04523, 120: 1.97993, 999: 1.96234} {
		if got := studentT(freedom); math.Abs(got-want) > 1e-4 {
			t.Errorf("%d degrees: %v, want %v", freedom, got, want)
		}
	}
}

func TestConfidence(t *testing.T) {
	e := Confidence([]float64{1, 2, 3, 4, 5})
	// deviation sqrt(2.5), half width 2.776 * 1.5811 / sqrt(5)
	if e.Mean != 3 || math.Abs(e.High-4.96324) > 1e-4 || math.Abs(e.Low-1.03676) > 1e-4 || e.N != 5 {
		t.Errorf("1 to 5: %+v", e)
	}
	if e := Confidence([]float64{7}); e.Mean != 7 || e.Low != 7 || e.High != 7 {
		t.Errorf("a single value: %+v", e)
	}
	if e := Confidence(nil); !math.IsNaN(e.Mean) || e.N != 0 {
		t.Errorf("nothing: %+v", e)
	}
}

func TestRange(t *testing.T) {
	var values []float64
	for i := range 201 {
		values = append(values, float64(200-i))
	}
	if e := Range(values); e.Mean != 100 || e.Low != 5 || e.High != 195 {
		t.Errorf("0 to 200: %+v", e)
	}
	if e := Range([]float64{3}); e.Low != 3 || e.High != 3 {
		t.Errorf("a single value: %+v", e)
	}
}
