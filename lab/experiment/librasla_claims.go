package experiment

import "fmt"

// The levels of 001's figures as its series are named.
var (
	hardLevels     = []string{"20\u00a0% hard", "50\u00a0% hard", "80\u00a0% hard"}
	deadlineLevels = []string{"deadline factor 1", "deadline factor 2", "deadline factor 3"}
	budgetLevels   = []string{"budget factor 1", "budget factor 2", "budget factor 3"}
	penaltyLevels  = []string{"penalty factor 1", "penalty factor 2", "penalty factor 3"}
)

// libraSLAStatements are the statements of 001 about its results. Improvements
// are in per cent of what Libra achieves, so their differences are in points.
// What the text says of a figure without naming a part is judged for both.
func libraSLAStatements() []statement {
	list := workloadStatements(1000, selected{"5.1", 18, 2276, 10610}, [3]string{
		"Average number of allocated processors: 18", "Average inter arrival time: 2276 seconds (37.93 minutes)", "Average run time: 10610 seconds (2.94 hours)",
	})
	list = append(list, overviewStatements()...)
	list = append(list, hardStatements()...)
	list = append(list, deadlineStatements()...)
	return append(list, moneyStatements()...)
}

// averages judges whether the averages of the levels of a figure fall.
func averages(e evidence, figure string, levels []string) (names []string, values []float64) {
	for _, level := range levels {
		names = append(names, level+":")
		values = append(values, e.line(figure, level).average())
	}
	return names, values
}

var parts = [...]struct{ letter, of string }{{"(a)", "jobs completed"}, {"(b)", "utility"}}

// overviewStatements are sections 5.2 and 6.
func overviewStatements() []statement {
	var list []statement
	for _, part := range parts {
		list = append(list, statement{
			"2-5", "5.2", "Generally, the improvement of LibraSLA over Libra decreases as the arrival delay factor increases",
			"in " + part.of + ": at least three quarters of the twelve curves fall (best straight line)", func(e evidence) verdict {
				var fall count
				for figure, levels := range map[string][]string{"2": hardLevels, "3": deadlineLevels, "4": budgetLevels, "5": penaltyLevels} {
					for _, level := range levels {
						fall.of++
						if e.line(figure+part.letter, level).slope() < 0 {
							fall.n++
						}
					}
				}
				c := e.line("2"+part.letter, hardLevels[0])
				return verdict{
					holds: 4*fall.n >= 3*fall.of, counts: []count{fall},
					measured: fmt.Sprintf("%s fall; by default %s to %s", fall, percent(c.first()), percent(c.last())),
				}
			},
		})
	}
	list = append(list,
		statement{
			"2, hard", "4", "only the job with the highest return and jobs with hard deadlines are not delayed",
			"no accepted job with a hard deadline is late, in any run of figures 2 to 5", func(e evidence) verdict {
				most, where := 0.0, ""
				for i, levels := range [][]string{hardLevels, deadlineLevels, budgetLevels, penaltyLevels} {
					for _, level := range levels {
						if x, y := e.line(fmt.Sprintf("%d, hard", i+2), libraSLA+", "+level).peak(); !(y <= most) {
							most, where = y, fmt.Sprintf(" (%s, at %s)", level, number(x))
						}
					}
				}
				return verdict{holds: most == 0, measured: fmt.Sprintf("largest mean of jobs late in a run: %.2f%s", most, where)}
			},
		},
		statement{
			"2", "5.2", "Libra can also complete more jobs ... when the workload is not heavy (higher arrival delay factor)",
			"jobs completed by Libra at 0.04 above those at 0.005", func(e evidence) verdict {
				c := e.line("2(a), beside", libra+", "+hardLevels[0])
				return above("at 0.04:", c.last(), "at 0.005:", c.first(), 0)
			},
		},
		statement{
			"2", "5.2", "[Libra can also] achieve more utility when the workload is not heavy (higher arrival delay factor)",
			"utility of Libra at 0.04 above that at 0.005", func(e evidence) verdict {
				c := e.line("2(b), beside", libra+", "+hardLevels[0])
				return verdict{holds: c.last() > c.first(), measured: fmt.Sprintf("at 0.04: %.2f million, at 0.005: %.2f million", c.last(), c.first())}
			},
		},
		statement{
			"2(a)", "6", "LibraSLA performs better than Libra by accommodating more jobs through soft deadlines",
			"improvement in jobs completed above 0 at every factor, by default", func(e evidence) verdict {
				return positive(e.line("2(a)", hardLevels[0]))
			},
		},
		statement{
			"2(b)", "6", "LibraSLA performs better than Libra by ... minimizing penalties",
			"improvement in utility above 0 at every factor, by default", func(e evidence) verdict {
				return positive(e.line("2(b)", hardLevels[0]))
			},
		},
		statement{
			"2(b)", "5.2", "LibraSLA is effective in differentiating jobs with higher utility in heavy workload situations",
			"improvement in utility above 0 at the heaviest load (0.005), by default", func(e evidence) verdict {
				got := e.line("2(b)", hardLevels[0]).first()
				return verdict{holds: got > 0, measured: percent(got)}
			},
		})
	return list
}

