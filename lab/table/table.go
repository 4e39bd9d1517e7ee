package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// Table is a CSV file that is being read line by line.
type Table struct {
	file   string
	in     *csv.Reader
	places map[string]int // of the columns that are there
	width  int
	line   int
	record []string
	names  map[string]int // line of each name so far
}

// Open reads the header line: the needed columns must be there, others may be,
// and no column that is neither. The file's name stands in errors.
func Open(in io.Reader, file string, needed, others []string) (*Table, error) {
	buffered := bufio.NewReader(in)
	if mark, err := buffered.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
		_, _ = buffered.Discard(len(byteOrderMark)) // just peeked: it is there
	}
	t := &Table{file: file, in: csv.NewReader(buffered), places: map[string]int{}, names: map[string]int{}}
	t.in.FieldsPerRecord = -1 // counted here, for an error that says how many
	t.in.ReuseRecord = true
	err := t.read()
	if errors.Is(err, io.EOF) {
		return nil, &market.PlaceError{File: file, Err: fmt.Errorf("no header line (want %s)", strings.Join(needed, ","))}
	}
	if err != nil {
		return nil, err
	}
	t.width = len(t.record)
	for place, name := range t.record {
		name = strings.TrimSpace(name)
		if !slices.Contains(needed, name) && !slices.Contains(others, name) {
			return nil, t.Wrong("", fmt.Errorf("unknown column %q (want %s)", name, strings.Join(slices.Concat(needed, others), ", ")))
		}
		if _, twice := t.places[name]; twice {
			return nil, t.Wrong("", fmt.Errorf("column %q is there twice", name))
		}
		t.places[strings.Clone(name)] = place
	}
	for _, name := range needed {
		if _, there := t.places[name]; !there {
			return nil, t.Wrong("", fmt.Errorf("no column %q (needed: %s)", name, strings.Join(needed, ", ")))
		}
	}
	return t, nil
}

// byteOrderMark is what spreadsheets put at the head of a text.
var byteOrderMark = []byte("\xef\xbb\xbf")

// Next reads a line; io.EOF is the end of the file.
func (t *Table) Next() error {
	if err := t.read(); err != nil {
		return err
	}
	if len(t.record) != t.width {
		return t.Wrong("", fmt.Errorf("%d columns, the header line has %d", len(t.record), t.width))
	}
	return nil
}

func (t *Table) read() (err error) {
	t.record, err = t.in.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		t.line = wrong.Line
		return t.Wrong("column "+strconv.Itoa(wrong.Column), wrong.Err)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		t.line++
		return t.Wrong("", err)
	}
	if err == nil {
		t.line, _ = t.in.FieldPos(0)
	}
	return err
}

// Wrong says where the line last read is wrong. A column that a FieldError
// names stands in for one that the caller does not.
func (t *Table) Wrong(column string, err error) error {
	if field, ok := errors.AsType[*market.FieldError](err); ok && column == "" {
		column = field.Field
	}
	return &market.PlaceError{File: t.file, Line: int64(t.line), Field: column, Err: err}
}

// Has reports whether the file has a column.
func (t *Table) Has(column string) bool {
	_, there := t.places[column]
	return there
}
