package experiment

import (
	"context"
	"fmt"

	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/workload"
)

// libraPaper is 002. Its evaluation is one table: two batches of made-up jobs
// on 10 and on 20 nodes, under FIFO and under Libra.
var libraPaper = Paper{
	Name:   nameLibra,
	Title:  "Libra: a computational economy based job scheduling system for clusters",
	Source: "Jahanzeb Sherwani, Nosheen Ali, Nausheen Lotia, Zahra Hayat and Rajkumar Buyya",
	Run:    runLibra,
}

// libraSetting is what Table 1 of 002 goes through.
type libraSetting struct {
	First int
	Seeds int
	Cases []tableCase
}

// tableCase is a row of Table 1, with the paper's numbers.
type tableCase struct {
	Jobs, Nodes int
	FIFO, Libra float64 // completed in time
}

var tableCases = []tableCase{{100, 10, 77, 86}, {100, 20, 86, 90}, {200, 10, 95, 102}, {200, 20, 165, 177}}

func (c tableCase) String() string { return fmt.Sprintf("%d jobs, %d nodes", c.Jobs, c.Nodes) }

const pbsFIFO = "PBS FIFO"

func runLibra(ctx context.Context, o Options) ([]Figure, []Claim, error) {
	setting := libraSetting{o.First, o.count(1000, 200), tableCases}
	figures, err := o.Figures("libra-table1", setting, func() ([]Figure, error) { return measureTable(ctx, o, setting) })
	if err != nil {
		return nil, nil, err
	}
	return figures, judgeUnder(o.Reading, nameLibra, o.Trace, figures, libraStatements()), nil
}

func measureTable(ctx context.Context, o Options, setting libraSetting) ([]Figure, error) {
	var cells []Cell
	for _, row := range setting.Cases {
		for _, seed := range seeds(setting.First, setting.Seeds) {
			jobs, err := batch(row.Jobs, seed)
			if err != nil {
				return nil, err
			}
			fifo := Cell{Policy: "fifo", Nodes: row.Nodes, Jobs: Jobs{Base: jobs, Seed: seed, Factor: 1}}
			shared := fifo
			// 002 speaks of the run time left over the deadline left, and of nodes that
			// each keep track of their own jobs.
			shared.Policy, shared.Set = "libra", Settings("").Set("fit", "least-loaded").Set("commitment", "current").Set("replan", "touched")
			cells = append(cells, o.Reading.change(fifo), o.Reading.change(shared))
		}
	}
	results, err := o.Lab.Run(ctx, "Libra, table 1", cells)
	if err != nil {
		return nil, err
	}
	return drawTable(setting, results), nil
}

// batch makes up the jobs of a row: section 5 of 002.
func batch(jobs int, seed uint64) (*Base, error) {
	b := workload.FirstBatch()
	if jobs == 200 {
		b = workload.SecondBatch()
	}
	arrivals, err := b.Generate(seed)
	if err != nil {
		return nil, err
	}
	return &Base{Name: fmt.Sprintf("batch of %d", jobs), Arrivals: arrivals}, nil
}

// drawTable turns the results, two for each row and seed, into figures: the
// table itself, the difference between the columns, and jobs that were
// accepted and late.
func drawTable(setting libraSetting, results []*report.Summary) []Figure {
	table := tableFigure("table 1", "Jobs completed in time by FIFO and by Libra", "jobs completed in time", "Jobs finished within their deadline.", seedsRange)
	gain := tableFigure("table 1, gain", "Jobs that Libra completes in time and FIFO does not", "jobs more than FIFO", "Libra less FIFO, on the same jobs.", confidence)
	late := tableFigure("table 1, late", "Jobs that Libra accepts and finishes late", "jobs late", "Jobs accepted by Libra that miss their deadline.", seedsRange)
	over := tableFigure("table 1, budget", "Jobs that cost more than their budget", "jobs over budget", "Jobs done that cost more than their user would pay.", seedsRange)
	steps := tableFigure("table 1, events", "What happens for each job", "events per job", "Events of a run of Libra, by its jobs.", confidence)
	gain.Beside, late.Beside, over.Beside, steps.Beside = true, true, true, true
	over.Wants, steps.Wants, late.Wants = "lower is better", "lower is better", "lower is better"
	columns := map[string]*Series{}
	for _, name := range []string{pbsFIFO, libra, "gain", "late", "over", "steps"} {
		columns[name] = &Series{Name: name}
	}
	for i, row := range setting.Cases {
		x := float64(i)
		group := fmt.Sprintf("%d jobs\n%d nodes", row.Jobs, row.Nodes)
		for _, f := range []*Figure{&table, &gain, &late, &over, &steps} {
			f.Groups = append(f.Groups, group)
		}
		table.Stated = append(table.Stated, Stated{pbsFIFO, x, row.FIFO}, Stated{libra, x, row.Libra})
		gain.Stated = append(gain.Stated, Stated{"Libra − FIFO", x, row.Libra - row.FIFO})
		values := map[string][]float64{}
		for seed := range setting.Seeds {
			at := 2 * (i*setting.Seeds + seed)
			fifo, shared := results[at], results[at+1]
			values[pbsFIFO] = append(values[pbsFIFO], float64(fifo.MetDeadline))
			values[libra] = append(values[libra], float64(shared.MetDeadline))
			values["gain"] = append(values["gain"], float64(shared.MetDeadline-fifo.MetDeadline))
			values["over"] = append(values["over"], float64(shared.OverBudget))
			values["steps"] = append(values["steps"], float64(shared.Events)/float64(max(1, shared.Jobs)))
			values["late"] = append(values["late"], float64(shared.Completed-shared.MetDeadline))
		}
		for name, column := range columns {
			estimate := Range(values[name])
			if name == "gain" || name == "steps" {
				estimate = Confidence(values[name])
			}
			column.add(x, estimate, values[name])
		}
	}
	columns["gain"].Name, columns["late"].Name, columns["over"].Name, columns["steps"].Name = "Libra − FIFO", libra, libra, libra
	table.Series = []Series{*columns[pbsFIFO], *columns[libra]}
	gain.Series, late.Series = []Series{*columns["gain"]}, []Series{*columns["late"]}
	over.Series, steps.Series = []Series{*columns["over"]}, []Series{*columns["steps"]}
	return []Figure{table, gain, late, over, steps}
}

func tableFigure(number, title, y, measure, interval string) Figure {
	return Figure{
		ID: figureID(nameLibra, number), Number: number, Title: figureTitle(number, title), Measure: measure,
		Source: "Jobs made up as section 5 of the paper says, on nodes of 90 MIPS (the paper does not state the rating; this one fits its table).",
		X:      Axis{Name: "row of the table"}, Y: Axis{Name: y}, Interval: interval, Wants: "higher is better",
	}
}
