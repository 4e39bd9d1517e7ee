package experiment

import (
	"fmt"
	"math"

	"github.com/libra-market/libra/core/admission"
	"github.com/libra-market/libra/lab/revenue"
)

// nistStatements are the statements of 004 about its results, in the order of
// its text.
func nistStatements() []statement {
	list := append(nistOneClass(), nistTwoClasses()...)
	list = append(list, nistFourClasses()...)
	return append(list, nistSimulation()...)
}

// along is the value of a line at x, between its points too.
func (c curve) along(x float64) float64 {
	for i := 1; i < len(c); i++ {
		a, b := c[i-1], c[i]
		if x >= a.X-1e-9 && x <= b.X+1e-9 {
			return a.Mean + float64((x-a.X)/(b.X-a.X)*(b.Mean-a.Mean))
		}
	}
	return math.NaN()
}

// below is where a line first falls under a level, between its points too; it
// is NaN for a line that never does.
func (c curve) below(level float64) float64 {
	for i, b := range c {
		if b.Mean >= level {
			continue
		}
		if i == 0 {
			return b.X
		}
		a := c[i-1]
		return a.X + float64((a.Mean-level)/(a.Mean-b.Mean)*(b.X-a.X))
	}
	return math.NaN()
}

// thresholds at which a class counts as refused here and there, and as shut out.
const (
	refusedAny = 0.999
	refusedAll = 0.001
	loadNear   = 3.0 // points of load, for a load that the text states
)

// squeezed judges a class that is shut out over a range of loads.
func squeezed(class string, from, to float64) func(evidence) verdict {
	return func(e evidence) verdict {
		c := e.line("13", class)
		start, end := c.below(refusedAny), c.below(refusedAll)
		return verdict{
			holds:    math.Abs(start-from) <= loadNear && math.Abs(end-to) <= loadNear,
			measured: fmt.Sprintf("all admitted up to %.1f %%, none from %.1f %%", start, end),
		}
	}
}

// everyTau judges each decay of figures 6 to 8.
func everyTau(judge func(name string) verdict) verdict {
	var each []verdict
	for _, k := range revenue.Decays {
		each = append(each, judge(nistTau(k)))
	}
	return both(each...)
}

// nistOneClass is section IV, figures 5 to 8.
func nistOneClass() []statement {
	return []statement{
		{
			"5", "IV", "we obtain the following parameter region where admission control is ineffective",
			"where the line q = 1 of figure 5 has the value τ, within 1 point of load of where the numerical optimum of figure 7 begins to refuse", func(e evidence) verdict {
				return phase(e, "q = 1", refusedAny)
			},
		},
		{
			"5", "IV", "the following parameter region where admission control is effective",
			"where the line q = 0.8 of figure 5 has the value τ, within 1 point of load of where the optimum of figure 7 is 0.8", func(e evidence) verdict {
				return phase(e, "q = 0.8", 0.8)
			},
		},
		{
			"6", "IV", "Revenue increases to a maximum and then drops steeply",
			"for every τ the revenue rises without a step down to its maximum, and is negative at a utilisation at most 40 points beyond", func(e evidence) verdict {
				return everyTau(func(tau string) verdict {
					c := e.line("6", tau)
					x, y := c.peak()
					fall, _ := c.between(0, x).worstFall()
					zero := c.below(-1e-9)
					return verdict{holds: fall == 0 && zero-x <= 40, measured: fmt.Sprintf("%s: %.2f at %.0f %%, negative from %.0f %%", tau, y, x, zero)}
				})
			},
		},
		{
			"6", "IV", "Shorter values of τ (i.e., higher decay rates v1) yield lower maximum revenues",
			"the maximum falls from each τ to the next", func(e evidence) verdict { return shorterTau(e, false) },
		},
		{
			"6", "IV", "[Shorter values of τ] cause revenue to begin declining at lower utilizations",
			"the utilisation of the maximum falls from each τ to the next", func(e evidence) verdict { return shorterTau(e, true) },
		},
		{
			"7", "IV", "the period of decrease represents the region where admission control would prove effective",
			"for every τ figure 7 begins to refuse within 3 points of the load at which figure 6 has its maximum", func(e evidence) verdict {
				return everyTau(func(tau string) verdict {
					top, _ := e.line("6", tau).peak()
					start := e.line("7", tau).below(refusedAny)
					return verdict{holds: math.Abs(start-top) <= loadNear, measured: fmt.Sprintf("%s: maximum at %.0f %%, refusals from %.1f %%", tau, top, start)}
				})
			},
		},
		{
			"8", "IV", "Applying these optimal admission probabilities will prevent server overload and allow the provider to maintain maximum revenue under increasing load",
			"for every τ the revenue of figure 8 never falls by more than 0.1 %, and ends within 1 % of the maximum of figure 6", func(e evidence) verdict {
				return everyTau(func(tau string) verdict {
					c := e.line("8", tau)
					fall, _ := c.worstFall()
					_, top := e.line("6", tau).peak()
					return verdict{holds: fall <= 0.001*top && math.Abs(c.last()/top-1) <= 0.01, measured: fmt.Sprintf("%s: ends at %.2f, maximum %.2f", tau, c.last(), top)}
				})
			},
		},
	}
}

