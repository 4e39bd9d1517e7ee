package revenue

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"libra/market"
	"libra/workload"
)

// NamedJob is a job of a list, with the name that it has there.
type NamedJob struct {
	ID string
	Job
}

var listColumns = []string{"id", "arrival", "class", "length", "width"}

// ReadJobs reads a list of jobs: a CSV with the columns id, arrival, class,
// length and width, in any order. A class is the name of one of the system's.
// Errors name the file, the line and the column.
func ReadJobs(in io.Reader, file string, s *System) ([]NamedJob, error) {
	r := &listReader{file: file, system: s, in: csv.NewReader(in), lines: map[string]int64{}}
	r.in.FieldsPerRecord = -1 // counted here, for an error that says how many
	r.in.ReuseRecord = true
	if err := r.header(); err != nil {
		return nil, err
	}
	var jobs []NamedJob
	for {
		job, err := r.next()
		if errors.Is(err, io.EOF) {
			return jobs, nil
		}
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
}

type listReader struct {
	file   string
	system *System
	in     *csv.Reader
	places [5]int // of the columns, in the order of listColumns
	record []string
	lines  map[string]int64 // of each id so far
}

func (r *listReader) read() error {
	record, err := r.in.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return &workload.PlaceError{File: r.file, Line: int64(wrong.Line), Err: wrong.Err}
	}
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if err != nil {
		return &workload.PlaceError{File: r.file, Err: err}
	}
	for i := range record {
		record[i] = strings.TrimSpace(record[i])
	}
	r.record = record
	return nil
}

func (r *listReader) header() error {
	if err := r.read(); errors.Is(err, io.EOF) {
		return &workload.PlaceError{File: r.file, Err: errors.New("no header line (want id,arrival,class,length,width)")}
	} else if err != nil {
		return err
	}
	r.record[0] = strings.TrimPrefix(r.record[0], "\ufeff") // spreadsheets mark their texts
	for i, name := range listColumns {
		if r.places[i] = slices.Index(r.record, name); r.places[i] < 0 {
			return r.wrong("", "no column %q (want id,arrival,class,length,width)", name)
		}
	}
	if len(r.record) != len(listColumns) {
		return r.wrong("", "%d columns (want id,arrival,class,length,width)", len(r.record))
	}
	return nil
}

func (r *listReader) next() (NamedJob, error) {
	var job NamedJob
	if err := r.read(); err != nil {
		return job, err
	}
	if len(r.record) != len(listColumns) {
		return job, r.wrong("", "%d columns, the header line has %d", len(r.record), len(listColumns))
	}
	job.ID = strings.Clone(r.record[r.places[0]])
	line, _ := r.in.FieldPos(0)
	if job.ID == "" {
		return job, r.wrong("id", "empty, but needed")
	}
	if before, twice := r.lines[job.ID]; twice {
		return job, r.wrong("id", "%q is there twice, first in line %d", job.ID, before)
	}
	r.lines[job.ID] = int64(line)
	class, known := r.system.ClassNumber(r.record[r.places[2]])
	if !known {
		var names []string
		for _, c := range r.system.Classes {
			names = append(names, c.Name)
		}
		return job, r.wrong("class", "%q is not one of %s", r.record[r.places[2]], strings.Join(names, ", "))
	}
	job.Class = int32(class)
	var width float64
	for _, number := range []struct {
		column int
		into   *float64
	}{{1, &job.Arrival}, {3, &job.Length}, {4, &width}} {
		text := r.record[r.places[number.column]]
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return job, r.wrong(listColumns[number.column], "%q is not a number", text)
		}
		*number.into = x
	}
	if width != math.Trunc(width) || !(width >= 1 && width <= market.MaxWidth) {
		return job, r.wrong("width", "%v makes no sense (want a whole number of 1 or more)", width)
	}
	job.Width = int32(width)
	if err := job.Validate(r.system); err != nil {
		return job, r.wrong("", "%w", err)
	}
	return job, nil
}

// wrong says where the line last read is wrong.
func (r *listReader) wrong(column, format string, args ...any) error {
	line, _ := r.in.FieldPos(0)
	return &workload.PlaceError{File: r.file, Line: int64(line), Field: column, Err: fmt.Errorf(format, args...)}
}
