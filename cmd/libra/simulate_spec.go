package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/workload"
	"github.com/libra-market/libra/live/spec"
)

// simulationSegment is the segment of a specification that says what only a
// simulation wants to know.
const simulationSegment = "simulation"

// isSpec tells by its name whether a workload is a file of job specifications.
func isSpec(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(path)))
}

// openSpecs reads a workload of job specifications.
func (c *console) openSpecs(path string) (*workload.File, error) {
	jobs, err := c.readSpecs(path)
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
	segment, there := job.Extra[simulationSegment]
	if !there {
		return a, nil
	}
	said, isMap := segment.(map[string]any)
	if !isMap {
		return a, fmt.Errorf("%s: want submit and runtime", simulationSegment)
	}
	for name, value := range said {
		number, _ := value.(json.Number)
		x, err := number.Float64()
		if err != nil || x < 0 {
			return a, fmt.Errorf("%s.%s: %v is not 0 or more", simulationSegment, name, value)
		}
		switch name {
		case "submit":
			a.Job.Submit = market.Time(x)
		case "runtime":
			a.Actual = market.Work(x)
		case "class":
			if a.Job.Class = int32(min(x, math.MaxInt32)); float64(a.Job.Class) != x {
				return a, fmt.Errorf("%s.class: %v is not a whole number", simulationSegment, value)
			}
		case "optional_rate":
			a.Job.SLA.Bonus = market.Price(x)
		default:
			return a, fmt.Errorf("%s.%s: unknown field (want submit, runtime, class, optional_rate)", simulationSegment, name)
		}
	}
	return a, a.Job.Validate()
}
