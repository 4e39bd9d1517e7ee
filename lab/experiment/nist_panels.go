package experiment

import (
	"fmt"

	"github.com/libra-market/libra/lab/revenue"
)

// The figures of the simulated cluster at one load: one point for each rule.

const (
	eachPeriod = " A seed is a period of half a year."
	sourceSim  = "Simulated: section VI, 5000 processors, tables 1 and 2, Poisson arrivals, no backfilling, every period starts empty. " +
		"The best rule was searched on other periods."
)

var aggregate = Axis{Name: "aggregate load", Unit: "%"}

// nistHues are the colours of figures 16 to 19 as their captions have them: red for
// admitting all, blue for the optimal probabilities.
var nistHues = map[string]int{nistAll: 8, nistPrinted: 1, nistFitted: 7, nistBest: 3}

// nistResult is a rule's periods, to be measured.
type nistResult = revenue.RuleResult

// overPeriods are the values of all periods.
func overPeriods(r *nistResult, value func(*revenue.Tally) float64) []float64 {
	values := make([]float64, len(r.Periods))
	for i := range r.Periods {
		values[i] = value(&r.Periods[i])
	}
	return values
}

func perCent(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * part / whole
}

// ofWhole makes a figure one of parts in per cent, whose intervals end at 0 and 100.
func ofWhole(f Figure) Figure {
	for _, s := range f.Series {
		for i := range s.Points {
			p := &s.Points[i]
			p.Low, p.High = max(0, p.Low), min(100, p.High)
		}
	}
	return f
}

// simFigure is a figure of the cluster with one line per rule.
func (r *nistRun) simFigure(number, title string, y Axis, measure string, load float64, results []nistResult, value func(*nistResult) []float64) Figure {
	f := r.figure(number, title, aggregate, y, measure+eachPeriod, sourceSim)
	f.Interval = confidence
	for i := range results {
		values := value(&results[i])
		s := Series{Name: results[i].Rule.Name, Hue: nistHues[results[i].Rule.Name]}
		s.add(load, Confidence(values), values)
		f.Series = append(f.Series, s)
	}
	return f
}

// The measures of figures 16 to 19.
func (r *nistRun) revenuePerSecond(x *nistResult) []float64 {
	return overPeriods(x, func(t *revenue.Tally) float64 { return t.Revenue / r.system.Period })
}

func (r *nistRun) revenuePerJob(x *nistResult) []float64 {
	return overPeriods(x, (*revenue.Tally).PerJob)
}

func (r *nistRun) delay(x *nistResult) []float64 { return overPeriods(x, (*revenue.Tally).MeanDelay) }

func (r *nistRun) wait(x *nistResult) []float64 { return overPeriods(x, (*revenue.Tally).MeanWait) }

func (r *nistRun) utilisation(x *nistResult) []float64 {
	return overPeriods(x, func(t *revenue.Tally) float64 { return perCent(t.Busy, float64(r.system.Processors)*r.system.Period) })
}

// panels are figures 16 to 19 and what stands beside them.
func (r *nistRun) panels(load float64, shown, others []nistResult) []Figure {
	figures := []Figure{
		r.simFigure("16", "Average revenue per second", perSecond,
			"What started jobs earn, less 5\u00a0% of the value of each that expires.", load, shown, r.revenuePerSecond),
		r.simFigure("17", "Average revenue per job", Axis{Name: "revenue", Unit: "$ per job"},
			"Revenue by the number of jobs that started or expired.", load, shown, r.revenuePerJob),
		r.simFigure("18", "Average queueing delay", Axis{Name: "delay", Unit: "s"},
			"Delay of the jobs that started.", load, shown, r.wait),
		ofWhole(r.simFigure("19", "Average utilisation", Axis{Name: "utilisation", Unit: "%"},
			"Busy processors, of all.", load, shown, r.utilisation)),
		r.bestRule(load, shown[len(shown)-1].Rule),
		r.compared(load, shown, others),
		ofWhole(r.simFigure("17, expired", "Jobs that expire", Axis{Name: "expired jobs", Unit: "%"}, "Jobs that expire, of all that arrive.", load, shown,
			func(x *nistResult) []float64 {
				return overPeriods(x, func(t *revenue.Tally) float64 { return perCent(float64(t.Expired), float64(t.Arrived)) })
			})),
		r.highValue(load, shown),
		r.simFigure("18, expired", "Queueing delay with the jobs that expire", Axis{Name: "delay", Unit: "s"}, "Delay of the jobs that started or expired.", load, shown, r.delay),
	}
	figures[0].Wants, figures[1].Wants, figures[2].Wants = "higher is better", "higher is better", "lower is better"
	// The text states these for q*; the interval is too small to draw.
	figures[1].Stated = []Stated{{nistPrinted, 90, 1800}, {nistPrinted, 285, 5000}}
	for i := 4; i < len(figures); i++ {
		figures[i].Beside = true
	}
	return figures
}

// highValue counts by class, over all periods together.
func (r *nistRun) highValue(load float64, results []nistResult) Figure {
	f := r.figure("17, high value", "High-value jobs among the admitted", aggregate, Axis{Name: "high-value jobs", Unit: "%"},
		"Jobs of high value, of all that are admitted in all periods together.", sourceSim)
	for _, x := range results {
		var high, all int64
		for c := range x.ByClass {
			admitted := x.ByClass[c].Arrived - x.ByClass[c].Rejected
			all += admitted
			if r.system.Classes[c].Skew > 1 {
				high += admitted
			}
		}
		f.Series = append(f.Series, Series{Name: x.Rule.Name, Points: []Point{computed(load, perCent(float64(high), float64(all)))}})
	}
	return f
}

