package experiment

import (
	"fmt"
	"math"
	"strings"
)

// restricted is the load from which the text speaks of admission control, and
// fullLoad that from which the cluster is full when all are admitted.
const (
	restricted = 90.0
	fullLoad   = 100.0
	topLoad    = 500.0
)

// mean is the mean of a line over a range of x, whatever its points.
func (c curve) mean(from, to float64) float64 {
	area := 0.0
	part := c.between(from, to)
	for i := 1; i < len(part); i++ {
		area += (part[i].X - part[i-1].X) * (part[i].Mean + part[i-1].Mean) / 2
	}
	if len(part) < 2 || part[0].X > from || part[len(part)-1].X < to {
		return math.NaN()
	}
	return area / (to - from)
}

// meets is where a line that is below another at some loads first meets it
// again for good.
func (c curve) meets(d curve) float64 {
	for i := len(c) - 1; i >= 0; i-- {
		gap := c[i].Mean - d.at(c[i].X)
		if gap > 0 {
			continue
		}
		if i == len(c)-1 {
			return math.NaN()
		}
		next := c[i+1].Mean - d.at(c[i+1].X)
		return c[i].X + float64(gap/(gap-next)*(c[i+1].X-c[i].X))
	}
	return math.NaN()
}

// percentOf gives a as a part of b at each x, in per cent.
func percentOf(a, b curve) curve {
	var c curve
	for _, p := range a {
		c = append(c, computed(p.X, 100*p.Mean/b.at(p.X)))
	}
	return c
}

// lowest is the smallest value and where it is.
func (c curve) lowest() (x, y float64) {
	x, y = math.NaN(), math.Inf(1)
	for _, p := range c {
		if p.Mean < y {
			x, y = p.X, p.Mean
		}
	}
	return x, y
}

// drop is the largest fall from a value to any later one, and between where.
func (c curve) drop() (fall, from, to float64) {
	from, to = math.NaN(), math.NaN()
	for i, a := range c {
		for _, b := range c[i+1:] {
			if a.Mean-b.Mean > fall {
				fall, from, to = a.Mean-b.Mean, a.X, b.X
			}
		}
	}
	return fall, from, to
}

// span says between which values a line lies.
func span(name string, c curve) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range c {
		low, high = min(low, p.Mean), max(high, p.Mean)
	}
	return fmt.Sprintf("%s: %.0f to %.0f", name, low, high)
}

// nistSimulation is section VI, figures 15 to 19, and VII.
func nistSimulation() []statement {
	list := append(nistPhi(), nistRevenue()...)
	list = append(list, nistPerJob()...)
	return append(list, nistDelays()...)
}

// nistPhi is what section VI says of Phi and of the model as a whole.
func nistPhi() []statement {
	return []statement{
		{
			"16", "VI", "we demonstrate that our analytical model for unbounded penalties can be applied to maximize provider revenue even when penalties are bounded",
			"q* earns at least 98 % of what the best rule found earns, at every load", func(e evidence) verdict {
				x, least := e.line("16, compared", nistPrinted).lowest()
				fx, fitted := e.line("16, compared", nistFitted).lowest()
				return verdict{holds: least >= 98, measured: fmt.Sprintf("%.1f %% at %.0f %% load (Φ = 0.556: %.1f %% at %.0f %%); T0 of (17) is that of one server and N² = 100 times too large, so q* admits too little",
					least, x, fitted, fx)}
			},
		},
		{
			"17", "VI", "the weighted average job value is $1800",
			"revenue per job within 2 % of 1800 at 50 % load, where nothing is refused and nearly nothing waits", func(e evidence) verdict {
				got := e.line("17", nistAll).at(50)
				return verdict{holds: math.Abs(got-1800) <= 36, measured: fmt.Sprintf("$%.0f", got)}
			},
		},
		{
			"15, phi", "VI", "Simulated queuing delays diverged with increasing utilization, with the greatest divergence occurring over the range of 0.85 to 1.00",
			"the delay with expiry as a part of that without falls at every load, and by more between 85 % and 100 % than below", func(e evidence) verdict {
				c := e.line("15, phi", "Φ")
				climb, _, _ := upsideDown(c).drop()
				return verdict{
					holds:    climb <= noise && c.at(85)-c.at(100) > c.first()-c.at(85),
					measured: fmt.Sprintf("%.1f %% at %.0f %% load, %.1f %% at 85 %%, %.1f %% at 100 %%", c.first(), c[0].X, c.at(85), c.at(100)),
				}
			},
		},
		{
			"15, phi", "VI", "bounded penalties led to queuing delays on average 56 % of those with unbounded penalties",
			"mean over loads of 85 % to 100 % within 5 points of 56 %", func(e evidence) verdict {
				c := e.line("15, phi", "Φ")
				got := c.mean(85, 100)
				return verdict{holds: math.Abs(got-56) <= 5, measured: fmt.Sprintf("%.0f %%; it hangs on the loads that are averaged: %.0f %% at 90 %%, %.0f %% at 95 %% and %.0f %% at 100 %%, the mean of which is %.0f %%",
					got, c.at(90), c.at(95), c.at(100), (c.at(90)+c.at(95)+c.at(100))/3)}
			},
		},
	}
}

