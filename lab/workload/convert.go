package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Writer writes a workload, one arrival after the other; Flush ends it.
type Writer interface {
	Write(*Arrival) error
	Flush() error
}

// NewWriter writes SWF, with a header, or CSV, in which placed jobs say on which nodes they
// may be. Job specifications are somebody else's to write, as they are to read (see [Specified]).
func NewWriter(out io.Writer, format Format, header *Header, placed bool) (Writer, error) {
	if format != FormatSWF && placed {
		return newPlacedCSVWriter(out)
	}
	if format != FormatSWF {
		return NewCSVWriter(out)
	}
	w := NewSWFWriter(out)
	return arrivalWriter{w}, w.WriteHeader(header)
}

// arrivalWriter writes arrivals where a log has records.
type arrivalWriter struct{ *SWFWriter }

func (w arrivalWriter) Write(a *Arrival) error { return w.WriteArrival(a) }

// Copy writes all of a source.
func Copy(ctx context.Context, w Writer, src Source) error {
	src = Interruptible(ctx, src)
	var a Arrival
	for {
		switch err := src.Next(&a); {
		case errors.Is(err, io.EOF):
			return w.Flush()
		case err != nil:
			return err
		}
		if err := w.Write(&a); err != nil {
			return err
		}
	}
}

// Interruptible ends a source when the context does.
func Interruptible(ctx context.Context, src Source) Source { return &interruptible{src: src, ctx: ctx} }

type interruptible struct {
	src  Source
	ctx  context.Context
	read int
}

func (i *interruptible) Next(a *Arrival) error {
	if i.read++; i.read&0xfff == 0 && i.ctx.Err() != nil {
		return i.ctx.Err()
	}
	return i.src.Next(a)
}

// HasSLA reports whether anything was agreed on a job that SWF has no place for.
func (a *Arrival) HasSLA() bool {
	return a.Job.SLA.Deadline.Finite() || a.Job.SLA.Budget.Limited()
}

// Excerpt is a part of an SWF log with all that its records say.
type Excerpt struct {
	Records []Record
	Skipped int64 // records that cannot be replayed and are left out

	header *Header
}

// ReadExcerpt reads the records of a log that can be replayed, or the last of them
// where last is not 0: those are the jobs that a simulation would take. The name
// stands in errors.
func ReadExcerpt(ctx context.Context, file *File, name string, last int) (*Excerpt, error) {
	x := &Excerpt{header: &Header{Lines: slices.Clone(file.Header().Lines)}}
	var r Record
	var a Arrival
	for {
		if len(x.Records)&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		err := file.SWF().Read(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		ok, err := r.Arrival(&a)
		if err != nil {
			return nil, &market.PlaceError{File: name, Line: file.Line(), Err: err}
		}
		if !ok {
			x.Skipped++
			continue
		}
		x.Records = append(x.Records, r)
	}
	if last > 0 {
		x.Records = x.Records[max(0, len(x.Records)-last):]
		x.header.Add("Note", fmt.Sprintf("cut by libra to the last %d records", last))
	}
	return x, nil
}

// Stretch puts the records in order of submission and multiplies the gaps between
// them.
func (x *Excerpt) Stretch(factor float64) {
	slices.SortStableFunc(x.Records, func(a, b Record) int { return cmp.Compare(a.Submit, b.Submit) })
	for i := range x.Records {
		x.Records[i].Submit = x.Records[0].Submit + float64((x.Records[i].Submit-x.Records[0].Submit)*factor)
	}
	if factor != 1 {
		x.header.Add("Note", fmt.Sprintf("gaps between submit times multiplied by %v by libra", factor))
	}
}

// Write writes the excerpt as a log.
func (x *Excerpt) Write(out io.Writer) error {
	w := NewSWFWriter(out)
	if err := w.WriteHeader(x.header); err != nil {
		return err
	}
	for i := range x.Records {
		if err := w.Write(&x.Records[i]); err != nil {
			return err
		}
	}
	return w.Flush()
}
