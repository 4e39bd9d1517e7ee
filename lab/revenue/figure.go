package revenue

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/admission"
)

// Series is one curve of a figure.
type Series struct {
	Name string    `json:"name"`
	X    []float64 `json:"x"`
	Y    []float64 `json:"y"`
}

// Figure is a figure of the paper, computed.
type Figure struct {
	Number string   `json:"figure"`
	Title  string   `json:"title"`
	X      string   `json:"x_label"`
	Y      string   `json:"y_label"`
	Series []Series `json:"series"`
}

// FigureOptions are what the paper leaves open. The zero value is the reading
// of docs/semantics.md, section 5.
type FigureOptions struct {
	Offset admission.Offset // default: scaled
	Phi    float64          // default: 1, and 0.56 in figure 15
	Step   float64          // between points; default: fine enough to draw
}

func (o FigureOptions) apply(m admission.Model) admission.Model {
	if o.Offset != "" {
		m.Offset = o.Offset
	}
	if o.Phi != 0 {
		m.Phi = o.Phi
	}
	return m
}

func (o FigureOptions) steps(from, to, step float64) []float64 {
	if o.Step > 0 {
		step = o.Step
	}
	return admission.Steps(from, to, step)
}

// Decays are the factors k of figures 6 to 8: the paper says that tau = p0/v1
// decreases from curve to curve, and prints no values.
var Decays = []float64{1, 2, 5, 10, 20, 50}

var figures = []struct {
	number string
	make   func(FigureOptions) (*Figure, error)
}{
	{"5", figure5},
	{"6", figure6},
	{"7", figure7},
	{"8", figure8},
	{"10", figure10},
	{"11", figure11},
	{"13", figure13},
	{"14", figure14},
	{"15", figure15},
}

// Figures are the numbers of the figures that the analytic model draws.
func Figures() []string {
	var numbers []string
	for _, f := range figures {
		numbers = append(numbers, f.number)
	}
	return numbers
}

// Draw computes a figure of the paper by its number.
func Draw(number string, o FigureOptions) (*Figure, error) {
	i := slices.Index(Figures(), number)
	if i < 0 {
		return nil, fmt.Errorf("%q is not one of %s", number, strings.Join(Figures(), ", "))
	}
	return figures[i].make(o)
}

// figure5 is the phase diagram of one class, (26) and (27): for each offered
// load the p0/v1 above which everybody is admitted, and below it lines of equal
// admission probability.
func figure5(o FigureOptions) (*Figure, error) {
	f := &Figure{Number: "5", Title: "Phase diagram, one class", X: "offered load", Y: "p0/v1 (s)"}
	m := o.apply(admission.OneClass(1))
	c := m.Classes[0]
	unit := m.Phi * m.Capacity * c.B2 / (2 * c.B1)
	if m.Offset == admission.Scaled {
		unit = max(0, unit-m.TauMin)
	}
	for _, q := range []float64{1, 0.8, 0.6, 0.4} {
		s := Series{Name: fmt.Sprintf("q = %v", q)}
		for _, beta := range o.steps(0, 2, 0.01) {
			if q*beta > 0.95 {
				break
			}
			s.X = append(s.X, beta)
			s.Y = append(s.Y, unit*(1/math.Pow(1-q*beta, 2)-1))
		}
		f.Series = append(f.Series, s)
	}
	return f, nil
}

// figure6 is the revenue of one class against utilisation when all are admitted.
func figure6(o FigureOptions) (*Figure, error) {
	f := &Figure{Number: "6", Title: "Revenue without admission control", X: "utilisation", Y: "revenue per second"}
	for _, k := range Decays {
		m := o.apply(admission.OneClass(k))
		s := Series{Name: tauName(k)}
		for _, rho := range o.steps(0, 0.99, 0.01) {
			s.X = append(s.X, rho)
			s.Y = append(s.Y, m.Rate([]float64{rho}))
		}
		f.Series = append(f.Series, s)
	}
	return f, nil
}