// ahead writes a lead in revenue.
func ahead(l lead) string {
	text := fmt.Sprintf("%+.2f at %.0f %% to %+.2f $/s at %.0f %%", l.least, l.leastAt, l.most, l.mostAt)
	return strings.ReplaceAll(text, "-", "\u2212")
}

func upsideDown(c curve) curve {
	var turned curve
	for _, p := range c {
		turned = append(turned, computed(p.X, -p.Mean))
	}
	return turned
}

// nistRevenue is what is said of figure 16.
func nistRevenue() []statement {
	return []statement{
		{
			"16", "VI", "revenue rate increase even as the system becomes overloaded",
			"admitting all earns at least 10 % more at 200 % load than at 100 %", func(e evidence) verdict {
				c := e.line("16", nistAll)
				return verdict{holds: c.at(200) >= 1.1*c.at(100), measured: fmt.Sprintf("%.2f at 100 %%, %.2f at 200 %%", c.at(100), c.at(200))}
			},
		},
		{
			"16", "VI", "applying optimal admission probability ... enabled the service provider to achieve higher revenue beyond 300 % load",
			"q* above admit all at every load above 300 %", func(e evidence) verdict {
				l := e.line("16", nistPrinted).between(301, topLoad).over(e.line("16", nistAll))
				return verdict{holds: l.least > 0, measured: ahead(l), counts: []count{l.above}}
			},
		},
		{
			"16", "VI", "and to reach maximum revenue as load neared 500 %",
			"the largest revenue of q* at 450 % or more", func(e evidence) verdict {
				x, y := e.line("16", nistPrinted).peak()
				return verdict{holds: x >= 450, measured: fmt.Sprintf("%.2f at %.0f %%", y, x)}
			},
		},
		{
			"15", "VI", "[at 500 %] the arrival of high-value jobs was sufficient to allow rejection of all low-value jobs",
			"q* of both low-value classes 0 at 500 %", func(e evidence) verdict {
				a, b := e.line("15", "LvLu"), e.line("15", "LvHu")
				return verdict{holds: a.along(topLoad) <= refusedAll && b.along(topLoad) <= refusedAll, measured: fmt.Sprintf("LvHu refused from %.0f %%, LvLu from %.0f %%", b.below(refusedAll), a.below(refusedAll))}
			},
		},
		{
			"16", "VI", "In an interval between 65 % and 300 % load, admitting all jobs achieved more revenue",
			"admit all above q* at every load from 65 % on, until they meet at 300 % within 10 %", func(e evidence) verdict {
				a, q := e.line("16", nistAll), e.line("16", nistPrinted)
				meet := q.meets(a)
				l := a.between(65, meet).over(q)
				return verdict{holds: l.least > 0 && math.Abs(meet-300) <= 30, measured: fmt.Sprintf("ahead by up to %.2f $/s (at %.0f %%) until %.0f %%; Φ = 0.556: until %.0f %%",
					l.most, l.mostAt, meet, e.line("16", nistFitted).meets(a))}
			},
		},
		{
			"16, compared", "VI", "which results from the approximation of Φ used in (29)",
			"with Φ by its definition, measured at each load, q* earns at least as much as admit all, to 1 %, at every load from 65 % to 300 %", func(e evidence) verdict {
				all := e.line("16, compared", nistAll)
				l := e.line("16, compared", nistDefined).between(65, 300).overBy(all, -1)
				f := e.line("16, compared", nistFree).between(65, 300).overBy(all, -1)
				s := e.line("16, compared", nistServers).between(65, 300).overBy(all, -1)
				return verdict{
					holds: l.least >= -1, counts: []count{l.above},
					measured: fmt.Sprintf("%s; with Φ = 0.54, which leaves (30) without delay: %s; with T0 over N² and no Φ at all: %s (of the best found)", l, f, s),
				}
			},
		},
		{
			"16", "VI", "These factors enabled the provider to increase earned revenue until load reached about 300 %, after which revenue declined",
			"admitting all has its largest revenue at 250 % to 350 % and less than 90 % of it at 500 %", func(e evidence) verdict {
				c := e.line("16", nistAll)
				x, y := c.peak()
				return verdict{holds: x >= 250 && x <= 350 && c.at(topLoad) < 0.9*y, measured: fmt.Sprintf("%.2f at %.0f %%, %.2f at 500 %%", y, x, c.at(topLoad))}
			},
		},
		{
			"17, expired", "VI", "because of an increasing rate of expired jobs",
			"admitting all, the part of the jobs that expires rises from each load to the next, from 90 % on", func(e evidence) verdict {
				return rising("expired, %:", e.line("17, expired", nistAll).between(restricted, topLoad), 0)
			},
		},
	}
}

