package admission

import (
	"fmt"
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Class is a class of jobs with the same price and the same patience.
type Class struct {
	Name  string  `json:"name"`
	P0    float64 `json:"p0"`    // base price of a job, equation (6)
	V1    float64 `json:"v1"`    // loss per second of delay, equation (5)
	Share float64 `json:"share"` // part of the arriving jobs, relative to the other classes
	B1    float64 `json:"b1"`    // mean service time, seconds
	B2    float64 `json:"b2"`    // second moment of the service time
}

// Offset says how the period without loss, tau_min, enters a delay. The paper
// adds it after the fact, in (28) and (30), in a form that makes a little load
// free of all delay; the other forms are readings of what was meant.
type Offset string

// The four forms, with x = Phi*T0 and d = (1-sigma_s)(1-sigma_next).
const (
	Scaled  Offset = "scaled"  // max(0, x - rho*tau_min) / d
	Literal Offset = "literal" // max(0, x - tau_min) / d, (28) and (30) as printed
	Wait    Offset = "wait"    // max(0, x/d - tau_min)
	None    Offset = "none"    // x / d, equation (16)
)

// Offsets are the names of all forms.
func Offsets() []string {
	return []string{string(Scaled), string(Literal), string(Wait), string(None)}
}

// Model is a provider who runs Capacity jobs in parallel and the jobs it is
// offered.
type Model struct {
	Capacity float64 `json:"capacity"` // N: jobs that run in parallel
	TauMin   float64 `json:"tau_min"`  // delay without loss, seconds
	Phi      float64 `json:"phi"`      // the estimated delay is multiplied by it, equation (30)
	Offset   Offset  `json:"offset"`
	Load     float64 `json:"load"` // offered load relative to the capacity, equation (29)
	Classes  []Class `json:"classes"`
}

// MaxClasses is how many classes a model can have.
const MaxClasses = 64

// All numbers of a model lie between these where they are not 0, far beyond
// anything that makes sense, so that no product of them is too large or lost.
const (
	largest  = 1e15
	smallest = 1e-12
)

// Validate finds the first field that makes no sense; the error names it.
func (m *Model) Validate() error {
	for _, field := range []struct {
		name  string
		value float64
		ok    bool
		want  string
	}{
		{"capacity", m.Capacity, m.Capacity >= smallest, "more than 0"},
		{"tau_min", m.TauMin, m.TauMin >= 0, "0 or more"},
		{"phi", m.Phi, m.Phi >= 0, "0 or more"},
		{"load", m.Load, m.Load >= 0, "0 or more"},
	} {
		if !field.ok || field.value > largest {
			return &market.FieldError{Field: field.name, Value: field.value, Want: field.want}
		}
	}
	if !slices.Contains(Offsets(), string(m.Offset)) {
		return fmt.Errorf("offset: %q is not one of scaled, literal, wait, none", m.Offset)
	}
	if len(m.Classes) == 0 {
		return fmt.Errorf("classes: none (want 1 or more)")
	}
	if len(m.Classes) > MaxClasses {
		return fmt.Errorf("classes: %d are too many (want %d or fewer)", len(m.Classes), MaxClasses)
	}
	total := 0.0
	for i := range m.Classes {
		if err := m.validateClass(i); err != nil {
			return err
		}
		total += m.Classes[i].Share
	}
	if !(total >= smallest) {
		return fmt.Errorf("classes: all shares are 0")
	}
	return nil
}

func (m *Model) validateClass(i int) error {
	c := &m.Classes[i]
	if c.Name == "" {
		return fmt.Errorf("classes[%d].name: empty, but needed", i)
	}
	for j := range i {
		if m.Classes[j].Name == c.Name {
			return fmt.Errorf("classes[%d].name: %q is there twice, first in classes[%d]", i, c.Name, j)
		}
	}
	for _, field := range []struct {
		name  string
		value float64
		ok    bool
		want  string
	}{
		{"p0", c.P0, c.P0 >= 0, "0 or more"},
		{"v1", c.V1, c.V1 >= 0, "0 or more"},
		{"share", c.Share, c.Share >= 0, "0 or more"},
		{"b1", c.B1, c.B1 >= smallest, "more than 0"},
		{"b2", c.B2, c.B2 >= 0, "0 or more"},
	} {
		if !field.ok || field.value > largest {
			return &market.FieldError{Field: fmt.Sprintf("classes[%d].%s", i, field.name), Value: field.value, Want: field.want}
		}
	}
	return nil
}

// Impossible names the classes whose second moment is below the square of the
// mean, which no service time has. The model computes with them all the same.
func (m *Model) Impossible() []string {
	var names []string
	for i := range m.Classes {
		if c := &m.Classes[i]; c.B2 < c.B1*c.B1*(1-1e-9) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Beta is the load offered by each class, beta_s of (21) and (29): the share of
// the total load that its jobs make up by their number and length.
func (m *Model) Beta() []float64 {
	total := 0.0
	for i := range m.Classes {
		total += m.Classes[i].Share * m.Classes[i].B1
	}
	beta := make([]float64, len(m.Classes))
	for i := range m.Classes {
		beta[i] = m.Load * m.Classes[i].Share * m.Classes[i].B1 / total
	}
	return beta
}

// Order lists the classes from the least urgent to the most, (14) and (15): by
// f_s = v1_s/b1_s, and of equal ones the class listed later is served first.
func (m *Model) Order() []int {
	key := make([]float64, len(m.Classes))
	order := make([]int, len(m.Classes))
	for i := range m.Classes {
		key[i] = market.RoundSignificant(m.Classes[i].V1 / m.Classes[i].B1)
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case key[a] < key[b]:
			return -1
		case key[a] > key[b]:
			return 1
		}
		return 0
	})
	return order
}

// T0 is the mean time until the job in service is done, (17): with C = N/b1 jobs
// per second, N/2 * sum rho_s b2_s/b1_s.
func (m *Model) T0(rho []float64) float64 {
	t := 0.0
	for i := range m.Classes {
		t += rho[i] * (m.Classes[i].B2 / m.Classes[i].B1)
	}
	return m.Capacity / 2 * t
}

// Delays are the expected delays of the classes beyond what costs nothing, in
// seconds, when the classes use rho of the capacity: (16), with Phi and the
// offset of (28) and (30). A provider that is full delays everybody for ever.
func (m *Model) Delays(rho []float64) []float64 {
	delays := make([]float64, len(m.Classes))
	m.delays(rho, m.Order(), delays)
	return delays
}

func (m *Model) delays(rho []float64, order []int, delays []float64) {
	x := m.Phi * m.T0(rho)
	switch m.Offset {
	case Scaled:
		total := 0.0
		for _, r := range rho {
			total += r
		}
		x = max(0, x-float64(total*m.TauMin))
	case Literal:
		x = max(0, x-m.TauMin)
	case Wait, None:
	}
	next := 0.0 // sigma of the classes with more priority
	for k := len(order) - 1; k >= 0; k-- {
		s := order[k]
		sigma := next + rho[s]
		switch d := (1 - sigma) * (1 - next); {
		case x == 0:
			delays[s] = 0
		case sigma >= 1:
			delays[s] = math.Inf(1)
		case m.Offset == Wait:
			delays[s] = max(0, x/d-m.TauMin)
		default:
			delays[s] = x / d
		}
		next = sigma
	}
}

// Rate is the revenue per second when the classes use rho of the capacity, (20)
// and its variants: sum lambda_s (p0_s - v1_s D_s), lambda_s = N rho_s/b1_s.
func (m *Model) Rate(rho []float64) float64 {
	delays := make([]float64, len(rho))
	return m.rate(rho, m.Order(), delays)
}

func (m *Model) rate(rho []float64, order []int, delays []float64) float64 {
	m.delays(rho, order, delays)
	total := 0.0
	for s := range m.Classes {
		c := &m.Classes[s]
		if rho[s] > 0 && (c.V1 > 0 || !math.IsInf(delays[s], 1)) {
			total += rho[s] / c.B1 * (c.P0 - float64(c.V1*delays[s]))
		} else if rho[s] > 0 {
			total += rho[s] / c.B1 * c.P0 // patient for ever
		}
	}
	return m.Capacity * total
}
