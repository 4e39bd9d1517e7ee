package revenue

import (
	"fmt"
	"math"
	"slices"

	"github.com/libra-market/libra/core/admission"
	"github.com/libra-market/libra/core/market"
)

// System is the cluster that section VI simulates and the jobs it is offered
// (tables 1 and 2): value by length and width, decay by class, a bounded
// penalty for jobs that wait too long.
type System struct {
	Processors int
	Period     float64 // seconds of one simulated period, which starts empty
	Length     Length
	Price      float64 // of a processor for an hour
	Grace      float64 // tau_min is so many times a job's own length
	Penalty    float64 // an expired job costs this part of its value
	Classes    []JobClass
	Widths     []Width
	// ModelWidth is the width of the jobs for which admission is optimised; 0
	// means the mean width. With mixed widths the paper's numbers (90 and 65 %
	// utilisation) come out if it stays at 500.
	ModelWidth float64
}

// Length is how long jobs run: normal, but not below Least, in seconds.
type Length struct{ Mean, Deviation, Least float64 }

// JobClass is a class of section VI.
type JobClass struct {
	Name  string
	Share float64 // part of the arriving jobs
	Skew  float64 // value relative to the base price
	Decay float64 // per second, not scaled by length
}

// Width is how many processors a part of the jobs needs.
type Width struct {
	Processors int
	Share      float64
}

// PaperSystem is the cluster of section VI: 5000 processors, jobs of 500, and
// periods of half a year.
func PaperSystem() System {
	return System{
		Processors: 5000, Period: 182.5 * 86400,
		Length: Length{Mean: 7200, Deviation: 2400, Least: 300},
		Price:  1, Grace: 3, Penalty: 0.05,
		Classes: []JobClass{
			{Name: "LvLu", Share: 0.64, Skew: 1, Decay: 0.1},
			{Name: "LvHu", Share: 0.16, Skew: 1, Decay: 1},
			{Name: "HvLu", Share: 0.16, Skew: 5, Decay: 0.5},
			{Name: "HvHu", Share: 0.04, Skew: 5, Decay: 5},
		},
		Widths: []Width{{500, 1}},
	}
}

// MixedWidths are the job widths of the last paragraph of section VI: half of
// the jobs need 250 processors, three in ten 750 and two in ten 1500.
func MixedWidths() []Width { return []Width{{250, 0.5}, {750, 0.3}, {1500, 0.2}} }

// maxSystemClasses keeps the set of classes with waiting jobs in one word.
const maxSystemClasses = 64

// Validate finds the first field that makes no sense.
func (s *System) Validate() error {
	for _, field := range []struct {
		name  string
		value float64
		ok    bool
		want  string
	}{
		{"processors", float64(s.Processors), s.Processors > 0 && s.Processors <= market.MaxWidth, "1 or more"},
		{"period", s.Period, s.Period > 0, "more than 0"},
		{"length mean", s.Length.Mean, s.Length.Mean > 0, "more than 0"},
		{"length deviation", s.Length.Deviation, s.Length.Deviation >= 0, "0 or more"},
		{"length least", s.Length.Least, s.Length.Least > 0, "more than 0"},
		{"price", s.Price, s.Price >= 0, "0 or more"},
		{"grace", s.Grace, s.Grace >= 0, "0 or more"},
		{"penalty", s.Penalty, s.Penalty >= 0, "0 or more"},
	} {
		if !field.ok || math.IsInf(field.value, 1) {
			return &market.FieldError{Field: field.name, Value: field.value, Want: field.want}
		}
	}
	if len(s.Classes) == 0 || len(s.Classes) > maxSystemClasses {
		return fmt.Errorf("classes: %d (want 1 to %d)", len(s.Classes), maxSystemClasses)
	}
	for i, c := range s.Classes {
		if !(c.Share >= 0) || !(c.Skew >= 0) || !(c.Decay > 0) || math.IsInf(c.Share+c.Skew+c.Decay, 1) {
			return fmt.Errorf("classes[%d]: %+v makes no sense (want share and skew of 0 or more, decay above 0)", i, c)
		}
	}
	if !(s.totalShare() > 0) || len(s.Widths) == 0 || !(s.MeanWidth() > 0) {
		return fmt.Errorf("no jobs: the shares of the classes or of the widths are 0")
	}
	for i, w := range s.Widths {
		if w.Processors < 1 || !(w.Share >= 0) || math.IsInf(w.Share, 1) {
			return fmt.Errorf("widths[%d]: %+v makes no sense", i, w)
		}
	}
	return nil
}

func (s *System) totalShare() (total float64) {
	for _, c := range s.Classes {
		total += c.Share
	}
	return total
}

// MeanWidth is the mean number of processors of a job.
func (s *System) MeanWidth() float64 {
	sum, total := 0.0, 0.0
	for _, w := range s.Widths {
		sum += w.Share * float64(w.Processors)
		total += w.Share
	}
	return sum / total
}

// ArrivalRate is the jobs per second at a load: load * processors / (mean
// length * mean width), with the mean of the normal law before it is cut.
func (s *System) ArrivalRate(load float64) float64 {
	return load * float64(s.Processors) / (s.Length.Mean * s.MeanWidth())
}

// ClassNumber finds a class by its name.
func (s *System) ClassNumber(name string) (int, bool) {
	i := slices.IndexFunc(s.Classes, func(c JobClass) bool { return c.Name == name })
	return i, i >= 0
}

// ranks lists the classes from the most urgent to the least: by decay over mean
// length, (14) and (15), and of equal ones the class listed later first.
func (s *System) ranks() []int {
	list := make([]int, len(s.Classes))
	for i := range list {
		list[i] = len(list) - 1 - i
	}
	slices.SortStableFunc(list, func(a, b int) int {
		switch {
		case s.Classes[a].Decay > s.Classes[b].Decay:
			return -1
		case s.Classes[a].Decay < s.Classes[b].Decay:
			return 1
		}
		return 0
	})
	return list
}

// Value is what a job is worth if it does not wait too long.
func (s *System) Value(j *Job) float64 {
	return j.Length / 3600 * float64(j.Width) * s.Price * s.Classes[j.Class].Skew
}

// patience is the value of a job and the delay at which it expires: tau_min, a
// multiple of its own length, plus value/decay.
func (s *System) patience(j *Job) (value, limit float64) {
	value = s.Value(j)
	return value, float64(s.Grace*j.Length) + value/s.Classes[j.Class].Decay
}

// Model is the analytic model (30) of this cluster at a load, for jobs of its
// ModelWidth.
func (s *System) Model(load, phi float64, offset admission.Offset) admission.Model {
	width := s.ModelWidth
	if width == 0 {
		width = s.MeanWidth()
	}
	m := admission.Model{
		Capacity: float64(s.Processors) / width, TauMin: s.Grace * s.Length.Mean,
		Phi: phi, Offset: offset, Load: load,
	}
	for _, c := range s.Classes {
		m.Classes = append(m.Classes, admission.Class{
			Name: c.Name, P0: s.Length.Mean / 3600 * width * s.Price * c.Skew, V1: c.Decay, Share: c.Share,
			B1: s.Length.Mean, B2: s.Length.Mean*s.Length.Mean + s.Length.Deviation*s.Length.Deviation,
		})
	}
	return m
}