// positive holds if a curve is above 0 throughout.
func positive(c curve) verdict { return atLeast(c, 1e-9) }

// atLeast holds if no value of a curve is below least.
func atLeast(c curve, least float64) verdict {
	zero := make(curve, len(c))
	for i, p := range c {
		zero[i] = Point{X: p.X}
	}
	l := c.over(zero)
	enough := c.where(func(p Point) bool { return p.Mean >= least })
	return verdict{
		holds: l.least >= least, counts: []count{enough},
		measured: fmt.Sprintf("%s at %s to %s at %s, enough at %s", percent(l.least), number(l.leastAt), percent(l.most), number(l.mostAt), enough),
	}
}

// hardStatements are section 5.3, figure 2.
func hardStatements() []statement {
	var list []statement
	for _, part := range parts {
		list = append(list, statement{
			"2" + part.letter, "5.3", "when there are more jobs with hard deadline (eg. 80%), the improvement over Libra is lower",
			"average improvement in " + part.of + " lower with 80 % hard deadlines than with 20 %", func(e evidence) verdict {
				names, values := averages(e, "2"+part.letter, hardLevels)
				return verdict{holds: values[2] < values[0], measured: ordered(names, values, 1e6).measured}
			},
		})
	}
	difference := func(part string, want float64) func(evidence) verdict {
		return func(e evidence) verdict {
			low, high := e.line("2"+part, hardLevels[0]).average(), e.line("2"+part, hardLevels[2]).average()
			return about(fmt.Sprintf("20 %% hard: %s, 80 %% hard: %s, difference", percent(low), percent(high)), low-high, want, clearly)
		}
	}
	return append(list,
		statement{
			"2(a)", "5.3", "on average LibraSLA completes about 20% more jobs (Figure 2(a)) ... than Libra when there are 20% jobs with hard deadline as compared to 80%",
			"average improvement with 20 % hard deadlines 20 ± 5 points above that with 80 %", difference("(a)", 20),
		},
		statement{
			"2(b)", "5.3", "on average LibraSLA ... achieves 10% more utility (Figure 2(b)) than Libra when there are 20% jobs with hard deadline as compared to 80%",
			"average improvement with 20 % hard deadlines 10 ± 5 points above that with 80 %", difference("(b)", 10),
		})
}

