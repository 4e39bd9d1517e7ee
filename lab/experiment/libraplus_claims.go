package experiment

import (
	"fmt"
	"math"
)

// Thresholds, the same for all statements: noise is what two means of ten
// seeds may differ by, clearly is a difference that one sees in a plot at once.
const (
	noise   = 1.0 // points of per cent
	clearly = 5.0 // points
	near    = 3.0 // points: "similar", and how exactly a stated number must come out
)

// libraPlusStatements are the statements of 000 about its results, in the
// order of its text.
func libraPlusStatements() []statement {
	list := workloadStatements(5000, selected{"VII.B", 17, 1969, 8671}, [3]string{
		"an average of 17 processors", "average inter arrival time of 1969 seconds (32.8 minutes)", "average runtime of 8671 seconds (2.4 hours)",
	})
	list = append(list, libraPlusLoad()...)
	list = append(list, libraPlusPricing()...)
	list = append(list, libraPlusSharing()...)
	list = append(list, libraPlusUrgency()...)
	return append(list, libraPlusEstimates()...)
}

var fivePolicies = []string{libraPlus, libra, sjfBF, edfBF, fcfsBF}

// allRising judges all five policies of figure 2 at once.
func allRising(figure string) func(evidence) verdict {
	return func(e evidence) verdict {
		var each []verdict
		for _, policy := range fivePolicies {
			each = append(each, rising(policy, e.line(figure, policy), noise))
		}
		return both(each...)
	}
}

