package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/live/directive"
	"github.com/libra-market/libra/live/spec"
)

// specFlag names a file with the specification of a job.
const specFlag = "file"

func specFlags(cmd *cobra.Command) {
	cmd.Flags().StringP(specFlag, "f", "", "`file` with the specification of the job, in YAML or JSON; - is standard input. Flags beat it")
	if err := cmd.MarkFlagFilename(specFlag, "yaml", "yml", "json"); err != nil {
		panic(err)
	}
}

// readSpec takes what the specification of --file says into a request, and
// names the job for the case that nobody else does.
func (c *console) readSpec(cmd *cobra.Command, head *directive.Head) (name string, err error) {
	path, err := cmd.Flags().GetString(specFlag)
	if err != nil || path == "" {
		return "", err
	}
	jobs, err := c.readSpecs(path)
	if err != nil {
		return "", err
	}
	if len(jobs) != 1 {
		return "", fmt.Errorf("%s: %d jobs here, and only one is wanted", path, len(jobs))
	}
	job := &jobs[0]
	if len(job.Extra) > 0 {
		c.warn("%s: segments that mean nothing to the market: %s", path, strings.Join(slices.Sorted(maps.Keys(job.Extra)), ", "))
	}
	for _, t := range specTerms(job) {
		if err := head.Set(t.name, t.value); err != nil {
			return "", fmt.Errorf("%s: %s: %w", path, t.field, err)
		}
	}
	head.Request.Argv = job.Details.Command
	if len(job.Details.Command) > 0 {
		name = filepath.Base(job.Details.Command[0])
	}
	return name, nil
}

// specTerm is a field of a specification as the term of a request.
type specTerm struct{ field, name, value string }

// specTerms lists what a specification says that is not the default.
func specTerms(job *spec.Job) []specTerm {
	var terms []specTerm
	add := func(said bool, field, name, value string) {
		if said {
			terms = append(terms, specTerm{field, name, value})
		}
	}
	decimal := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	d, r, q := &job.Details, &job.Resources, &job.QoS
	add(d.Name != "", "details.name", "name", d.Name)
	add(d.User != "", "details.user", "account", string(d.User))
	add(true, "details.runtime_estimate", "estimate", decimal(float64(d.Estimate))+"s")
	add(d.Optional > 0, "details.optional_work", "optional", decimal(float64(d.Optional))+"s")
	add(r.Processors != 1, "resources.processors", "procs", strconv.Itoa(int(r.Processors)))
	add(r.Memory > 0, "resources.memory", "memory", strconv.FormatInt(r.Memory, 10)+"M")
	add(r.Disk > 0, "resources.disk", "disk", strconv.FormatInt(r.Disk, 10)+"M")
	add(q.Deadline.Finite(), "qos.deadline", "deadline", decimal(float64(q.Deadline))+"s")
	add(q.Soft, "qos.deadline_type", "soft", "true")
	add(q.Budget.Limited(), "qos.budget", "budget", decimal(float64(q.Budget)))
	add(q.Penalty > 0, "qos.penalty_rate", "penalty", decimal(float64(q.Penalty)))
	add(job.Optimise == market.Fastest, "optimise", "wish", "fastest")
	return terms
}

// readSpecs reads the specifications of a file; - is standard input.
func (c *console) readSpecs(path string) ([]spec.Job, error) {
	in := c.in
	name := "standard input"
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in, name = file, path
	}
	return spec.ReadJobs(name, in)
}
