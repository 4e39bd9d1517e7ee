package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/lab/workload"
	"github.com/libra-market/libra/live/spec"
)

// isSpec tells by its name whether a workload is a file of job specifications.
func isSpec(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(path)))
}

// openSpecs reads a workload of job specifications.
func (c *console) openSpecs(path string) (*workload.File, error) {
	jobs, err := c.readSpecs(path, time.Time{})
	if err != nil {
		return nil, err
	}
	arrivals := make([]workload.Arrival, len(jobs))
	for i := range jobs {
		if arrivals[i], err = specArrival(&jobs[i]); err != nil {
			return nil, fmt.Errorf("%s: job %d: %w", path, i+1, err)
		}
		arrivals[i].Number = int64(i) + 1
	}
	workload.Sort(arrivals)
	return workload.Specified(path, arrivals), nil
}

// specArrival is a specified job as one that arrives.
func specArrival(job *spec.Job) (a workload.Arrival, err error) {
	if a.Job, err = job.Market(); err != nil {
		return a, err
	}
	a.Actual = a.Job.Estimate
	segment, there := job.Extra[workload.SimulationSegment]
	if !there {
		return a, nil
	}
	return a, a.ReadSegment(segment)
}
