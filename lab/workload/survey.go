package workload

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/libra-market/libra/core/market"
)

// Facts is what a survey finds in a workload.
type Facts struct {
	File             string        `json:"file"`
	Format           string        `json:"format"`
	Header           []HeaderFact  `json:"header"`
	Processors       int           `json:"processors"` // as the header states; 0: it does not
	Jobs             int64         `json:"jobs"`
	Skipped          int64         `json:"skipped"`
	NeverRan         int64         `json:"never_ran"`
	Users            int64         `json:"users"`
	FirstSubmit      float64       `json:"first_submit"`
	LastSubmit       float64       `json:"last_submit"`
	Span             float64       `json:"span"`
	MeanInterArrival float64       `json:"mean_inter_arrival"`
	MeanRuntime      float64       `json:"mean_runtime"`
	MeanEstimate     float64       `json:"mean_estimate"`
	MeanProcs        float64       `json:"mean_procs"`
	MaxProcs         int32         `json:"max_procs"`
	OfferedLoad      float64       `json:"offered_load"` // of the processors; where they are not known, in processors
	WithDeadline     int64         `json:"with_deadline"`
	WithBudget       int64         `json:"with_budget"`
	Sorted           bool          `json:"sorted"`
	StepsBack        int64         `json:"steps_back"`
	FirstStepBack    int64         `json:"first_step_back_line"` // 0: none
	Missing          []MissingFact `json:"missing"`
}

// HeaderFact is a line of the header.
type HeaderFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// MissingFact counts the records that lack a field.
type MissingFact struct {
	Field   string `json:"field"`
	Records int64  `json:"records"`
}

// headerNames are the lines of an SWF header that help to know a log.
var headerNames = [...]string{"Computer", "Installation", "StartTime", "EndTime", "MaxNodes", "MaxProcs"}

// swfFields names the fields of a record, in their order.
var swfFields = [...]string{
	"job number", "submit time", "wait time", "run time", "processors", "CPU time", "used memory", "requested processors",
	"requested time", "requested memory", "status", "user", "group", "executable", "queue", "partition",
	"preceding job", "think time",
}

// survey reads a workload once and keeps only sums.
type survey struct {
	file    *File
	out     Facts
	missing [len(swfFields)]int64
	users   map[market.Account]bool
	before  float64
	runtime float64
	asked   float64
	procs   float64
	work    float64
}

// Survey reads all of a file once and says what is in it. The path is for
// messages.
func Survey(ctx context.Context, file *File, path string) (*Facts, error) {
	s := newSurvey(file, path)
	for read := 0; ; read++ {
		if read&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch err := s.next(); {
		case errors.Is(err, io.EOF):
			return s.facts(), nil
		case err != nil:
			return nil, err
		}
	}
}

func newSurvey(file *File, path string) *survey {
	s := &survey{file: file, users: map[market.Account]bool{}, before: math.Inf(-1)}
	s.out = Facts{
		File: path, Format: file.Format().String(), Header: []HeaderFact{}, Missing: []MissingFact{},
		FirstSubmit: math.Inf(1), LastSubmit: math.Inf(-1),
	}
	if header := file.Header(); header != nil {
		s.out.Processors = header.Processors()
		for _, name := range headerNames {
			if value := header.Get(name); value != "" {
				s.out.Header = append(s.out.Header, HeaderFact{name, value})
			}
		}
	}
	return s
}

// next takes in one job.
func (s *survey) next() error {
	var a Arrival
	if s.file.SWF() == nil {
		if err := s.file.Next(&a); err != nil {
			return err
		}
		s.see(&a)
		return nil
	}
	var r Record
	if err := s.file.SWF().Read(&r); err != nil {
		return err
	}
	for i, value := range recordFields(&r) {
		if value < 0 {
			s.missing[i]++
		}
	}
	ok, err := r.Arrival(&a)
	switch {
	case err != nil:
		return &market.PlaceError{File: s.out.File, Line: s.file.Line(), Err: err}
	case !ok:
		s.out.Skipped++
		return nil
	}
	if r.Run < 0 {
		s.out.NeverRan++
	}
	s.see(&a)
	return nil
}

func (s *survey) see(a *Arrival) {
	f, job := &s.out, &a.Job
	submit, width := float64(job.Submit), float64(job.Width)
	f.Jobs++
	f.FirstSubmit, f.LastSubmit = min(f.FirstSubmit, submit), max(f.LastSubmit, submit)
	f.MaxProcs = max(f.MaxProcs, job.Width)
	s.runtime += float64(a.Actual)
	s.asked += float64(job.Estimate)
	s.procs += width
	s.work += float64(a.Actual) * width
	if job.Owner != "" {
		s.users[job.Owner] = true
	}
	if job.SLA.Deadline.Finite() {
		f.WithDeadline++
	}
	if job.SLA.Budget.Limited() {
		f.WithBudget++
	}
	if submit < s.before {
		if f.StepsBack == 0 {
			f.FirstStepBack = s.file.Line()
		}
		f.StepsBack++
	}
	s.before = submit
}

// facts works out the means, once everything has been read.
func (s *survey) facts() *Facts {
	f := &s.out
	f.Sorted = f.StepsBack == 0
	f.Users = int64(len(s.users))
	for i, n := range s.missing {
		if n > 0 {
			f.Missing = append(f.Missing, MissingFact{swfFields[i], n})
		}
	}
	if f.Jobs == 0 {
		f.FirstSubmit, f.LastSubmit = 0, 0
		return f
	}
	n := float64(f.Jobs)
	f.Span = f.LastSubmit - f.FirstSubmit
	f.MeanRuntime, f.MeanEstimate, f.MeanProcs = s.runtime/n, s.asked/n, s.procs/n
	if f.Jobs > 1 {
		f.MeanInterArrival = f.Span / (n - 1)
	}
	if f.Span > 0 {
		f.OfferedLoad = s.work / f.Span / float64(max(1, f.Processors))
	}
	return f
}

func recordFields(r *Record) [len(swfFields)]float64 {
	return [...]float64{
		r.Job, r.Submit, r.Wait, r.Run, r.Procs, r.CPU, r.UsedMemory, r.ReqProcs, r.ReqTime, r.ReqMemory, r.Status, r.User,
		r.Group, r.Executable, r.Queue, r.Partition, r.PrecedingJob, r.ThinkTime,
	}
}
