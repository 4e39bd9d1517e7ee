package workload

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/plain"
)

// The columns of a workload CSV, in the order in which they are written.
// Programs outside read and write this format: columns may be added, and keep their
// names and meanings.
const (
	columnID = iota
	columnSubmit
	columnRuntime
	columnEstimate
	columnProcs
	columnDeadline
	columnDeadlineType
	columnBudget
	columnPenaltyRate
	columnUser
	columnMemory
	columnDisk
	columnClass
	columnGPUs
	columnThreads
	columnPartition
	columnNodelist
	columnExclude
	columnBegin
	columnCount
)

var columnNames = [columnCount]string{
	"id", "submit", "runtime", "estimate", "procs", "deadline", "deadline_type", "budget", "penalty_rate",
	"user", "memory_mb", "disk_mb", "class", "gpus", "threads",
	"partition", "nodelist", "exclude", "begin",
}

var neededColumns = [...]int{columnID, columnSubmit, columnRuntime, columnProcs}

// CSV reads a workload CSV. It is a [Source].
type CSV struct {
	name   string
	in     *records
	places [columnCount]int // of each column in a line, or -1
	width  int              // columns of the header line
	line   int64
	ids    ids
	owners map[string]market.Account
	wheres map[market.Where]*market.Where
	record [][]byte
	wrong  int // the first column that is no number
	why    error
	failed error
}

// NewCSV starts reading a plain (not compressed) workload CSV and reads its
// header line. The name stands in errors.
func NewCSV(in io.Reader, name string) (*CSV, error) {
	buffered := bufio.NewReaderSize(in, 1<<16)
	if mark, err := buffered.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
		_, _ = buffered.Discard(len(byteOrderMark)) // just peeked: cannot fail
	}
	c := &CSV{
		name: name, in: newRecords(buffered), owners: map[string]market.Account{},
	}
	if err := c.readHeader(); err != nil {
		return nil, err
	}
	return c, nil
}

// byteOrderMark is what spreadsheets put at the head of a text.
var byteOrderMark = []byte("\xef\xbb\xbf")

// Begins reports whether jobs say when they may begin: they do not come in the order in which
// they stand in the file.
func (c *CSV) Begins() bool { return c.places[columnBegin] >= 0 }

// Line is the number, from 1, of the line last read.
func (c *CSV) Line() int64 { return c.line }

func (c *CSV) readHeader() error {
	header, err := c.in.read()
	if errors.Is(err, io.EOF) {
		return &market.PlaceError{File: c.name, Err: errors.New("no header line")}
	}
	if err != nil {
		return c.syntax(err)
	}
	c.line = c.in.line
	c.width = len(header)
	for i := range c.places {
		c.places[i] = -1
	}
	for place, name := range header {
		column := slices.Index(columnNames[:], string(bytes.TrimSpace(name)))
		if column < 0 {
			return c.fail("", fmt.Errorf("unknown column %q (want some of %s)", name, strings.Join(columnNames[:], ", ")))
		}
		if c.places[column] >= 0 {
			return c.fail("", fmt.Errorf("column %q is there twice", columnNames[column]))
		}
		c.places[column] = place
	}
	for _, column := range neededColumns {
		if c.places[column] < 0 {
			return c.fail("", fmt.Errorf("no column %q (needed: id, submit, runtime, procs)", columnNames[column]))
		}
	}
	return nil
}

// Next reads the next job.
func (c *CSV) Next(a *Arrival) error {
	if c.failed != nil {
		return c.failed
	}
	var err error
	if c.record, err = c.in.read(); err != nil {
		if errors.Is(err, io.EOF) {
			c.failed = io.EOF
			return io.EOF
		}
		return c.syntax(err)
	}
	c.line = c.in.line
	if len(c.record) != c.width {
		return c.fail("", fmt.Errorf("%d columns, the header line has %d", len(c.record), c.width))
	}
	if column, err := c.fill(a); err != nil {
		return c.fail(columnNames[column], err)
	}
	if err := a.Job.Validate(); err != nil {
		field := ""
		if wrong, ok := errors.AsType[*market.FieldError](err); ok {
			field = wrong.Field
		}
		return c.fail(field, err)
	}
	return nil
}