// phase compares a line of figure 5, which is a formula, with figure 7, which
// is the result of a search.
func phase(e evidence, line string, q float64) verdict {
	return everyTau(func(tau string) verdict {
		var turned curve // by the logarithm, upside down: it falls as the load grows
		for _, p := range e.line("5", line) {
			turned = append(turned, computed(p.X, -math.Log(p.Mean)))
		}
		formula, found := turned.below(-math.Log(tauOf(tau))), e.line("7", tau).below(q)
		if math.IsNaN(found) && formula > e.line("7", tau)[len(e.line("7", tau))-1].X {
			return verdict{holds: true, measured: fmt.Sprintf("%s: %.1f %% (beyond figure 7)", tau, formula)}
		}
		return verdict{holds: math.Abs(formula-found) <= 1, measured: fmt.Sprintf("%s: %.1f %% and %.1f %%", tau, formula, found)}
	})
}

func tauOf(name string) float64 {
	for _, k := range revenue.Decays {
		if nistTau(k) == name {
			return 1e6 / k
		}
	}
	return math.NaN()
}

// shorterTau judges the maxima of figure 6: their height or their place.
func shorterTau(e evidence, place bool) verdict {
	v := verdict{holds: true}
	before := math.Inf(1)
	for _, k := range revenue.Decays {
		x, y := e.line("6", nistTau(k)).peak()
		value, text := y, fmt.Sprintf("%s: %.2f", nistTau(k), y)
		if place {
			value, text = x, fmt.Sprintf("%s: %.0f %%", nistTau(k), x)
		}
		v.holds = v.holds && value < before
		before = value
		if v.measured != "" {
			v.measured += ", "
		}
		v.measured += text
	}
	return v
}