// nistPerJob is what is said of figure 17.
func nistPerJob() []statement {
	return []statement{
		{
			"17", "VI", "both control strategies yield an average value of $1800 per job until 90 % load",
			"both within 5 % of 1800 at every load up to 90 %", func(e evidence) verdict {
				v := verdict{holds: true}
				for i, rule := range []string{nistAll, nistPrinted, nistFitted} {
					c := e.line("17", rule).between(0, restricted)
					_, low := c.lowest()
					_, high := c.peak()
					if i < 2 {
						v.holds = v.holds && low >= 1710 && high <= 1890
					}
					v.measured += span(rule, c) + "; "
				}
				v.measured += fmt.Sprintf("as q* refuses LvHu from %.0f %% (0.556: %.0f %%)", e.line("15", "LvHu").below(refusedAny), e.line("15", withPhi("LvHu", 0.556)).below(refusedAny))
				return v
			},
		},
		{
			"17", "VI", "Beyond 90 % load, admitting all jobs led to a steady decline in revenue per job",
			"it falls from each load to the next", func(e evidence) verdict {
				return falling("admit all, $:", e.line("17", nistAll).between(restricted, topLoad), 0)
			},
		},
		{
			"17, expired", "VI", "(a) rejected jobs did not incur penalty costs",
			"q* lets at most 0.1 % of the jobs expire at every load above 90 %", func(e evidence) verdict {
				x, y := e.line("17, expired", nistPrinted).between(restricted+1, topLoad).peak()
				return verdict{holds: y <= 0.1, measured: fmt.Sprintf("at most %.3f %% (at %.0f %%)", y, x)}
			},
		},
		{
			"17, high value", "VI", "(b) a higher proportion of high-value jobs were admitted in place of low-value jobs",
			"above 90 % load more than the 20 % that arrive, and never less at a larger load", func(e evidence) verdict {
				c := e.line("17, high value", nistPrinted).between(restricted+1, topLoad)
				fall, _ := c.worstFall()
				return verdict{holds: c.first() > 20 && fall <= 0.1, measured: fmt.Sprintf("%.1f to %.1f %%", c.first(), c.last())}
			},
		},
		{
			"15", "VI", "Beyond 285 %, applying optimal admission probabilities resulted in acceptance of only high-value jobs",
			"with Φ = 0.56, as printed, the last low-value job is refused at 285 % within 5 points", func(e evidence) verdict {
				x, y := e.line("15", "LvLu").below(refusedAll), e.line("15", withPhi("LvLu", 0.556)).below(refusedAll)
				return verdict{holds: math.Abs(x-285) <= 5, measured: fmt.Sprintf("at %.0f %%; with Φ = 0.556 at %.0f %%: the third digit of Φ matters", x, y)}
			},
		},
		{
			"17", "VI", "leading to average revenue of $5000 per job",
			"q* within 2 % of 5000 at every load from 285 % on", func(e evidence) verdict {
				c := e.line("17", nistPrinted).between(285, topLoad)
				_, low := c.lowest()
				_, high := c.peak()
				return verdict{holds: low >= 4900 && high <= 5100, measured: span("$", c) + "; " + span("with Φ = 0.556 $", e.line("17", nistFitted).between(285, topLoad))}
			},
		},
	}
}
