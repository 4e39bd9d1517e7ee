package experiment

import "fmt"

var levels = []float64{0.1, 0.3, 0.5, 1}

// betas are the values of a figure at one x for each level of beta.
func betas(e evidence, figure string, x float64, of []float64) (names []string, values []float64) {
	for _, beta := range of {
		names = append(names, fmt.Sprintf("β %.1f:", beta))
		values = append(values, e.line(figure, withBeta(beta)).at(x))
	}
	return names, values
}

// increase is what a level of beta gains in figure 4(b) from factor 0.25 to 1.
func increase(e evidence, beta float64) float64 {
	c := e.line("4(b)", withBeta(beta))
	return c.at(1) - c.at(0.25)
}

// libraPlusSharing is section VII.D, figure 4.
func libraPlusSharing() []statement {
	list := []statement{
		{
			"4(b)", "VII.D", "Libra+$ always return a higher Cluster Profitability than Libra",
			"every β above Libra at every factor", func(e evidence) verdict {
				var each []verdict
				for _, beta := range levels {
					each = append(each, everywhere(fmt.Sprintf("β %.1f over Libra", beta), e.line("4(b)", withBeta(beta)), e.line("4(b)", libra), 0))
				}
				return both(each...)
			},
		},
		{
			"4", "VII.D", "Libra+$ achieving higher Cluster Profitability when the workload is high (arrival delay factor ≤ 0.5) in Figure 4(b), though it manages lower Job QoS Satisfaction in Figure 4(a)",
			"at factors up to 0.5, every β above Libra in 4(b) and below it in 4(a)", func(e evidence) verdict {
				var each []verdict
				for _, beta := range levels {
					each = append(each,
						everywhere(fmt.Sprintf("β %.1f: profit over Libra", beta), e.line("4(b)", withBeta(beta)).between(0, 0.5), e.line("4(b)", libra), 0),
						everywhere("satisfaction of Libra over it", e.line("4(a)", libra).between(0, 0.5), e.line("4(a)", withBeta(beta)), 0))
				}
				return both(each...)
			},
		},
		{
			"4", "VII.D", "a higher β is still able to generate higher Cluster Profitability with lower Job QoS Satisfaction",
			"on average over factors up to 0.5: profit β 0.1 < 0.3 < 0.5, and satisfaction the other way round", func(e evidence) verdict {
				var each []verdict
				for _, pair := range [][2]float64{{0.1, 0.3}, {0.3, 0.5}} {
					low, high := withBeta(pair[0]), withBeta(pair[1])
					each = append(each,
						onAverage(fmt.Sprintf("profit β %.1f over %.1f", pair[1], pair[0]), e.line("4(b)", high).between(0, 0.5), e.line("4(b)", low), 0),
						onAverage(fmt.Sprintf("satisfaction β %.1f over %.1f", pair[0], pair[1]), e.line("4(a)", low).between(0, 0.5), e.line("4(a)", high), 0))
				}
				return both(each...)
			},
		},
		{
			"4(b)", "VII.D", "A larger increase in Cluster Profitability is also obtained for higher β as the workload decreases",
			"increase from factor 0.25 to 1.0: β 0.1 < 0.3 < 0.5", func(e evidence) verdict {
				return ordered([]string{"β 0.1:", "β 0.3:", "β 0.5:"}, []float64{increase(e, 0.1), increase(e, 0.3), increase(e, 0.5)}, 0)
			},
		},
	}
	for _, s := range []struct {
		beta, low, high float64
	}{{0.5, 32, 57}, {0.1, 23, 40}, {1, 31, 44}} {
		name := withBeta(s.beta)
		list = append(list,
			statement{
				"4(b)", "VII.D", fmt.Sprintf("[for β = %.1f] %.0f%% when the arrival delay factor is 0.25", s.beta, s.low),
				fmt.Sprintf("%.0f ± 3 %%", s.low), func(e evidence) verdict { return about("", e.line("4(b)", name).at(0.25), s.low, near) },
			},
			statement{
				"4(b)", "VII.D", fmt.Sprintf("[for β = %.1f] %.0f%% when the arrival delay factor is 1.0", s.beta, s.high),
				fmt.Sprintf("%.0f ± 3 %%", s.high), func(e evidence) verdict { return about("", e.line("4(b)", name).at(1), s.high, near) },
			},
			statement{
				"4(b)", "VII.D", fmt.Sprintf("Cluster Profitability ... increases by %.0f%% for β = %.1f", s.high-s.low, s.beta),
				fmt.Sprintf("%.0f ± 3 points from factor 0.25 to 1.0", s.high-s.low),
				func(e evidence) verdict { return about("", increase(e, s.beta), s.high-s.low, near) },
			})
	}
	return append(list, statement{
		"4(b)", "VII.D", "if β is set too high (eg. β = 1.0 compared to β = 0.5), a smaller increase in Cluster Profitability is obtained instead",
		"increase from factor 0.25 to 1.0 smaller for β 1.0 than for 0.5", func(e evidence) verdict {
			return above("β 0.5:", increase(e, 0.5), "β 1.0:", increase(e, 1), 0)
		},
	})
}

