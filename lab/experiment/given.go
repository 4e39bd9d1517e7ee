package experiment

import (
	"context"
	"fmt"
	"strings"

	"github.com/libra-market/libra/core/admission"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/grid"
	"github.com/libra-market/libra/lab/workload"
)

// What the papers give rather than find: their tables of settings and their drawings
// of functions. What is shown is what the program uses, beside what they print.

// wordTable makes a figure of words.
func wordTable(paper, number, title, measure, source string, heads []string, rows [][]string) Figure {
	return Figure{
		ID: figureID(paper, number), Number: number, Title: figureTitle(number, title), Measure: measure, Source: source,
		Heads: heads, Rows: rows, Interval: noIntervals,
	}
}

// decimal writes a setting.
func decimal(x float64) string { return fmt.Sprintf("%.1f", x) }

// settings is Table I of 000.
func (r *libraPlusRun) settings() ([]Figure, error) {
	m := workload.NewLibraPlusModel()
	plus, err := policy.Find("libra-plus")
	if err != nil {
		return nil, err
	}
	usual := map[string]string{}
	for _, s := range plus.Settings() {
		usual[s.Name] = s.Value()
	}
	rows := [][]string{
		{"% of high urgency jobs", "20.0", decimal(100 * m.HighUrgency)},
		{"% of low urgency jobs", "80.0", decimal(100 - 100*m.HighUrgency)},
		{"Deadline high:low ratio", "4.0", decimal(m.DeadlineRelaxed / m.DeadlineUrgent)},
		{"Deadline low mean", "2.0", decimal(m.DeadlineUrgent)},
		{"Budget high:low ratio", "4.0", decimal(m.BudgetUrgent / m.BudgetRelaxed)},
		{"Budget low mean", "2.0", decimal(m.BudgetRelaxed)},
		{"Arrival delay factor", "0.5", decimal(r.Factor)},
		{"% of inaccuracy", "0.0", decimal(100 * m.Inaccuracy)},
		{"Static pricing factor α", "1.0", usual["alpha"]},
		{"Dynamic pricing factor β", "0.1", usual["beta"]},
		{"Standard deviation, of the mean", "not stated", decimal(m.Deviation)},
	}
	return []Figure{wordTable(nameLibraPlus, "table I", "Default simulation settings", "What the experiments use where a figure does not vary it.",
		"Here: the model of agreements libra-plus and the defaults of the policy.", []string{"Parameter", "Paper", "Here"}, rows)}, nil
}

// penalty is figure 1 of 001: what a job is worth by when it is done.
func (r *libraSLARun) penalty() Figure {
	const runtime = 10610.0 // the mean of the selection
	m := workload.NewLibraSLAModel()
	f := Figure{
		ID: figureID(nameLibraSLA, "1"), Number: "1", Title: figureTitle("1", "Impact of the penalty function on utility"),
		Measure: "Utility of the mean job of each class by when it is finished: its budget until the deadline, then less by the penalty rate, equation (1).",
		Source:  "Computed: the means of section 5.1 for a runtime of 10,610 s, the mean of the selection.",
		X:       Axis{Name: "time from submission to the end", Unit: "hours"}, Y: Axis{Name: "utility", Unit: "thousands"}, Interval: noIntervals,
	}
	const last = 18 * runtime
	for _, c := range []struct {
		name                      string
		deadline, budget, penalty float64
	}{
		{"hard, high urgency", m.DeadlineUrgent, m.BudgetUrgent, m.PenaltyUrgent}, {"soft, low urgency", m.DeadlineRelaxed, m.BudgetRelaxed, m.PenaltyRelaxed},
	} {
		due, budget := c.deadline*runtime, c.budget*runtime
		points := []Point{computed(0, budget/1000), computed(due/3600, budget/1000)}
		none := due + budget/c.penalty // from here on it is a penalty
		for _, end := range []float64{none, last} {
			if end > due && end <= last {
				points = append(points, computed(end/3600, (budget-float64((end-due)*c.penalty))/1000))
			}
		}
		f.Series = append(f.Series, Series{Name: c.name, Points: points})
	}
	return f
}

