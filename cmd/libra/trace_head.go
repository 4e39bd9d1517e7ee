package main

import (
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/workload"
)

type traceHeadOptions struct {
	jobs int64
	json bool
}

func newTraceHead(con *console) *cobra.Command {
	var opts traceHeadOptions
	cmd := &cobra.Command{
		Use:   "head FILE",
		Short: "Show the first jobs of a workload",
		Long: `Show the first jobs of a workload as a simulation would see them. Times are in
seconds; deadlines are relative to submission.`,
		Example: `  libra trace head SDSC-SP2.swf.gz
  libra trace head -n 3 --json jobs.csv`,
		Args:              positional("FILE"),
		ValidArgsFunction: completeWorkload,
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.jobs < 1 {
				return usagef("--jobs: %d makes no sense (want 1 or more)", opts.jobs)
			}
			return runTraceHead(cmd.Context(), con, opts, args[0])
		},
	}
	cmd.Flags().Int64VarP(&opts.jobs, "jobs", "n", 10, "show a `number` of jobs")
	cmd.Flags().BoolVar(&opts.json, "json", false, "print as JSON, with the names of the columns of a workload CSV")
	return cmd
}

// jobListing is a job in JSON, under the names of a workload CSV.
type jobListing struct {
	ID           string   `json:"id"`
	Submit       float64  `json:"submit"`
	Runtime      float64  `json:"runtime"`
	Estimate     float64  `json:"estimate"`
	Procs        int32    `json:"procs"`
	Deadline     *float64 `json:"deadline"`
	DeadlineType string   `json:"deadline_type"`
	Budget       *float64 `json:"budget"`
	PenaltyRate  float64  `json:"penalty_rate"`
	User         string   `json:"user"`
}

func runTraceHead(ctx context.Context, con *console, opts traceHeadOptions, path string) error {
	file, err := con.openWorkload(ctx, path)
	if err != nil {
		return err
	}
	defer file.Close()
	jobs := []jobListing{}
	src := workload.Head(file, opts.jobs)
	var a workload.Arrival
	for {
		err := src.Next(&a)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		jobs = append(jobs, listJob(&a))
	}
	if opts.json {
		return con.writeJSON(jobs)
	}
	g := &grid{head: true, spare: []int{9, 8, 6}}
	g.add("id", "submit", "runtime", "estimate", "procs", "deadline", "type", "budget", "penalty", "user")
	for _, j := range jobs {
		kind := ""
		if j.Deadline != nil {
			kind = j.DeadlineType
		}
		g.add(j.ID, unpadded(j.Submit), unpadded(j.Runtime), unpadded(j.Estimate), strconv.Itoa(int(j.Procs)),
			known(j.Deadline), kind, known(j.Budget), unpadded(j.PenaltyRate), j.User)
	}
	return g.write(con.out, "")
}

func listJob(a *workload.Arrival) jobListing {
	job := &a.Job
	j := jobListing{
		ID: a.Label(), Submit: float64(job.Submit), Runtime: float64(a.Actual), Estimate: float64(job.Estimate),
		Procs: job.Width, DeadlineType: "hard", PenaltyRate: float64(job.SLA.Penalty), User: string(job.Owner),
	}
	if job.SLA.Soft {
		j.DeadlineType = "soft"
	}
	if deadline := float64(job.SLA.Deadline); job.SLA.Deadline < market.Never {
		j.Deadline = &deadline
	}
	if budget := float64(job.SLA.Budget); job.SLA.Budget.Limited() {
		j.Budget = &budget
	}
	return j
}

// unpadded writes a number with no more decimals than it needs, three at most.
func unpadded(x float64) string {
	if text := strconv.FormatFloat(x, 'f', -1, 64); len(text) <= len(strconv.FormatFloat(x, 'f', 3, 64)) {
		return text
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

func known(x *float64) string {
	if x == nil {
		return "-"
	}
	return unpadded(*x)
}
