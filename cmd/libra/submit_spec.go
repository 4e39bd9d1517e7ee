package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

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

// readSpec begins a request with what the specification of --file says, and
// names the job for the case that nobody else does.
func (c *console) readSpec(cmd *cobra.Command, head *directive.Head) (name string, err error) {
	path, err := cmd.Flags().GetString(specFlag)
	if err != nil || path == "" {
		return "", err
	}
	jobs, err := c.readSpecs(path, wallClock())
	if err != nil {
		return "", err
	}
	if len(jobs) != 1 {
		return "", fmt.Errorf("%s: %d jobs here, and only one is wanted", path, len(jobs))
	}
	job := &jobs[0]
	if others := slices.DeleteFunc(slices.Sorted(maps.Keys(job.Extra)), func(name string) bool { return name == directive.Segment }); len(others) > 0 {
		c.warn("%s: segments that mean nothing to the market: %s", path, strings.Join(others, ", "))
	}
	if head.Request, err = job.Request(); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if err = head.SetAll(job.Extra[directive.Segment]); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if len(job.Details.Command) > 0 {
		name = filepath.Base(job.Details.Command[0])
	}
	return name, nil
}

// readSpecs reads the specifications of a file; - is standard input. Deadlines can be a
// time of day only for jobs that are handed in now.
func (c *console) readSpecs(path string, now time.Time) ([]spec.Job, error) {
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
	return spec.ReadJobsAt(now, name, in)
}