// fill makes an arrival of the line, or names the column that is wrong.
func (c *CSV) fill(a *Arrival) (column int, err error) {
	*a = Arrival{}
	job := &a.Job
	if job.Name, err = c.identify(); err != nil {
		return columnID, err
	}
	required, none := math.NaN(), math.Inf(1) // what an empty text stands for
	c.why = nil
	submit, runtime, procs := c.number(columnSubmit, required), c.number(columnRuntime, required), c.number(columnProcs, required)
	deadline, budget, penalty := c.number(columnDeadline, none), c.number(columnBudget, none), c.number(columnPenaltyRate, 0)
	memory, disk, class := c.number(columnMemory, 0), c.number(columnDisk, 0), c.number(columnClass, 0)
	gpus, threads, begin := c.number(columnGPUs, 0), c.number(columnThreads, 0), c.number(columnBegin, math.Inf(-1))
	if c.why != nil {
		return c.wrong, c.why
	}
	if runtime < 0 || runtime > maxSpan {
		return columnRuntime, fmt.Errorf("%v makes no sense (want 0 or more)", runtime)
	}
	estimate := c.number(columnEstimate, runtime)
	if c.why != nil {
		return c.wrong, c.why
	}
	if job.Width, err = toInt32(procs); err != nil {
		return columnProcs, err
	}
	if job.Class, err = toInt32(class); err != nil {
		return columnClass, err
	}
	if job.Memory, err = toInt64(memory); err != nil {
		return columnMemory, err
	}
	if job.Disk, err = toInt64(disk); err != nil {
		return columnDisk, err
	}
	if job.GPUs, err = toInt32(gpus); err != nil {
		return columnGPUs, err
	}
	if job.Threads, err = toInt32(threads); err != nil {
		return columnThreads, err
	}
	switch kind := c.text(columnDeadlineType); string(kind) {
	case "", "hard":
	case "soft":
		job.SLA.Soft = true
	default:
		return columnDeadlineType, fmt.Errorf("%q (want hard or soft)", kind)
	}
	if job.Owner, err = c.owner(); err != nil {
		return columnUser, err
	}
	if column, err := c.where(job); err != nil {
		return column, err
	}
	job.Submit, job.Estimate = market.Time(max(submit, begin)), market.Work(estimate) // until it may begin nothing is promised
	job.SLA.Deadline, job.SLA.Budget, job.SLA.Penalty = market.Time(deadline), market.Price(budget), market.Price(penalty)
	a.Actual = market.Work(runtime)
	return 0, nil
}

// text is what stands in a column, or nothing where the file has no such column.
func (c *CSV) text(column int) []byte {
	if c.places[column] < 0 {
		return nil
	}
	text := c.record[c.places[column]]
	if n := len(text); n > 0 && text[0] > ' ' && text[0] < utf8.RuneSelf && text[n-1] > ' ' && text[n-1] < utf8.RuneSelf {
		return text // there is no space around it
	}
	return bytes.TrimSpace(text)
}

// number reads a column, or notes that it is no number. A NaN for empty means that it
// may not be.
func (c *CSV) number(column int, empty float64) float64 {
	text := c.text(column)
	if len(text) == 0 && !math.IsNaN(empty) {
		return empty
	}
	x, err := parseNumber(text)
	if err != nil && c.why == nil {
		c.wrong, c.why = column, fmt.Errorf("%q: %w", text, err)
		if len(text) == 0 {
			c.why = errors.New("empty, but needed")
		}
	}
	return x
}

// identify checks that the id is one, and the only one of its kind.
func (c *CSV) identify() (string, error) {
	id := plain.Unguard(string(c.text(columnID)))
	if id == "" {
		return "", errors.New("empty, but needed")
	}
	if err := plainText(id); err != nil {
		return "", err
	}
	if before, twice := c.ids.add(id, c.line); twice {
		return "", fmt.Errorf("%q is there twice, first in line %d", id, before)
	}
	return id, nil
}

func (c *CSV) owner() (market.Account, error) {
	text := c.text(columnUser)
	if len(text) == 0 {
		return "", nil
	}
	if owner, known := c.owners[string(text)]; known {
		return owner, nil
	}
	name := plain.Unguard(string(text))
	if err := plainText(name); err != nil {
		return "", err
	}
	c.owners[string(text)] = market.Account(name)
	return market.Account(name), nil
}

// plainText refuses names that would break a line of a table.
func plainText(name string) error {
	for _, r := range name {
		if unicode.IsControl(r) {
			return fmt.Errorf("%q has a control character in it", name)
		}
	}
	return nil
}

func toInt32(x float64) (int32, error) {
	if x != math.Trunc(x) {
		return 0, valueError(x, errNotWhole)
	}
	if x < 0 {
		return 0, valueError(x, errNegative)
	}
	if x > math.MaxInt32 {
		return 0, valueError(x, errTooLarge)
	}
	return int32(x), nil
}

func toInt64(x float64) (int64, error) {
	if x != math.Trunc(x) {
		return 0, valueError(x, errNotWhole)
	}
	if math.Abs(x) > maxSpan {
		return 0, valueError(x, errTooLarge)
	}
	return int64(x), nil
}

// syntax says where the text is not CSV, or could not be read.
func (c *CSV) syntax(err error) error {
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		c.line = int64(wrong.Line)
		return c.fail("column "+strconv.Itoa(wrong.Column), wrong.Err)
	}
	c.line = c.in.line
	return c.fail("", err)
}

// fail remembers what is wrong, so that a caller who goes on reading is told
// the same again.
func (c *CSV) fail(field string, err error) error {
	c.failed = &market.PlaceError{File: c.name, Line: c.line, Field: field, Err: err}
	return c.failed
}