// bestRule is the rule that the search found.
func (r *nistRun) bestRule(load float64, rule revenue.Rule) Figure {
	f := r.figure("15, best", "The admission that earns most in the simulated cluster", aggregate, Axis{Name: "admission probability q"},
		"The part of the jobs of each class that the best rule found admits. Where two classes earn alike, it does not matter which is admitted.",
		sourceSim)
	for c, q := range rule.Q {
		f.Series = append(f.Series, Series{Name: r.system.Classes[c].Name, Points: []Point{computed(load, q)}})
	}
	return f
}

// compared is what every rule earns beside the best that was found, on the same
// jobs: period by period, so that the interval is that of pairs.
func (r *nistRun) compared(load float64, shown, others []nistResult) Figure {
	best := &shown[len(shown)-1]
	all := append(shown[:len(shown)-1:len(shown)-1], others...)
	f := r.simFigure("16, compared", "Revenue of other rules beside the best found", Axis{Name: "revenue", Unit: "% of that of the best found"},
		"Revenue of a rule, of what the best rule found earns on the same jobs.", load, all, func(x *nistResult) []float64 {
			values := make([]float64, len(x.Periods))
			for i := range values {
				values[i] = perCent(x.Periods[i].Revenue, best.Periods[i].Revenue)
			}
			return values
		})
	f.Source += fmt.Sprintf(" N = 10; T0 is (17). Rules that are not in figure 16: %d periods.", r.Beside)
	f.Wants = "higher is better"
	return f
}

// widthPanels are figures 16, 18 and 19 for jobs of mixed widths, which the
// paper speaks of and does not show.
func (r *nistRun) widthPanels(load float64, results []nistResult) []Figure {
	figures := []Figure{
		r.simFigure("16, mixed widths", "Revenue per second, jobs of mixed widths", perSecond,
			"As figure 16, for jobs of 250, 750 and 1500 processors.", load, results, r.revenuePerSecond),
		r.simFigure("18, mixed widths", "Queueing delay, jobs of mixed widths", Axis{Name: "delay", Unit: "s"},
			"As figure 18, for jobs of 250, 750 and 1500 processors.", load, results, r.wait),
		ofWhole(r.simFigure("19, mixed widths", "Utilisation, jobs of mixed widths", Axis{Name: "utilisation", Unit: "%"},
			"As figure 19, for jobs of 250, 750 and 1500 processors.", load, results, r.utilisation)),
	}
	for i := range figures {
		figures[i].Beside = true
		figures[i].Source = "Simulated: section VI, half of the jobs 250 processors wide, 30\u00a0% 750 and 20\u00a0% 1500. q* is that of jobs of 500."
	}
	return figures
}

// expiryPanels are the delays that section VI took its Phi from, and their
// ratio.
func (r *nistRun) expiryPanels(load float64, with, without nistResult) []Figure {
	with.Rule.Name, without.Rule.Name = withExpiry, withoutExpiry
	a := r.simFigure("18, expiry", "Queueing delay with expiry and without", Axis{Name: "delay", Unit: "s", Log: true},
		"Delay when all jobs are admitted, and leave when they expire or wait for ever.", load, []nistResult{with, without}, r.delay)
	// Of the means: near 100 % a few periods without expiry have most of the delay.
	short, long := r.delay(&with), r.delay(&without)
	some, all := Confidence(short).Mean, Confidence(long).Mean
	ratio := perCent(some, all)
	values := make([]float64, len(short)) // what each period does to the ratio, to the first order
	for i := range values {
		values[i] = ratio + (100*short[i]-ratio*long[i])/all
	}
	b := r.figure("15, phi", "Φ, measured", aggregate, Axis{Name: "delay with expiry", Unit: "% of the delay without"},
		"Mean delay with expiry, of the mean delay without.", sourceSim)
	phi := Series{Name: "Φ"}
	phi.add(load, Confidence(values), values)
	phi.Points[0].Mean = ratio
	b.Series, b.Interval = []Series{phi}, confidence
	figures := []Figure{a, b}
	for i := range figures {
		figures[i].Beside = true
		figures[i].Source = "Simulated: section VI, all jobs admitted."
	}
	return figures
}

const (
	withExpiry    = "with expiry"
	withoutExpiry = "without expiry"
	jobsNumber    = "jobs"
)

// jobsCounted carries the number of jobs behind a load; it is no figure.
func jobsCounted(load float64, searched int64, groups ...[]nistResult) Figure {
	n := searched
	for _, group := range groups {
		for i := range group {
			total := group[i].Jobs()
			n += total.Arrived
		}
	}
	return Figure{Number: jobsNumber, Series: []Series{{Points: []Point{computed(load, float64(n))}}}}
}

// countJobs puts the number of all jobs into the small print.
func countJobs(figures []Figure) []Figure {
	n := 0.0
	last := len(figures) - 1
	for _, p := range figures[last].Series[0].Points {
		n += p.Mean
	}
	figures = figures[:last]
	for i := range figures {
		figures[i].Source += fmt.Sprintf(" These figures took %s jobs.", manyJobs(n))
	}
	return figures
}

func manyJobs(n float64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.2f billion", n/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f million", n/1e6)
	}
	return thousands(int(n))
}