// figure7 is the optimal admission probability of one class against load.
func figure7(o FigureOptions) (*Figure, error) {
	f := &Figure{Number: "7", Title: "Optimal admission probability, one class", X: "offered load", Y: "q"}
	err := o.oneClass(f, func(p *admission.Optimum) float64 { return p.QByClass[0] })
	return f, err
}

// figure8 is the revenue of one class under optimal admission.
func figure8(o FigureOptions) (*Figure, error) {
	f := &Figure{Number: "8", Title: "Revenue with optimal admission, one class", X: "offered load", Y: "revenue per second"}
	err := o.oneClass(f, func(p *admission.Optimum) float64 { return p.RevenuePerSecond })
	return f, err
}

func (o FigureOptions) oneClass(f *Figure, y func(*admission.Optimum) float64) error {
	for _, k := range Decays {
		m := o.apply(admission.OneClass(k))
		points, err := m.Sweep("load", o.steps(0.01, 1, 0.01))
		if err != nil {
			return err
		}
		f.Series = append(f.Series, curve(tauName(k), points, y))
	}
	return nil
}

// figure10 is the optimal admission of two classes against their mix.
func figure10(o FigureOptions) (*Figure, error) {
	f := &Figure{Number: "10", Title: "Optimal admission, two classes, load 0.8", X: "part of high-value jobs", Y: "q"}
	m := o.apply(admission.TwoClasses(0.5))
	return f, f.admission(&m, "share:high", o.steps(0, 1, 0.01))
}

// figure11 is the revenue of figure 10.
func figure11(o FigureOptions) (*Figure, error) {
	f := &Figure{Number: "11", Title: "Revenue, two classes, load 0.8", X: "part of high-value jobs", Y: "revenue per second"}
	m := o.apply(admission.TwoClasses(0.5))
	return f, f.revenue(&m, "share:high", o.steps(0, 1, 0.01))
}

// figure13 is the optimal admission of four classes against load.
func figure13(o FigureOptions) (*Figure, error) {
	f := &Figure{Number: "13", Title: "Optimal admission, four classes", X: "aggregate load", Y: "q"}
	m := o.apply(admission.FourClasses())
	return f, f.admission(&m, "load", o.steps(0.01, 1.4, 0.01))
}

// figure14 is the revenue of figure 13.
func figure14(o FigureOptions) (*Figure, error) {
	f := &Figure{Number: "14", Title: "Revenue, four classes", X: "aggregate load", Y: "revenue per second"}
	m := o.apply(admission.FourClasses())
	return f, f.revenue(&m, "load", o.steps(0.01, 1.4, 0.01))
}

// figure15 is the optimal admission in the simulated cluster against load.
func figure15(o FigureOptions) (*Figure, error) {
	f := &Figure{Number: "15", Title: "Optimal admission, simulated cluster", X: "aggregate load", Y: "q"}
	m := o.apply(admission.SectionVI())
	return f, f.admission(&m, "load", o.steps(0.05, 5, 0.05))
}

func (f *Figure) admission(m *admission.Model, parameter string, values []float64) error {
	points, err := m.Sweep(parameter, values)
	if err != nil {
		return err
	}
	for s := range m.Classes {
		f.Series = append(f.Series, curve(m.Classes[s].Name, points, func(p *admission.Optimum) float64 { return p.QByClass[s] }))
	}
	return nil
}

func (f *Figure) revenue(m *admission.Model, parameter string, values []float64) error {
	points, err := m.Sweep(parameter, values)
	if err != nil {
		return err
	}
	f.Series = append(f.Series, curve("revenue", points, func(p *admission.Optimum) float64 { return p.RevenuePerSecond }))
	return nil
}

func curve(name string, points []admission.SweepPoint, y func(*admission.Optimum) float64) Series {
	s := Series{Name: name}
	for _, p := range points {
		s.X = append(s.X, p.Value)
		s.Y = append(s.Y, y(p.Optimum))
	}
	return s
}

func tauName(k float64) string { return fmt.Sprintf("tau = %.0f s", 1e6/k) }