// libraPlusUrgency is section VII.D, figure 5.
func libraPlusUrgency() []statement {
	return []statement{
		{
			"5(b)", "VII.D", "a high β (eg. β = 1.0) is able to generate higher Cluster Profitability when there are more high urgency jobs",
			"at 100 % high urgency β 1.0 above every other level", func(e evidence) verdict {
				names, values := betas(e, "5(b)", 100, levels)
				v := ordered(names, values, 1000)
				return verdict{holds: values[3] > max(values[0], values[1], values[2]), measured: v.measured}
			},
		},
		{
			"5(b)", "VII.D", "but it can result in lower Cluster Profitability when there are less high urgency jobs",
			"at 0 % high urgency β 1.0 below every other level", func(e evidence) verdict {
				names, values := betas(e, "5(b)", 0, levels)
				v := ordered(names, values, 1000)
				return verdict{holds: values[3] < min(values[0], values[1], values[2]), measured: v.measured}
			},
		},
		{
			"5(a)", "VII.D", "a high β also has higher Job QoS Satisfaction that gradually increases",
			"β 1.0 rises with the share of high urgency jobs, no step falls by more than 1 point", func(e evidence) verdict {
				return rising("β 1.0:", e.line("5(a)", withBeta(1)), noise)
			},
		},
		{
			"5(a)", "VII.D", "to almost equivalent to that of low β",
			"at 100 % high urgency β 1.0 within 3 points of β 0.1", func(e evidence) verdict {
				names, values := betas(e, "5(a)", 100, levels)
				v := ordered(names, values, 1000)
				return verdict{holds: values[3] >= values[0]-near, measured: v.measured}
			},
		},
		{
			"5(b)", "caption of figure 5", "A higher β will generate higher Cluster Profitability when there are more high urgency jobs",
			"at 100 % high urgency β 0.1 < 0.3 < 0.5 < 1.0", func(e evidence) verdict {
				names, values := betas(e, "5(b)", 100, levels)
				return ordered(names, values, 0)
			},
		},
	}
}

// underestimated are the averages of a figure over all under-estimates there
// are, 10 to 90 %, for each level of beta: the text speaks of increasing
// under-estimates, not of one of them.
func underestimated(e evidence, figure string) (names []string, values []float64) {
	for _, beta := range levels {
		names = append(names, fmt.Sprintf("β %.1f:", beta))
		values = append(values, e.line(figure, withBeta(beta)).between(10, 90).average())
	}
	return names, values
}

// overLevels orders the levels of beta by those averages, and says at how many of
// the under-estimates the order is the same.
func overLevels(e evidence, figure string, up bool) verdict {
	names, values := underestimated(e, figure)
	curves := make([]curve, len(levels))
	for i, beta := range levels {
		curves[i] = e.line(figure, withBeta(beta)).between(10, 90)
	}
	if !up {
		names, values, curves = reversed(names), reversed(values), reversed(curves)
	}
	v := ordered(names, values, 0)
	so := inOrder(curves...)
	v.measured += fmt.Sprintf("; so at %s points", so)
	v.counts = append(v.counts, so)
	return v
}

