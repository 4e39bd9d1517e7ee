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

// Write takes in one more.
func (w *specWriter) Write(a *workload.Arrival) error {
	if len(w.jobs) > spec.MaxBytes/leastSpec {
		return errManySpecs
	}
	job := spec.FromJob(a.Job)
	job.Details.Name = a.Label()
	if said := a.Segment(); said != nil {
		job.Extra = map[string]any{workload.SimulationSegment: said}
	}
	w.jobs = append(w.jobs, job)
	return nil
}

// Flush writes all of them, unless they are more than anybody would read.
func (w *specWriter) Flush() error {
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