// nistTwoClasses is section V, figures 10 and 11.
func nistTwoClasses() []statement {
	return []statement{
		{
			"10", "V", "the service provider must admit all high-value jobs until the proportion of high-value jobs reaches 75%",
			"the first high-value job is refused at 75 % within 3 points", func(e evidence) verdict {
				x := e.line("10", highValue).below(refusedAny)
				return verdict{holds: math.Abs(x-75) <= loadNear, measured: fmt.Sprintf("refused from %.1f %%", x)}
			},
		},
		{
			"11", "V", "revenue reaches a maximum at this job mix",
			"99.9 % of the largest revenue is reached at 75 % within 3 points", func(e evidence) verdict {
				c := e.line("11", "revenue")
				_, top := c.peak()
				for _, x := range admission.Steps(0, 100, 0.5) {
					if c.along(x) >= 0.999*top {
						return verdict{holds: math.Abs(x-75) <= loadNear, measured: fmt.Sprintf("%.2f at %.1f %%, and no more than %.2f beyond", c.along(x), x, top)}
					}
				}
				return verdict{}
			},
		},
		{
			"10", "V", "if there are any high-value jobs, then the service provider cannot admit more than 70% of the low-value jobs",
			"at most 73 % of the low-value jobs with 1 % and more of high value", func(e evidence) verdict {
				c := e.line("10", lowValue)
				return verdict{holds: c.along(1) <= 0.73, measured: fmt.Sprintf("%.0f %% with 1 %% of high value, 70 %% only from %.0f %% of high value on; the other readings of τmin give 83 to 87 %%",
					100*c.along(1), c.below(0.7))}
			},
		},
		{
			"10", "V", "an admission rate that falls as the proportion of high-value jobs increases",
			"the part of the low-value jobs falls at every step until it is 0", func(e evidence) verdict {
				c := e.line("10", lowValue)
				v := verdict{holds: true, measured: fmt.Sprintf("%.2f to %.2f", c.first(), c.last())}
				for i := 1; i < len(c); i++ {
					v.holds = v.holds && (c[i].Mean < c[i-1].Mean || c[i].Mean <= refusedAll)
				}
				return v
			},
		},
		{
			"10", "V", "the service provider must reject all low-value jobs once the proportion of high-value jobs reaches 60%",
			"none admitted at 60 %, and some at 55 %", func(e evidence) verdict {
				c := e.line("10", lowValue)
				return verdict{holds: c.along(60) <= refusedAll && c.along(55) > refusedAll, measured: fmt.Sprintf("%.2f at 55 %%, none from %.1f %%", c.along(55), c.below(refusedAll))}
			},
		},
	}
}

// nistFourClasses is section V, figures 13 and 14.
func nistFourClasses() []statement {
	return []statement{
		{
			"13", "V", "low-value, low-urgency jobs are shut out over a 6 % load range (between 15 % and 21 % load)",
			"both ends within 3 points", squeezed("LvLu", 15, 21),
		},
		{
			"13", "V", "low-value, high-urgency jobs are cut off as load moves over the range of 28 % to 40 %",
			"both ends within 3 points", squeezed("LvHu", 28, 40),
		},
		{
			"13", "V", "High-value, high-urgency jobs are gradually squeezed out over the range of 60 % to 80 % load",
			"both ends within 3 points", squeezed("HvHu", 60, 80),
		},
		{
			"13", "V", "high-value, low-urgency jobs begin to be rejected as aggregate load passes 90 %",
			"within 3 points of 90 %", func(e evidence) verdict {
				x := e.line("13", "HvLu").below(refusedAny)
				return verdict{holds: math.Abs(x-90) <= loadNear, measured: fmt.Sprintf("rejected from %.1f %%", x)}
			},
		},
		{
			"14", "V", "The revenue curve exhibits four distinct, linear regions – where the slope changes as each job class becomes subjected to admission control",
			"from where each class begins to be refused (figure 13) to where the next does, a straight line fits to 5 % of what the revenue rises by there, and each slope is below 90 % of the one before", fourRegions,
		},
	}
}

// fourRegions fits a line to figure 14 between the loads at which figure 13 begins to
// refuse one class and the next.
func fourRegions(e evidence) verdict {
	c := e.line("14", "revenue")
	v := verdict{holds: true}
	before := math.Inf(1)
	classes := []string{"LvLu", "LvHu", "HvHu", "HvLu"}
	for i, class := range classes {
		from, to := e.line("13", class).below(refusedAny), 140.0 // the end of the figure
		if i+1 < len(classes) {
			to = e.line("13", classes[i+1]).below(refusedAny)
		}
		var part curve
		for _, x := range admission.Steps(from, to, (to-from)/40) {
			part = append(part, computed(x, c.along(x)))
		}
		slope, middle := part.slope(), part.average()
		worst := 0.0
		for _, p := range part {
			worst = max(worst, math.Abs(p.Mean-middle-float64(slope*(p.X-(from+to)/2))))
		}
		off := 100 * worst / math.Abs(part.last()-part.first())
		v.holds = v.holds && off <= 5 && slope < 0.9*before
		before = slope
		if v.measured != "" {
			v.measured += "; "
		}
		v.measured += fmt.Sprintf("%.0f to %.0f %%: %.3f $/s per point, off by %.1f %% of the rise", from, to, slope, off)
	}
	return v
}