// libraPlusLoad is section VII.C, figure 2.
func libraPlusLoad() []statement {
	return []statement{
		{
			"2(a)", "VII.C", "a decreasing workload (increasing arrival delay factor) results in an increasing Job QoS Satisfaction",
			"for every policy the last value is above the first and no step falls by more than 1 point", allRising("2(a)"),
		},
		{
			"2(b)", "VII.C", "a decreasing workload (increasing arrival delay factor) results in an increasing ... Cluster Profitability",
			"for every policy the last value is above the first and no step falls by more than 1 point", allRising("2(b)"),
		},
		{
			"2(a)", "VII.C", "both Libra and Libra+$ are able to achieve substantially higher performance than FCFS-BF",
			"satisfaction of both at least 5 points above FCFS-BF on average over the range", func(e evidence) verdict {
				return both(onAverage("Libra over FCFS-BF", e.line("2(a)", libra), e.line("2(a)", fcfsBF), clearly),
					onAverage("Libra+$ over FCFS-BF", e.line("2(a)", libraPlus), e.line("2(a)", fcfsBF), clearly))
			},
		},
		{
			"2(a)", "VII.C", "both Libra and Libra+$ are able to achieve substantially higher performance than ... EDF-BF",
			"satisfaction of both at least 5 points above EDF-BF on average over the range", func(e evidence) verdict {
				return both(onAverage("Libra over EDF-BF", e.line("2(a)", libra), e.line("2(a)", edfBF), clearly),
					onAverage("Libra+$ over EDF-BF", e.line("2(a)", libraPlus), e.line("2(a)", edfBF), clearly))
			},
		},
		{
			"2(a)", "VII.C", "Libra+$ has a lower Job QoS satisfaction as compared to Libra",
			"Libra+$ below Libra at every factor", func(e evidence) verdict {
				return everywhere("Libra over Libra+$", e.line("2(a)", libra), e.line("2(a)", libraPlus), 0)
			},
		},
		{
			"2(a)", "VII.C", "This is because the proposed pricing function computes higher pricing, thus denying jobs with insufficient budgets",
			"Libra+$ refuses more jobs for their budget than Libra at every factor", func(e evidence) verdict {
				return everywhere("refused for budget, Libra+$ over Libra", e.line("2, beside", libraPlus), e.line("2, beside", libra), 0)
			},
		},
		{
			"2, price", "VIII", "Our pricing function also adapts to the changing supply and demand of resources by computing higher pricing when cluster workload increases",
			"what Libra+$ asks for a second of estimated runtime falls from factor 0.1 to 1.0, no step rises by more than 1 %", func(e evidence) verdict {
				c := make(curve, 0, 16)
				for _, p := range e.line("2, price", libraPlus) { // in per cent of the base price, as the others are in points
					p.Mean *= 100
					c = append(c, p)
				}
				return falling("per cent of the base price:", c, noise)
			},
		},
		{
			"2(a)", "VII.C", "When the cluster workload is high (with lower arrival delay factor), both Libra and Libra+$ have a lower Job QoS Satisfaction than SJF-BF and EDF-BF",
			"at factor 0.1 both below both", func(e evidence) verdict { return crossing(e, 0.1, true) },
		},
		{
			"2(a)", "VII.C", "both Libra and Libra+$ are able to overcome this unfairness, as seen in achieving higher Job QoS Satisfaction than SJF-BF and EDF-BF as workload decreases",
			"at factor 1.0 both above both", func(e evidence) verdict { return crossing(e, 1, false) },
		},
		{
			"2(b)", "VII.C", "the proposed pricing function enables Libra+$ to continue generating significantly higher Cluster Profitability than Libra",
			"above Libra at every factor, and by at least 5 points on average", func(e evidence) verdict {
				return significantly("Libra+$ over Libra", e.line("2(b)", libraPlus), e.line("2(b)", libra))
			},
		},
		{
			"2(b)", "VII.C", "the proposed pricing function enables Libra+$ to continue generating significantly higher Cluster Profitability than ... SJF-BF",
			"above SJF-BF at every factor, and by at least 5 points on average", func(e evidence) verdict {
				return significantly("Libra+$ over SJF-BF", e.line("2(b)", libraPlus), e.line("2(b)", sjfBF))
			},
		},
		{
			"2(b)", "VII.C", "Accepting fewer but higher-priced jobs enables Libra+$ to maintain a higher Cluster Profitability",
			"profit per satisfied job of Libra+$ above that of Libra at every factor", func(e evidence) verdict {
				return everywhere("profit / satisfaction in %, Libra+$ over Libra",
					perJob(e.line("2(b)", libraPlus), e.line("2(a)", libraPlus)), perJob(e.line("2(b)", libra), e.line("2(a)", libra)), 0)
			},
		},
		{
			"2(b)", "VII.C", "EDF-BF returns a similar Cluster Profitability as FCFS-BF",
			"within 3 points of FCFS-BF at every factor", func(e evidence) verdict {
				edf, fcfs := e.line("2(b)", edfBF), e.line("2(b)", fcfsBF)
				l := edf.over(fcfs)
				return verdict{
					holds: l.least >= -near && l.most <= near, measured: "EDF-BF over FCFS-BF: " + l.String(),
					counts: []count{edf.where(func(p Point) bool { return math.Abs(p.Mean-fcfs.at(p.X)) <= near })},
				}
			},
		},
		{
			"2(a)", "VII.C", "[EDF-BF] has a higher Job QoS Satisfaction [than FCFS-BF]",
			"above FCFS-BF at every factor", func(e evidence) verdict {
				return everywhere("EDF-BF over FCFS-BF", e.line("2(a)", edfBF), e.line("2(a)", fcfsBF), 0)
			},
		},
		{
			"2(b)", "caption of figure 2", "Libra+$ generates higher Cluster Profitability than all other policies",
			"above each of the four at every factor", func(e evidence) verdict {
				var each []verdict
				for _, policy := range fivePolicies[1:] {
					each = append(each, everywhere("over "+policy, e.line("2(b)", libraPlus), e.line("2(b)", policy), 0))
				}
				return both(each...)
			},
		},
		{
			"2(a)", "caption of figure 2", "even though it manages similar or lower Job QoS Satisfaction",
			"no more than 3 points above any of the four at any factor", func(e evidence) verdict {
				var each []verdict
				for _, policy := range fivePolicies[1:] {
					ours, theirs := e.line("2(a)", libraPlus), e.line("2(a)", policy)
					l := ours.over(theirs)
					each = append(each, verdict{
						holds: l.most <= near, measured: fmt.Sprintf("over %s at most %s at %s", policy, signed(l.most), number(l.mostAt)),
						counts: []count{ours.where(func(p Point) bool { return p.Mean-theirs.at(p.X) <= near })},
					})
				}
				return both(each...)
			},
		},
	}
}

