package revenue

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/table"
)

// NamedJob is a job of a list, with the name that it has there.
type NamedJob struct {
	ID string
	Job
}

// ReadJobs reads a list of jobs: a CSV with the columns id, arrival, class,
// length and width, in any order. A class is the name of one of the system's.
// Errors name the file, the line and the column.
func ReadJobs(in io.Reader, file string, s *System) ([]NamedJob, error) {
	t, err := table.Open(in, file, []string{"id", "arrival", "class", "length", "width"}, nil)
	if err != nil {
		return nil, err
	}
	var jobs []NamedJob
	for {
		if err := t.Next(); errors.Is(err, io.EOF) {
			return jobs, nil
		} else if err != nil {
			return nil, err
		}
		job, err := readJob(t, s)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
}

func readJob(t *table.Table, s *System) (job NamedJob, err error) {
	if job.ID, err = t.Name("id"); err != nil {
		return job, err
	}
	if job.Arrival, err = t.Number("arrival"); err != nil {
		return job, err
	}
	if job.Length, err = t.Number("length"); err != nil {
		return job, err
	}
	width, err := t.Whole("width")
	if err != nil {
		return job, err
	}
	if width > market.MaxWidth {
		return job, t.Wrong("width", fmt.Errorf("%d is more than any cluster has", width))
	}
	class, known := s.ClassNumber(t.Text("class"))
	if !known {
		var names []string
		for _, c := range s.Classes {
			names = append(names, c.Name)
		}
		return job, t.Wrong("class", fmt.Errorf("%q is not one of %s", t.Text("class"), strings.Join(names, ", ")))
	}
	job.Width, job.Class = market.Int32(width), market.Int32(class)
	if err := job.Validate(s); err != nil {
		return job, t.Wrong("", err)
	}
	return job, nil
}
