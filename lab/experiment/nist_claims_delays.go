package experiment

import (
	"fmt"
	"math"
)

// nistDelays is what sections VI and VII say of figures 18 and 19 and of jobs of
// mixed widths.
func nistDelays() []statement {
	return []statement{
		{
			"18", "VI", "decreases in queuing delay (Fig. 18) ... with increase in aggregate load",
			"admitting all, the delay of those that start falls by 5 % or more from one load to a larger one", func(e evidence) verdict {
				fall, from, to := e.line("18", nistAll).drop()
				all, _, _ := e.line("18, expired", nistAll).drop()
				top := e.line("18", nistAll).at(from)
				return verdict{
					holds:    fall >= 0.05*top,
					measured: fmt.Sprintf("of those that start: %.0f s at %.0f %% to %.0f s at %.0f %%; with the expired it falls by %.0f s at most", top, from, top-fall, to, all),
				}
			},
		},
		{
			"19", "VI", "decreases in ... utilization (Fig. 19) with increase in aggregate load",
			"admitting all, of which the text speaks (expiry acts as admission control), utilisation falls by 1 point or more from one load to a larger one", func(e evidence) verdict {
				fall, from, to := e.line("19", nistPrinted).drop()
				all, _, _ := e.line("19", nistAll).drop()
				return verdict{holds: all >= noise, measured: fmt.Sprintf("admit all: by %.2f at most; q*: by %.1f points from %.0f to %.0f %%", all, fall, from, to)}
			},
		},
		{
			"18", "VI", "applying optimal admission probabilities enabled the service provider to hold queuing delays low, as compared with the case of admitting all jobs",
			"q* at most a quarter of admit all at every load from 90 % on", func(e evidence) verdict {
				x, y := percentOf(e.line("18", nistPrinted), e.line("18", nistAll)).between(restricted, topLoad).peak()
				return verdict{holds: y <= 25, measured: fmt.Sprintf("at most %.0f %% of it (at %.0f %%); %s s", y, x, span("q*", e.line("18", nistPrinted)))}
			},
		},
		{
			"17, expired", "VI", "high queuing delays caused some jobs to decay in value and other jobs to expire and incur penalty costs",
			"admitting all, at least 10 % of the jobs expire at every load from 150 % on", func(e evidence) verdict {
				x, y := e.line("17, expired", nistAll).between(150, topLoad).lowest()
				return verdict{holds: y >= 10, measured: fmt.Sprintf("%.0f %% at %.0f %%, %.0f %% at 500 %%", y, x, e.line("17, expired", nistAll).last())}
			},
		},
		{
			"19", "VI", "limiting admissions to maximize revenue reduced utilization",
			"q* at least 5 points below admit all at every load from 90 % on", func(e evidence) verdict {
				return everywhere("admit all over q*", e.line("19", nistAll).between(restricted, topLoad), e.line("19", nistPrinted), clearly)
			},
		},
		{
			"19", "VI", "When all jobs were admitted, cluster utilization reached 100 % (given sufficient load)",
			"at least 99.5 % at some load", func(e evidence) verdict {
				x, y := e.line("19", nistAll).peak()
				return verdict{holds: y >= 99.5, measured: fmt.Sprintf("%.2f %% at %.0f %%", y, x)}
			},
		},
		{
			"19", "VI", "When job admissions were restricted, cluster utilization averaged about 69 %",
			"mean over loads of 100 % to 500 % within 3 points of 69 %, with Φ = 0.56 as printed", func(e evidence) verdict {
				return averaged(e, "19", 69)
			},
		},
		{
			"16, mixed widths", "VI", "Those results (not shown here) provide the same fundamental pattern of revenue and queuing delay",
			"admit all above q* at 100 % and 200 %, q* above it from 300 % on, and its delay at most a quarter at every load from 100 % on", func(e evidence) verdict {
				l := e.line("16, mixed widths", nistPrinted).over(e.line("16, mixed widths", nistAll))
				early := e.line("16, mixed widths", nistAll).between(fullLoad, 200).over(e.line("16, mixed widths", nistPrinted))
				late := e.line("16, mixed widths", nistPrinted).between(300, topLoad).over(e.line("16, mixed widths", nistAll))
				_, delay := percentOf(e.line("18, mixed widths", nistPrinted), e.line("18, mixed widths", nistAll)).between(fullLoad, topLoad).peak()
				return verdict{
					holds:    early.least > 0 && late.least > 0 && delay <= 25,
					measured: fmt.Sprintf("q* over admit all %s; delay at most %.0f %% of it", ahead(l), delay),
				}
			},
		},
		{
			"19, mixed widths", "VI", "lower utilizations: 90 % average when all jobs were admitted",
			"mean over loads of 100 % to 500 % within 3 points of 90 %, and below that of figure 19", func(e evidence) verdict {
				got, one := e.line("19, mixed widths", nistAll).mean(fullLoad, topLoad), e.line("19", nistAll).mean(fullLoad, topLoad)
				return verdict{holds: math.Abs(got-90) <= near && got < one, measured: fmt.Sprintf("%.1f %%, %.1f %% with one width", got, one)}
			},
		},
		{
			"19, mixed widths", "VI", "65 % average when optimal admission probabilities were applied",
			"mean over loads of 100 % to 500 % within 3 points of 65 %, with Φ = 0.56 as printed", func(e evidence) verdict {
				return averaged(e, "19, mixed widths", 65)
			},
		},
		{
			"19", "VII", "providers must restrict resource utilization in order to maximize revenue",
			"the best rule found leaves at least 10 % of the cluster idle on average over loads of 100 % to 500 %", func(e evidence) verdict {
				best := e.line("19", nistBest).mean(fullLoad, topLoad)
				gain := percentOf(e.line("16", nistBest), e.line("16", nistPrinted)).mean(fullLoad, topLoad) - 100
				return verdict{holds: best <= 90, measured: fmt.Sprintf("it uses %.1f %% and earns %.0f %% more than q*, which uses %.1f %%: what must be restricted is admission of low value, not use",
					best, gain, e.line("19", nistPrinted).mean(fullLoad, topLoad))}
			},
		},
	}
}

// averaged judges the mean utilisation of q*, and says what the other Phi gives.
func averaged(e evidence, figure string, want float64) verdict {
	got, fitted := e.line(figure, nistPrinted).mean(fullLoad, topLoad), e.line(figure, nistFitted).mean(fullLoad, topLoad)
	return verdict{holds: math.Abs(got-want) <= near, measured: fmt.Sprintf("%.1f %%; with Φ = 0.556 %.1f %%", got, fitted)}
}
