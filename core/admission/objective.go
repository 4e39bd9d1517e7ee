package admission

import "math"

// objective is the revenue per second as the optimiser sees it: a function of
// rho with its derivatives, and with max(0, y) rounded off to a soft one.
type objective struct {
	model  *Model
	order  []int     // classes, least urgent first
	mass   []float64 // dX/drho: what a class adds to Phi*T0, or to Phi*T0 - rho*tau_min
	shift  float64   // X = sum mass*rho - shift
	unit   float64   // a natural size of X, for widths
	delays []float64
	first  []float64 // of the class at hand: derivatives of log 1/den
}

func newObjective(m *Model) *objective {
	n := len(m.Classes)
	o := &objective{
		model: m, order: m.Order(), mass: make([]float64, n),
		delays: make([]float64, n), first: make([]float64, n),
	}
	for s := range m.Classes {
		c := &m.Classes[s]
		o.mass[s] = m.Phi * m.Capacity / 2 * (c.B2 / c.B1)
		if m.Offset == Scaled {
			o.mass[s] -= m.TauMin
		}
		o.unit = max(o.unit, math.Abs(o.mass[s]))
	}
	if m.Offset == Literal {
		o.shift = m.TauMin
	}
	if m.Offset == Wait || m.Offset == Literal {
		o.unit = max(o.unit, m.TauMin)
	}
	if o.unit == 0 {
		o.unit = 1
	}
	return o
}

// Value is the revenue per second at rho.
func (o *objective) Value(rho []float64) float64 { return o.model.rate(rho, o.order, o.delays) }

// Expand is the same with derivatives. In the order of priorities, with
// u_s = 1/den_s and w_s = N v1_s/b1_s, the revenue is
//
//	N sum p0_s/b1_s rho_s - sum w_s rho_s D_s
//
// where D_s is soft(X)*u_s, or soft(X*u_s - tau_min) for the offset wait.
func (o *objective) Expand(rho []float64, width float64, gradient, hessian []float64) float64 {
	n, m := len(rho), o.model
	clear(hessian)
	value, x := 0.0, -o.shift
	for s := range rho {
		gradient[s] = m.Capacity * m.Classes[s].P0 / m.Classes[s].B1
		value += gradient[s] * rho[s]
		x += o.mass[s] * rho[s]
	}
	width *= o.unit
	soft, soft1, soft2 := x, 1.0, 0.0
	if m.Offset == Scaled || m.Offset == Literal {
		soft, soft1, soft2 = softPlus(x, width)
	}
	next := 0.0
	for k := n - 1; k >= 0; k-- {
		s := o.order[k]
		sigma := next + rho[s]
		a, b := 1/(1-sigma), 1/(1-next)
		next = sigma
		weight := m.Capacity * m.Classes[s].V1 / m.Classes[s].B1
		if weight == 0 {
			continue
		}
		u := a * b
		outer1, outer2 := 1.0, 0.0
		delay := soft * u
		if m.Offset == Wait {
			delay, outer1, outer2 = softPlus(delay-m.TauMin, width)
		}
		value -= weight * rho[s] * delay
		// Class i has a part in sigma_s if it stands at k or above, and in
		// sigma_next if above: d log u/drho_i is a, or a + b.
		for j := range n {
			i := o.order[j]
			o.first[i] = 0
			if j >= k {
				o.first[i] = a
			}
			if j > k {
				o.first[i] += b
			}
		}
		loss := weight * rho[s]
		for j1 := range n {
			i := o.order[j1]
			di := u * (soft1*o.mass[i] + soft*o.first[i]) // of soft*u
			gradient[i] -= loss * outer1 * di
			hessian[i*n+s] -= weight * outer1 * di
			hessian[s*n+i] -= weight * outer1 * di
			for j2 := range n {
				j := o.order[j2]
				dj := u * (soft1*o.mass[j] + soft*o.first[j])
				second := o.first[i] * o.first[j]
				if low := min(j1, j2); low > k {
					second += a*a + b*b
				} else if low == k {
					second += a * a
				}
				dij := u * (soft2*o.mass[i]*o.mass[j] + soft1*(o.mass[i]*o.first[j]+o.mass[j]*o.first[i]) + soft*second)
				hessian[i*n+j] -= loss * (outer1*dij + outer2*di*dj)
			}
		}
		gradient[s] -= weight * delay
	}
	return value
}

// softPlus is max(0, y) with its kink rounded off over a width, and its first
// and second derivative.
func softPlus(y, width float64) (value, first, second float64) {
	z := y / width
	switch {
	case z > 40:
		return y, 1, 0
	case z < -700:
		return 0, 0, 0
	}
	e := math.Exp(-math.Abs(z))
	first = 1 / (1 + e)
	if z < 0 {
		first = e / (1 + e)
	}
	return max(0, y) + width*math.Log1p(e), first, e / ((1 + e) * (1 + e)) / width
}
