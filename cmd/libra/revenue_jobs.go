package main

import (
	"io"
	"os"

	"github.com/libra-market/libra/lab/revenue"
)

// jobOutcome is what became of a job of a list, as programs read it.
type jobOutcome struct {
	ID      string  `json:"id"`
	Outcome string  `json:"outcome"`
	Time    float64 `json:"time"`
	Delay   float64 `json:"delay"`
	Revenue float64 `json:"revenue"`
}

// listResult is the answer to a list of jobs.
type listResult struct {
	Processors int          `json:"processors"`
	Jobs       []jobOutcome `json:"jobs"`
	revenue.Totals
}

// runRevenueJobs runs a list of jobs and says what became of each.
func runRevenueJobs(con *console, opts revenueSimulateOptions) error {
	system, err := opts.system()
	if err != nil {
		return err
	}
	var rule revenue.Rule
	if len(opts.q) > 0 {
		if rule, err = opts.givenRule(&system); err != nil {
			return err
		}
	}
	named, err := con.readJobList(opts.jobs, &system)
	if err != nil {
		return err
	}
	jobs := make([]revenue.Job, len(named))
	for i := range named {
		jobs[i] = named[i].Job
	}
	outcomes, totals, err := revenue.Play(system, jobs, rule, opts.seed)
	if err != nil {
		return err
	}
	result := listResult{Processors: system.Processors, Jobs: make([]jobOutcome, len(jobs)), Totals: totals}
	for i, o := range outcomes {
		result.Jobs[i] = jobOutcome{ID: named[i].ID, Outcome: o.Fate.String(), Time: o.Time, Delay: o.Delay, Revenue: o.Revenue}
	}
	if opts.out != "" {
		if err := con.writeOutput(opts.out, result.writeTable); err != nil {
			return err
		}
	}
	switch {
	case opts.json:
		return con.writeJSON(result)
	case opts.out == "-":
		return nil
	}
	return result.print(con)
}

func (c *console) readJobList(path string, s *revenue.System) ([]revenue.NamedJob, error) {
	if path == "-" {
		return revenue.ReadJobs(c.in, "standard input", s)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return revenue.ReadJobs(file, path, s)
}

func (r *listResult) writeTable(out io.Writer) error {
	rows := [][]string{{"id", "outcome", "time", "delay", "revenue"}}
	for _, j := range r.Jobs {
		rows = append(rows, []string{quoted(j.ID), j.Outcome, inFull(j.Time), inFull(j.Delay), inFull(j.Revenue)})
	}
	return writeLines(out, rows)
}

func (r *listResult) print(con *console) error {
	counts := map[string]int64{}
	for _, j := range r.Jobs {
		counts[j.Outcome]++
	}
	all := int64(len(r.Jobs))
	g := &grid{left: 1}
	g.add("jobs", count(all))
	for _, outcome := range []string{"run", "expired", "rejected"} {
		g.add("  "+outcome, count(counts[outcome]), percentOf(counts[outcome], all))
	}
	g.add("revenue", amount(r.Revenue))
	g.add("span", grouped(r.Span, 0)+" s")
	g.add("utilisation", percent(r.Utilisation))
	return g.write(con.out, "")
}
