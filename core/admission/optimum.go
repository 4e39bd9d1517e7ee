package admission

import (
	"math"

	"github.com/libra-market/libra/core/optimize"
)

// Optimum is the answer of the model: what to admit and what it brings.
type Optimum struct {
	RevenuePerSecond      float64            `json:"revenue_per_s"`
	Rho                   float64            `json:"rho"` // used part of the capacity
	Q                     map[string]float64 `json:"q"`   // part of each class that is admitted
	Delay                 map[string]float64 `json:"delay"`
	RevenuePerAdmittedJob float64            `json:"revenue_per_admitted_job"`

	// By class, in the order of the model.
	RhoByClass   []float64 `json:"-"`
	QByClass     []float64 `json:"-"`
	DelayByClass []float64 `json:"-"`
}

// Optimize solves (13) in the form (21), (28) or (30): it finds the admission
// probabilities with the largest revenue per second.
func (m *Model) Optimize() (*Optimum, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	found, err := optimize.Maximize(m.problem())
	if err != nil {
		return nil, err
	}
	return m.optimum(found.X), nil
}

func (m *Model) problem() optimize.Problem {
	beta := m.Beta()
	p := optimize.Problem{Objective: newObjective(m), Upper: beta, Below: 1}
	// Natural candidates: the best paid classes, up to every possible cut.
	start := make([]float64, len(beta))
	rest := 1.0
	for _, s := range m.byPay() {
		start[s] = min(beta[s], 0.99*rest)
		rest -= start[s]
		p.Starts = append(p.Starts, append([]float64(nil), start...))
	}
	return p
}

// byPay lists the classes by what a second of service brings, best first.
func (m *Model) byPay() []int {
	list := make([]int, len(m.Classes))
	for i := range list {
		list[i] = i
	}
	pay := func(s int) float64 { return m.Classes[s].P0 / m.Classes[s].B1 }
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && pay(list[j]) > pay(list[j-1]); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return list
}

// Admit is what the model says of given admission probabilities, in the order
// of the classes: the revenue, the delays and what is used of the capacity.
func (m *Model) Admit(q []float64) *Optimum {
	rho := m.Beta()
	for s := range rho {
		rho[s] *= q[s]
	}
	o := m.optimum(rho)
	o.QByClass = append([]float64(nil), q...)
	for s := range m.Classes {
		o.Q[m.Classes[s].Name] = q[s]
	}
	return o
}

func (m *Model) optimum(rho []float64) *Optimum {
	o := &Optimum{
		RevenuePerSecond: m.Rate(rho), RhoByClass: rho, DelayByClass: m.Delays(rho), QByClass: make([]float64, len(rho)),
		Q: map[string]float64{}, Delay: map[string]float64{},
	}
	jobs := 0.0
	beta := m.Beta()
	for s := range m.Classes {
		o.Rho += rho[s]
		jobs += m.Capacity * rho[s] / m.Classes[s].B1
		if beta[s] > 0 {
			o.QByClass[s] = min(1, rho[s]/beta[s])
		} else {
			o.QByClass[s] = m.welcome(rho, s)
		}
		o.Q[m.Classes[s].Name] = o.QByClass[s]
		o.Delay[m.Classes[s].Name] = o.DelayByClass[s]
	}
	if jobs > 0 {
		o.RevenuePerAdmittedJob = o.RevenuePerSecond / jobs
	}
	return o
}

// welcome is the limit of q for a class of which there is nothing: 1 if the
// first job of it would pay.
func (m *Model) welcome(rho []float64, s int) float64 {
	with := append([]float64(nil), rho...)
	with[s] = 1e-9
	if total := m.Rate(with) - m.Rate(rho); total > 0 {
		return 1
	}
	return 0
}

// ClosedForm is the solution for one class, (22) to (25), for the offsets none
// and scaled: rho* = 1 - sqrt(v/(p0+v)) with v = v1 max(0, Phi N b2/(2 b1) -
// tau_min), and q = min(1, rho*/beta).
func (m *Model) ClosedForm() (rho, q float64, ok bool) {
	if len(m.Classes) != 1 || m.Offset != None && m.Offset != Scaled {
		return 0, 0, false
	}
	c := &m.Classes[0]
	x := m.Phi * m.Capacity * c.B2 / (2 * c.B1)
	if m.Offset == Scaled {
		x = max(0, x-m.TauMin)
	}
	v := c.V1 * x
	if c.P0+v > 0 {
		rho = 1 - math.Sqrt(v/(c.P0+v))
	}
	if beta := m.Beta()[0]; beta > rho {
		return rho, rho / beta, true
	}
	return m.Beta()[0], 1, true
}
