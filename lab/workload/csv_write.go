package workload

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/libra-market/libra/core/plain"
)

// CSVWriter writes a workload CSV with all columns but those that say on which nodes jobs may
// be, unless these are asked for. When a job may begin is when it was submitted. Numbers are written as the
// shortest decimal that reads back the same. Call [CSVWriter.Flush] at the end.
type CSVWriter struct {
	out    *csv.Writer
	record [columnCount]string
	text   []byte
	used   int // columns
}

// NewCSVWriter starts a workload CSV with its header line.
func NewCSVWriter(out io.Writer) (*CSVWriter, error) { return newCSVWriter(out, columnPartition) }

// newPlacedCSVWriter starts one in which jobs say on which nodes they may be.
func newPlacedCSVWriter(out io.Writer) (*CSVWriter, error) { return newCSVWriter(out, columnBegin) }

func newCSVWriter(out io.Writer, used int) (*CSVWriter, error) {
	w := &CSVWriter{out: csv.NewWriter(out), used: used}
	if err := w.out.Write(columnNames[:used]); err != nil {
		return nil, err
	}
	return w, nil
}

// Write writes one arrival.
func (w *CSVWriter) Write(a *Arrival) error {
	job := &a.Job
	deadline, budget := "", ""
	if job.SLA.Deadline.Finite() {
		deadline = w.number(float64(job.SLA.Deadline))
	}
	if job.SLA.Budget.Limited() {
		budget = w.number(float64(job.SLA.Budget))
	}
	kind := "hard"
	if job.SLA.Soft {
		kind = "soft"
	}
	w.record = [columnCount]string{
		columnID:           plain.Guard(a.Label()),
		columnSubmit:       w.number(float64(job.Submit)),
		columnRuntime:      w.number(float64(a.Actual)),
		columnEstimate:     w.number(float64(job.Estimate)),
		columnProcs:        strconv.Itoa(int(job.Width)),
		columnDeadline:     deadline,
		columnDeadlineType: kind,
		columnBudget:       budget,
		columnPenaltyRate:  w.number(float64(job.SLA.Penalty)),
		columnUser:         plain.Guard(string(job.Owner)),
		columnMemory:       strconv.FormatInt(job.Memory, 10),
		columnDisk:         strconv.FormatInt(job.Disk, 10),
		columnClass:        strconv.Itoa(int(job.Class)),
		columnGPUs:         strconv.Itoa(int(job.GPUs)),
		columnThreads:      strconv.Itoa(int(job.Threads)),
	}
	w.record[columnPartition], w.record[columnNodelist], w.record[columnExclude] = a.places()
	return w.out.Write(w.record[:w.used])
}

func (w *CSVWriter) number(x float64) string {
	w.text = appendNumber(w.text[:0], x)
	return string(w.text)
}

// Flush writes out what is still buffered.
func (w *CSVWriter) Flush() error {
	w.out.Flush()
	return w.out.Error()
}

// WriteCSV writes a whole workload.
func WriteCSV(out io.Writer, arrivals []Arrival) error {
	w, err := NewCSVWriter(out)
	if err != nil {
		return err
	}
	for i := range arrivals {
		if err := w.Write(&arrivals[i]); err != nil {
			return err
		}
	}
	return w.Flush()
}
