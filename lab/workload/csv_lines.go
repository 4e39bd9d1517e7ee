package workload

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
)

// records cuts a CSV into the fields of its lines. Nearly no line has a quote in it,
// and one that has none is cut at its commas, which is what encoding/csv comes to,
// at a third of its cost; the others are left to it.
type records struct {
	in     *bufio.Reader
	line   int64 // where the record begins
	next   int64 // the line after it
	fields [][]byte
	long   []byte // scratch: a record that does not lie in the buffer as it is
}

func newRecords(in *bufio.Reader) *records { return &records{in: in, next: 1} }

// read cuts the next record that is not an empty line. The fields hold until the
// next call.
func (r *records) read() ([][]byte, error) {
	for {
		r.line = r.next
		text, err := r.readLine()
		if err != nil {
			return nil, err
		}
		if bytes.IndexByte(text, '"') >= 0 {
			return r.readQuoted(text)
		}
		text = bytes.TrimSuffix(text, []byte{'\n'})
		text = bytes.TrimSuffix(text, []byte{'\r'})
		if len(text) == 0 {
			continue
		}
		r.fields = r.fields[:0]
		for {
			end := bytes.IndexByte(text, ',')
			if end < 0 {
				r.fields = append(r.fields, text)
				return r.fields, nil
			}
			r.fields = append(r.fields, text[:end])
			text = text[end+1:]
		}
	}
}

// readLine is the next line with its end.
func (r *records) readLine() ([]byte, error) {
	text, err := r.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		r.long = append(r.long[:0], text...)
		for errors.Is(err, bufio.ErrBufferFull) {
			text, err = r.in.ReadSlice('\n')
			r.long = append(r.long, text...)
		}
		text = r.long
	}
	if err != nil && (len(text) == 0 || !errors.Is(err, io.EOF)) {
		return nil, err
	}
	r.next++
	return text, nil
}

// readQuoted reads a record with quotes in it, within which a line may end.
func (r *records) readQuoted(first []byte) ([][]byte, error) {
	record := bytes.Clone(first)
	for bytes.Count(record, []byte{'"'})%2 == 1 {
		more, err := r.readLine()
		if errors.Is(err, io.EOF) {
			break // which encoding/csv says better
		}
		if err != nil {
			return nil, err
		}
		record = append(record, more...)
	}
	one := csv.NewReader(bytes.NewReader(record))
	one.FieldsPerRecord = -1
	texts, err := one.Read()
	if err != nil {
		if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
			wrong.StartLine += int(r.line) - 1
			wrong.Line += int(r.line) - 1
		}
		return nil, err
	}
	r.fields = r.fields[:0]
	for _, text := range texts {
		r.fields = append(r.fields, []byte(text))
	}
	return r.fields, nil
}
