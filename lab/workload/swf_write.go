package workload

import (
	"bufio"
	"errors"
	"io"
	"strconv"

	"github.com/libra-market/libra/core/market"
)

// SWFWriter writes a log in the Standard Workload Format, fields separated by
// one blank. Call [SWFWriter.Flush] at the end.
type SWFWriter struct {
	out     *bufio.Writer
	text    []byte
	written int64
	users   map[market.Account]int64
	taken   map[int64]bool
}

// NewSWFWriter starts a log.
func NewSWFWriter(out io.Writer) *SWFWriter {
	return &SWFWriter{
		out:   bufio.NewWriterSize(out, 1<<16),
		users: map[market.Account]int64{"": -1},
		taken: map[int64]bool{},
	}
}

// WriteHeader writes header lines as they stand. It belongs before the records.
func (w *SWFWriter) WriteHeader(h *Header) error {
	for _, line := range h.Lines {
		if _, err := w.out.WriteString(line); err != nil {
			return err
		}
		if err := w.out.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

// Write writes one record.
func (w *SWFWriter) Write(r *Record) error {
	w.text = w.text[:0]
	for i, x := range r.fields() {
		if i > 0 {
			w.text = append(w.text, ' ')
		}
		w.text = appendNumber(w.text, x)
	}
	w.text = append(w.text, '\n')
	w.written++
	_, err := w.out.Write(w.text)
	return err
}

// WriteArrival writes an arrival as a record. SWF has no place for its
// agreement (deadline, budget, penalty), which is lost; a job with a name gets
// the number of its line, and users with names get numbers.
func (w *SWFWriter) WriteArrival(a *Arrival) error {
	r := Record{
		Job: float64(a.Number), Submit: float64(a.Job.Submit), Wait: -1, Run: float64(a.Actual), Procs: float64(a.Job.Width),
		CPU: -1, UsedMemory: -1, ReqProcs: float64(a.Job.Width), ReqTime: float64(a.Job.Estimate), ReqMemory: -1, Status: 1,
		User: float64(w.user(a.Job.Owner)), Group: -1, Executable: -1, Queue: -1, Partition: -1, PrecedingJob: -1, ThinkTime: -1,
	}
	if a.Job.Name != "" {
		r.Job = float64(w.written + 1)
	}
	return w.Write(&r)
}

// Flush writes out what is still buffered.
func (w *SWFWriter) Flush() error { return w.out.Flush() }

// user numbers an owner: by its own number if it is one and free, else by the
// smallest free number, so that no two owners ever share one.
func (w *SWFWriter) user(owner market.Account) int64 {
	if n, known := w.users[owner]; known {
		return n
	}
	n, err := strconv.ParseInt(string(owner), 10, 32)
	if err != nil || n < 0 || w.taken[n] {
		n = int64(len(w.taken)) + 1
		for w.taken[n] {
			n++
		}
	}
	w.users[owner], w.taken[n] = n, true
	return n
}

// ConvertedHeader describes a log made from arrivals: what a reader of SWF
// expects to find, and what was lost on the way.
func ConvertedHeader(arrivals []Arrival) *Header {
	var widest int32
	for i := range arrivals {
		widest = max(widest, arrivals[i].Job.Width)
	}
	n := strconv.Itoa(len(arrivals))
	h := &Header{}
	h.Add("Version", "2.2")
	h.Add("Conversion", "libra")
	h.Add("MaxJobs", n)
	h.Add("MaxRecords", n)
	h.Add("MaxProcs", strconv.Itoa(int(widest)))
	h.Add("UnixStartTime", "0")
	h.Add("Note", "MaxProcs is the width of the widest job")
	h.Add("Note", "deadlines, budgets and penalties have no place in this format and were left out")
	return h
}

// WriteSWF writes a whole log. Without a header it writes [ConvertedHeader].
func WriteSWF(out io.Writer, h *Header, arrivals []Arrival) error {
	if h == nil {
		h = ConvertedHeader(arrivals)
	}
	w := NewSWFWriter(out)
	err := w.WriteHeader(h)
	for i := range arrivals {
		err = errors.Join(err, w.WriteArrival(&arrivals[i]))
		if err != nil {
			return err
		}
	}
	return errors.Join(err, w.Flush())
}
