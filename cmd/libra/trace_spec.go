package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/libra-market/libra/lab/workload"
	"github.com/libra-market/libra/live/spec"
)

// specWriter writes a workload as job specifications: what libra simulate
// reads again, job by job.
type specWriter struct {
	out  io.Writer
	jobs []spec.Job
}

// errManySpecs says that nobody would read so much.
var errManySpecs = fmt.Errorf("%w for a file of specifications, which has at most %d bytes; write a .csv", spec.ErrTooLarge, spec.MaxBytes)

// leastSpec is the least that a specification takes: a mistaken count is found
// out before all of them are written.
const leastSpec = 32

func (w *specWriter) write(a *workload.Arrival) error {
	if len(w.jobs) > spec.MaxBytes/leastSpec {
		return errManySpecs
	}
	job := spec.FromJob(a.Job)
	job.Details.Name = a.Label()
	said := map[string]any{}
	say := func(name string, value, usual float64) {
		if value != usual {
			said[name] = value
		}
	}
	say("submit", float64(a.Job.Submit), 0)
	say("runtime", float64(a.Actual), float64(a.Job.Estimate))
	say("class", float64(a.Job.Class), 0)
	say("optional_rate", float64(a.Job.SLA.Bonus), 0)
	if len(said) > 0 {
		job.Extra = map[string]any{simulationSegment: said}
	}
	w.jobs = append(w.jobs, job)
	return nil
}

// flush writes all of them, unless they are more than anybody would read.
func (w *specWriter) flush() error {
	var text bytes.Buffer
	if err := spec.EncodeJobs(&text, w.jobs...); err != nil {
		return err
	}
	if text.Len() > spec.MaxBytes {
		return errManySpecs
	}
	_, err := w.out.Write(text.Bytes())
	return err
}