// deadlineStatements are section 5.4, figure 3.
func deadlineStatements() []statement {
	var list []statement
	for _, part := range parts {
		figure := "3" + part.letter
		list = append(list,
			statement{
				figure, "5.4", "LibraSLA has a substantial large improvement over Libra for a deadline mean factor of 1 when the arrival delay factor is lower (0.005–0.025)",
				"improvement in " + part.of + " at least 10 % at every factor from 0.005 to 0.025", func(e evidence) verdict {
					return atLeast(e.line(figure, deadlineLevels[0]).between(0.005, 0.025), 10)
				},
			},
			statement{
				figure, "5.4", "with higher deadline mean factor of 2 and 3, the improvement over Libra is lower",
				"average improvement in " + part.of + " lower for factors 2 and 3 than for 1", func(e evidence) verdict {
					names, values := averages(e, figure, deadlineLevels)
					return verdict{holds: values[1] < values[0] && values[2] < values[0], measured: ordered(names, values, 1e6).measured}
				},
			},
			statement{
				figure, "5.4", "LibraSLA has a more constant improvement over Libra for sufficiently long deadlines (deadline mean factor of 2 and 3) as opposed to short deadlines (deadline mean factor of 1)",
				"improvement in " + part.of + " spreads less over the factors for 2 and for 3 than for 1", func(e evidence) verdict {
					var spreads []float64
					for _, level := range deadlineLevels {
						spreads = append(spreads, e.line(figure, level).spread())
					}
					return verdict{
						holds:    spreads[1] < spreads[0] && spreads[2] < spreads[0],
						measured: fmt.Sprintf("spread for 1: %.1f, 2: %.1f, 3: %.1f points", spreads[0], spreads[1], spreads[2]),
					}
				},
			})
	}
	return append(list,
		statement{
			"3", "5.4", "Libra is also able to complete more jobs with longer deadlines",
			"average jobs completed by Libra: deadline factor 1 < 2 < 3", func(e evidence) verdict {
				var names []string
				var values []float64
				for _, level := range deadlineLevels {
					names, values = append(names, level+":"), append(values, e.line("3(a), beside", libra+", "+level).average())
				}
				return ordered(names, values, 0)
			},
		},
		statement{
			"3", "5.4", "the deadline QoS has a strong impact on the performance of LibraSLA",
			"average jobs completed by LibraSLA differ by at least 5 % between deadline factors", func(e evidence) verdict {
				one, three := e.line("3(a), beside", libraSLA+", "+deadlineLevels[0]).average(), e.line("3(a), beside", libraSLA+", "+deadlineLevels[2]).average()
				change := 100 * (three - one) / one
				return verdict{holds: change >= 5 || change <= -5, measured: fmt.Sprintf("factor 1: %.0f jobs, factor 3: %.0f jobs, %s %%", one, three, signed(change))}
			},
		})
}

// moneyStatements are sections 5.5 and 5.6, figures 4 and 5.
func moneyStatements() []statement {
	list := []statement{
		{
			"4(a)", "5.5", "LibraSLA completes more jobs than Libra for higher budget mean factors",
			"improvement in jobs completed above 0 at every factor, for budget factors 2 and 3", func(e evidence) verdict {
				return both(positive(e.line("4(a)", budgetLevels[1])), positive(e.line("4(a)", budgetLevels[2])))
			},
		},
		{
			"4(a)", "5.5", "When jobs have higher budgets, LibraSLA can accommodate more soft deadline jobs with delays",
			"average jobs completed by LibraSLA: budget factor 1 < 2 < 3", func(e evidence) verdict {
				return ownAverages(e, "4(a), beside", budgetLevels, true)
			},
		},
		{
			"4(b)", "5.5", "which in turn improves the aggregate utility (Figure 4(b))",
			"average improvement in utility: budget factor 1 < 2 < 3", func(e evidence) verdict {
				names, values := averages(e, "4(b)", budgetLevels)
				return ordered(names, values, 0)
			},
		},
		{
			"4(b)", "5.5", "the utility improvement also diminishes with increasing arrival delay factor (0.03–0.04)",
			"for every budget factor the average over 0.03 to 0.04 is below that over 0.005 to 0.025", func(e evidence) verdict {
				var each []verdict
				for _, level := range budgetLevels {
					c := e.line("4(b)", level)
					each = append(each, above(level+": before", c.between(0, 0.025).average(), "then", c.between(0.03, 0.04).average(), 0))
				}
				return both(each...)
			},
		},
		{
			"5(a)", "5.6", "With higher penalty rate, LibraSLA is limited to accepting fewer jobs in order to preserve the aggregate utility",
			"average jobs completed by LibraSLA: penalty factor 1 > 2 > 3", func(e evidence) verdict {
				return ownAverages(e, "5(a), beside", penaltyLevels, false)
			},
		},
	}
	for _, part := range parts {
		list = append(list, statement{
			"5" + part.letter, "5.6", "LibraSLA has less improvement over Libra for increasing penalty rate mean factor",
			"average improvement in " + part.of + ": penalty factor 1 > 2 > 3", func(e evidence) verdict {
				names, values := averages(e, "5"+part.letter, penaltyLevels)
				return ordered(reversed(names), reversed(values), 0)
			},
		})
	}
	return list
}

// ownAverages orders what LibraSLA itself does at the levels of a figure.
func ownAverages(e evidence, figure string, levels []string, up bool) verdict {
	var names []string
	var values []float64
	for _, level := range levels {
		names, values = append(names, level+":"), append(values, e.line(figure, libraSLA+", "+level).average())
	}
	if !up {
		names, values = reversed(names), reversed(values)
	}
	return ordered(names, values, 0)
}