// libraPlusEstimates is section VII.E, figure 6, and the conclusion.
func libraPlusEstimates() []statement {
	return []statement{
		{
			"6(a)", "VII.E", "when there is no runtime under-estimates (0% of inaccuracy of runtime estimates), a higher dynamic pricing factor β for Libra+$ results in much lower Job QoS Satisfactions",
			"at 0 %: β 0.1 > 0.3 > 0.5 > 1.0, the last at least 5 points below the first", func(e evidence) verdict {
				names, values := betas(e, "6(a)", 0, levels)
				v := ordered(reversed(names), reversed(values), 0)
				return verdict{holds: v.holds && values[0]-values[3] >= clearly, measured: v.measured}
			},
		},
		{
			"6(a)", "VII.E", "with increasing under-estimates (increasing negative inaccuracy), a higher β results in higher Job QoS satisfaction",
			"on average over 10 to 90 %: β 0.1 < 0.3 < 0.5 < 1.0", func(e evidence) verdict {
				return overLevels(e, "6(a)", true)
			},
		},
		{
			"6(a)", "VII.E", "whereas Libra has the lowest Job QoS satisfaction",
			"on average over 10 to 90 % Libra below every β", func(e evidence) verdict { return lowest(e, "6(a)") },
		},
		{
			"6(a)", "VII.E", "a higher β provides a higher degree of tolerance against runtime under-estimates since fewer jobs are accepted",
			"jobs accepted, on average over 10 to 90 %: β 0.1 > 0.3 > 0.5 > 1.0", func(e evidence) verdict {
				return overLevels(e, "6, beside", false)
			},
		},
		{
			"6, in time", "VII.E", "and thus the possibility of delays occurring on later jobs is lower",
			"part of the accepted that is done in time, on average over 10 to 90 %: β 0.1 < 0.3 < 0.5 < 1.0, and Libra lowest", func(e evidence) verdict {
				return both(overLevels(e, "6, in time", true), lowest(e, "6, in time"))
			},
		},
		{
			"6(b)", "VII.E", "increasing runtime under-estimates results in the lowest Cluster Profitability for Libra",
			"on average over 10 to 90 % Libra below every β", func(e evidence) verdict { return lowest(e, "6(b)") },
		},
		{
			"6(b)", "VII.E", "[for Libra] fewer jobs are accepted due to delays caused by earlier jobs",
			"jobs accepted by Libra at 90 % below those at 0 %", func(e evidence) verdict {
				c := e.line("6, beside", libra)
				return above("accepted at 0 %:", c.at(0), "at 90 %:", c.at(90), 0)
			},
		},
		{
			"6(b)", "VII.E", "a higher β for Libra+$ can still maintain higher Cluster Profitability with increasing runtime under-estimates",
			"on average over 10 to 90 %: β 0.1 < 0.3 < 0.5 < 1.0, and of what β 1.0 earns at 0 % at least half is maintained at every one of them", func(e evidence) verdict {
				return both(overLevels(e, "6(b)", true), maintained(e, "6(b)"))
			},
		},
		{
			"6", "caption of figure 6", "A higher β provides a higher level of tolerance against runtime under-estimates (better performance) for both Job QoS Satisfaction and Cluster Profitability",
			"in both: on average over 10 to 90 % β 1.0 above β 0.1, and of what it has at 0 % at least half is left at every one of them", func(e evidence) verdict {
				var each []verdict
				for _, figure := range []string{"6(a)", "6(b)"} {
					high, low := e.line(figure, withBeta(1)).between(10, 90), e.line(figure, withBeta(0.1))
					each = append(each, onAverage(figure+", β 1.0 over 0.1", high, low, 1e-9), maintained(e, figure))
				}
				return both(each...)
			},
		},
		{
			"2(b)", "VIII", "the pricing function generates a higher economic benefit for the cluster owner",
			"Libra+$ above Libra at every arrival delay factor", func(e evidence) verdict {
				return everywhere("Libra+$ over Libra", e.line("2(b)", libraPlus), e.line("2(b)", libra), 0)
			},
		},
	}
}

// maintained holds if β 1.0 keeps half of what it has without under-estimates.
func maintained(e evidence, figure string) verdict {
	c := e.line(figure, withBeta(1))
	var left curve
	for _, p := range c.between(10, 90) {
		left = append(left, computed(p.X, 100*p.Mean/c.at(0)))
	}
	v := atLeast(left, 50)
	v.measured = figure + ", left of β 1.0: " + v.measured
	return v
}

// lowest compares Libra with every level of beta, over all under-estimates.
func lowest(e evidence, figure string) verdict {
	names, values := underestimated(e, figure)
	v := ordered(names, values, 1000)
	own := e.line(figure, libra).between(10, 90)
	least := own // the lowest of the levels at each x
	for i, beta := range levels {
		c := e.line(figure, withBeta(beta)).between(10, 90)
		if i == 0 {
			least = c
		}
		least = upsideDown(better(upsideDown(least), upsideDown(c)))
	}
	so := inOrder(own, least)
	return verdict{
		holds: own.average() < min(values[0], values[1], values[2], values[3]), counts: []count{so},
		measured: fmt.Sprintf("Libra %.1f, %s; so at %s points", own.average(), v.measured, so),
	}
}
