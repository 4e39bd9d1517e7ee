package replay

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/plain"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/workload"
)

// Table is a job table that libra wrote: what became of jobs, without their
// deadlines.
type Table struct {
	name string
	rows []row
}

// row is what a job table says about one job.
type row struct {
	line      int
	id        string
	completed bool
	submit    float64
	start     float64
	finish    float64
	procs     int
	cost      float64
	utility   float64
	valued    bool // it has a utility
}

// IsTable reports whether what begins like this is a job table.
func IsTable(in io.Reader) bool {
	start := make([]byte, len(report.Header))
	n, _ := io.ReadFull(in, start) // what is shorter is none
	return string(start[:n]) == report.Header
}

// ReadTable reads a job table. The name is for messages, which say the line and
// the column.
func ReadTable(name string, in io.Reader) (*Table, error) {
	lines := csv.NewReader(in)
	lines.ReuseRecord = true
	header, err := lines.Read()
	if err != nil || strings.Join(header, ",")+"\n" != report.Header {
		return nil, &market.PlaceError{File: name, Line: 1, Err: errors.New("not a job table (want " + strings.TrimSpace(report.Header) + ")")}
	}
	t := &Table{name: name}
	for {
		record, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		line, _ := lines.FieldPos(0)
		if err != nil {
			return nil, &market.PlaceError{File: name, Line: int64(line), Err: err}
		}
		r, err := parseRow(record)
		if err != nil {
			return nil, &market.PlaceError{File: name, Line: int64(line), Err: err}
		}
		r.line = line
		t.rows = append(t.rows, r)
	}
}

func parseRow(record []string) (row, error) {
	r := row{id: strings.Clone(plain.Unguard(record[0])), completed: record[1] == report.Completed.String()}
	var err error
	read := func(name, text string, needed bool) (x float64, there bool) {
		if text == "" && !needed {
			return 0, false
		}
		x, wrong := strconv.ParseFloat(text, 64)
		if wrong != nil && err == nil {
			err = fmt.Errorf("%s: %q is not a number", name, text)
		}
		return x, true
	}
	r.submit, _ = read("submit", record[3], true)
	r.start, _ = read("start", record[4], r.completed)
	r.finish, _ = read("finish", record[5], r.completed)
	procs, _ := read("procs", record[6], true)
	if err == nil && !(procs >= 1 && procs <= market.MaxWidth && procs == math.Trunc(procs)) {
		err = fmt.Errorf("procs: %s is not a number of processors", record[6])
	}
	if err == nil {
		r.procs = int(procs)
	}
	r.cost, _ = read("cost", record[8], false)
	r.utility, r.valued = read("utility", record[9], false)
	return r, err
}

// Arrivals makes a workload of the table: what ran, for as long as it ran. Jobs
// that never ran are left out, because nobody knows how long they would have
// taken; left says how many.
func (t *Table) Arrivals() (arrivals []workload.Arrival, left int, err error) {
	for _, r := range t.rows {
		if !r.completed {
			left++
			continue
		}
		a := workload.Arrival{
			Job: market.Job{
				Name: r.id, Submit: market.Time(r.submit), Estimate: market.Work(r.finish - r.start), Width: market.Int32(r.procs),
				SLA: market.SLA{Deadline: market.Never, Budget: market.Unlimited},
			},
			Actual: market.Work(r.finish - r.start),
		}
		if r.valued { // the utility of a job without a penalty is its budget
			a.Job.SLA.Budget = market.Price(max(0, r.utility))
		}
		if err := a.Job.Validate(); err != nil {
			return nil, 0, &market.PlaceError{File: t.name, Line: int64(r.line), Err: err}
		}
		arrivals = append(arrivals, a)
	}
	return slices.Clip(arrivals), left, nil
}

// Told is the course of jobs as the table tells it, with the deadlines and
// budgets that the jobs have. Jobs that are not in it count as not satisfied;
// missing says how many.
func (t *Table) Told(arrivals []workload.Arrival) (course *Course, missing int, err error) {
	byID := make(map[string]*row, len(t.rows))
	for i := range t.rows {
		r := &t.rows[i]
		if byID[r.id] != nil {
			return nil, 0, &market.PlaceError{File: t.name, Line: int64(r.line), Err: fmt.Errorf("job %s is there twice", r.id)}
		}
		byID[r.id] = r
	}
	fates := make([]Fate, len(arrivals))
	utility := 0.0
	for i := range arrivals {
		job := &arrivals[i].Job
		r := byID[arrivals[i].Label()]
		switch {
		case r == nil:
			missing++
		case r.completed:
			finish := market.Time(r.finish)
			fates[i] = Fate{!finish.After(job.Due()) && market.Price(r.cost).Within(job.SLA.Budget), r.cost}
			if job.SLA.Budget.Limited() {
				utility += float64(job.Utility(finish))
			}
		}
	}
	return NewCourse(AsItWas, "", fates, utility), missing, nil
}