// crossing compares Libra and Libra+$ with SJF-BF and EDF-BF at one factor.
func crossing(e evidence, factor float64, below bool) verdict {
	v := verdict{holds: true}
	for _, policy := range []string{libra, libraPlus, sjfBF, edfBF} {
		if v.measured != "" {
			v.measured += ", "
		}
		v.measured += fmt.Sprintf("%s %.1f", policy, e.line("2(a)", policy).at(factor))
	}
	for _, ours := range []string{libra, libraPlus} {
		for _, theirs := range []string{sjfBF, edfBF} {
			gap := e.line("2(a)", ours).at(factor) - e.line("2(a)", theirs).at(factor)
			if below {
				gap = -gap
			}
			v.holds = v.holds && gap > 0
		}
	}
	return v
}

// significantly is above everywhere, and clearly so on average.
func significantly(name string, a, b curve) verdict {
	l := a.over(b)
	return verdict{holds: l.least > 0 && l.mean >= clearly, measured: name + ": " + l.String(), counts: []count{l.above}}
}

// perJob divides a curve by another, in per cent.
func perJob(money, jobs curve) curve {
	ratio := make(curve, 0, len(money))
	for _, p := range money {
		p.Mean = 100 * p.Mean / jobs.at(p.X)
		ratio = append(ratio, p)
	}
	return ratio
}

// libraPlusPricing is section VII.D, figure 3.
func libraPlusPricing() []statement {
	return []statement{
		{
			"3(a)", "VII.D", "an increasing β for Libra+$ results in decreasing Job QoS Satisfaction",
			"falls from β = 0.01 to 1.0, no step rises by more than 1 point", func(e evidence) verdict {
				return falling(libraPlus, e.line("3(a)", libraPlus), noise)
			},
		},
		{
			"3(b)", "VII.D", "it results in increasing Cluster Profitability",
			"rises from β = 0.01 up to its peak, which is beyond the default of 0.1, no step before it falls by more than 1 point",
			func(e evidence) verdict {
				c := e.line("3(b)", libraPlus)
				best, most := c.peak()
				v := rising(libraPlus, c.between(0, best), noise)
				return verdict{holds: v.holds && best > 0.1, measured: fmt.Sprintf("peak %s at β = %s; %s", percent(most), number(best), v.measured), counts: v.counts}
			},
		},
		{
			"3(a)", "VII.D", "if β is set too high, the Job QoS Satisfaction can be lower than other policies such as EDF-BF",
			"at β = 1.0 below EDF-BF", func(e evidence) verdict {
				return above(edfBF, e.line("3(a)", edfBF).at(1), libraPlus, e.line("3(a)", libraPlus).at(1), 0)
			},
		},
		{
			"3(a)", "VII.D", "if β is set too high, the Job QoS Satisfaction can be lower than other policies such as ... FCFS-BF",
			"at β = 1.0 below FCFS-BF", func(e evidence) verdict {
				return above(fcfsBF, e.line("3(a)", fcfsBF).at(1), libraPlus, e.line("3(a)", libraPlus).at(1), 0)
			},
		},
		{
			"3(b)", "VII.D", "An increasing β will also ultimately result in lower Cluster Profitability (eg. β = 1.0 in Figure 3(b))",
			"at β = 1.0 more than 1 point below the peak", func(e evidence) verdict {
				c := e.line("3(b)", libraPlus)
				best, most := c.peak()
				return above(fmt.Sprintf("peak at β = %s", number(best)), most, "at β = 1.0", c.at(1), noise)
			},
		},
		{
			"3(a)", "VII.D", "the dynamic pricing factor β has a significant impact on ... Job QoS Satisfaction",
			"values of Libra+$ spread over at least 5 points", func(e evidence) verdict {
				s := e.line("3(a)", libraPlus).spread()
				return verdict{holds: s >= clearly, measured: fmt.Sprintf("spread %.1f points", s)}
			},
		},
		{
			"3(b)", "VII.D", "the dynamic pricing factor β has a significant impact on ... Cluster Profitability",
			"values of Libra+$ spread over at least 5 points", func(e evidence) verdict {
				s := e.line("3(b)", libraPlus).spread()
				return verdict{holds: s >= clearly, measured: fmt.Sprintf("spread %.1f points", s)}
			},
		},
		{
			"3(b)", "caption of figure 3", "A higher β returns ... higher Cluster Profitability",
			"taken literally: at β = 1.0 above β = 0.01 and no step falls by more than 1 point", func(e evidence) verdict {
				return rising(libraPlus, e.line("3(b)", libraPlus), noise)
			},
		},
	}
}