// environment is figure 4 of 003: the sites, the applications, and what their work
// pays.
func (r *icRun) environment(context.Context) ([]Figure, error) {
	var sites [][]string
	for _, s := range grid.PaperSites() {
		sites = append(sites, []string{s.Name, fmt.Sprint(s.Processors), fmt.Sprintf("%.0f", s.MIPS)})
	}
	var laxities []string
	for _, x := range r.Laxities {
		laxities = append(laxities, fmt.Sprintf("%.0f %%", x))
	}
	a := wordTable(nameIC, "4(a)", "Resource characteristics", "The six sites.", "As the program has them.", []string{"Resource", "Processors", "MIPS of each"}, sites)
	b := wordTable(nameIC, "4(b)", "Application parameters", "Of what an application is made; all are drawn evenly.", "Deadlines of figure 6: 10 to 50 % later, drawn for each application.",
		[]string{"Parameter", "Value"}, [][]string{
			{"jobs", "1 to 16"},
			{"mandatory work of a job", "600,000 to 7,200,000 MI"},
			{"optional work of a job", "0.5 to 4 times the mandatory"},
			{"budget of the mandatory part", "0.001 for each MI"},
			{"deadline, later than the mean execution time by", strings.Join(laxities, ", ")},
			{"applications", thousands(r.Applications)},
			{"time between applications", "300 s, exponential"},
		})
	const mandatory, optional = 3.9, 3.9 * 2.25 // million MI, the means
	c := r.figure("4(c)", "Budget functions", Axis{Name: "optional work executed", Unit: "million MI"}, Axis{Name: "budget of a job"}, "What the mean job pays by the optional work that it got.", fixedRate)
	c.Interval, c.Wants = noIntervals, ""
	for _, factor := range []float64{0.5, 1, 1.5} {
		paid := 1000 * mandatory
		rate := 0.2 * factor * paid // for each million MI
		c.Series = append(c.Series, Series{Name: fmt.Sprintf("budget rate %.1f of the mean", factor), Points: []Point{computed(0, paid), computed(optional, paid+float64(rate*optional))}})
	}
	return []Figure{a, b, c}, nil
}

// given are figures 9 and 12 and tables 1 and 2 of 004.
func (r *nistRun) given(context.Context) ([]Figure, error) {
	s := &r.system
	urgent := s.Classes[1].Decay / s.Classes[0].Decay
	first := wordTable(nameNIST, "table 1", "General job characteristics", "The jobs of the simulated cluster.", "Here: the cluster that figures 16 to 19 simulate.", []string{"Characteristic", "Paper", "Here"}, [][]string{
		{"Job width", "500 processors", fmt.Sprintf("%d processors", s.Widths[0].Processors)},
		{"Job length, average", "7200 seconds", fmt.Sprintf("%.0f seconds", s.Length.Mean)},
		{"Job length, standard deviation", "2400 seconds", fmt.Sprintf("%.0f seconds", s.Length.Deviation)},
		{"Job length, minimum", "300 seconds", fmt.Sprintf("%.0f seconds", s.Length.Least)},
		{"Base value", "$1.00/processor/hour", fmt.Sprintf("$%.2f/processor/hour", s.Price)},
		{"High skew", "5 x base value", fmt.Sprintf("%.0f x base value", s.Classes[2].Skew)},
		{"Base decay", "$0.10/second", fmt.Sprintf("$%.2f/second", s.Classes[0].Decay)},
		{"Urgent skew", "10 x base decay", fmt.Sprintf("%.0f x base decay", urgent)},
		{"τmin", "3 x job length", fmt.Sprintf("%.0f x job length", s.Grace)},
		{"Maximum penalty", "5 % of job value", fmt.Sprintf("%.0f %% of job value", 100*s.Penalty)},
	})
	var rows [][]string
	printed := map[string]string{"LvLu": "64 %, $1000, $0.10/s", "LvHu": "16 %, $1000, $1.00/s", "HvLu": "16 %, $5000, $0.50/s", "HvHu": "4 %, $5000, $5.00/s"}
	for _, c := range s.Classes {
		value := s.Length.Mean / 3600 * float64(s.Widths[0].Processors) * s.Price * c.Skew
		rows = append(rows, []string{c.Name, printed[c.Name], fmt.Sprintf("%.0f %%, $%.0f, $%.2f/s", 100*c.Share, value, c.Decay)})
	}
	second := wordTable(nameNIST, "table 2", "Characteristics distinguishing job classes", "Ratio, value and decay rate of an average job of each class.",
		"Lv and Hv are low and high value, Lu and Hu low and high urgency.", []string{"Class", "Paper", "Here"}, rows)
	two, four := admission.TwoClasses(0.5), admission.FourClasses()
	return []Figure{
		first, second,
		r.worth("9", "Linear utility functions for two job classes", &two, []string{highValue, lowValue}),
		r.worth("12", "Linear utility functions for four job classes", &four, nil),
	}, nil
}

// worth draws what a job of each class brings by its delay, down to nothing.
func (r *nistRun) worth(number, title string, m *admission.Model, names []string) Figure {
	f := r.figure(number, title, Axis{Name: "queueing delay", Unit: "thousand s"}, Axis{Name: "revenue from a job", Unit: "$"},
		"What a job brings by its delay: its price until τmin, then less by its decay, (2) to (4).", "Computed: section V.")
	for i, c := range m.Classes {
		name := c.Name
		if i < len(names) {
			name = names[i]
		}
		end := m.TauMin + c.P0/c.V1
		f.Series = append(f.Series, Series{Name: name, Points: []Point{computed(0, c.P0), computed(m.TauMin/1000, c.P0), computed(end/1000, 0)}})
	}
	return f
}
