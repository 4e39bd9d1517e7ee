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
	columnCount
)

var columnNames = [columnCount]string{
	"id", "submit", "runtime", "estimate", "procs", "deadline", "deadline_type", "budget", "penalty_rate",
	"user", "memory_mb", "disk_mb", "class",
}

var neededColumns = [...]int{columnID, columnSubmit, columnRuntime, columnProcs}

// CSV reads a workload CSV. It is a [Source].
type CSV struct {
	name   string
	in     *csv.Reader
	places [columnCount]int // of each column in a line, or -1
	width  int              // columns of the header line
	line   int64
	lines  map[string]int64 // of each id so far
	owners map[string]market.Account
	record []string
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
		name: name, in: csv.NewReader(buffered),
		lines: map[string]int64{}, owners: map[string]market.Account{},
	}
	c.in.FieldsPerRecord = -1 // counted here, for an error that says how many
	c.in.ReuseRecord = true
	if err := c.readHeader(); err != nil {
		return nil, err
	}
	return c, nil
}

// byteOrderMark is what spreadsheets put at the head of a text.
var byteOrderMark = []byte("\xef\xbb\xbf")

// Line is the number, from 1, of the line last read.
func (c *CSV) Line() int64 { return c.line }

func (c *CSV) readHeader() error {
	header, err := c.in.Read()
	if errors.Is(err, io.EOF) {
		return &market.PlaceError{File: c.name, Err: errors.New("no header line")}
	}
	if err != nil {
		return c.syntax(err)
	}
	c.here()
	c.width = len(header)
	for i := range c.places {
		c.places[i] = -1
	}
	for place, name := range header {
		column := slices.Index(columnNames[:], strings.TrimSpace(name))
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
	if c.record, err = c.in.Read(); err != nil {
		if errors.Is(err, io.EOF) {
			c.failed = io.EOF
			return io.EOF
		}
		return c.syntax(err)
	}
	c.here()
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
	// In the order of the columns; every number in turn, with what an empty
	// text stands for.
	var submit, runtime, procs, deadline, budget, penalty, memory, disk, class float64
	required, none := math.NaN(), math.Inf(1)
	for _, number := range [...]struct {
		column int
		into   *float64
		empty  float64
	}{
		{columnSubmit, &submit, required},
		{columnRuntime, &runtime, required},
		{columnProcs, &procs, required},
		{columnDeadline, &deadline, none},
		{columnBudget, &budget, none},
		{columnPenaltyRate, &penalty, 0},
		{columnMemory, &memory, 0},
		{columnDisk, &disk, 0},
		{columnClass, &class, 0},
	} {
		if *number.into, err = c.number(number.column, number.empty); err != nil {
			return number.column, err
		}
	}
	if runtime < 0 || runtime > maxSpan {
		return columnRuntime, fmt.Errorf("%v makes no sense (want 0 or more)", runtime)
	}
	estimate, err := c.number(columnEstimate, runtime)
	if err != nil {
		return columnEstimate, err
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
	switch kind := c.text(columnDeadlineType); kind {
	case "", "hard":
	case "soft":
		job.SLA.Soft = true
	default:
		return columnDeadlineType, fmt.Errorf("%q (want hard or soft)", kind)
	}
	if job.Owner, err = c.owner(); err != nil {
		return columnUser, err
	}
	job.Submit, job.Estimate = market.Time(submit), market.Work(estimate)
	job.SLA.Deadline, job.SLA.Budget, job.SLA.Penalty = market.Time(deadline), market.Price(budget), market.Price(penalty)
	a.Actual = market.Work(runtime)
	return 0, nil
}

// text is what stands in a column, or "" where the file has no such column.
func (c *CSV) text(column int) string {
	if c.places[column] < 0 {
		return ""
	}
	return strings.TrimSpace(c.record[c.places[column]])
}

// number reads a column. A NaN for empty means that it may not be.
func (c *CSV) number(column int, empty float64) (float64, error) {
	text := c.text(column)
	if text == "" {
		if math.IsNaN(empty) {
			return 0, errors.New("empty, but needed")
		}
		return empty, nil
	}
	x, err := parseNumber(text)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", text, err)
	}
	return x, nil
}

// identify checks that the id is one, and the only one of its kind.
func (c *CSV) identify() (string, error) {
	id := plain.Unguard(c.text(columnID))
	if id == "" {
		return "", errors.New("empty, but needed")
	}
	if err := plainText(id); err != nil {
		return "", err
	}
	if before, twice := c.lines[id]; twice {
		return "", fmt.Errorf("%q is there twice, first in line %d", id, before)
	}
	id = strings.Clone(id) // the text it is cut from is the whole line
	c.lines[id] = c.line
	return id, nil
}

func (c *CSV) owner() (market.Account, error) {
	name := plain.Unguard(c.text(columnUser))
	if name == "" {
		return "", nil
	}
	if owner, known := c.owners[name]; known {
		return owner, nil
	}
	if err := plainText(name); err != nil {
		return "", err
	}
	name = strings.Clone(name)
	c.owners[name] = market.Account(name)
	return c.owners[name], nil
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

// here notes the line of the record just read.
func (c *CSV) here() {
	line, _ := c.in.FieldPos(0)
	c.line = int64(line)
}

// syntax says where the text is not CSV, or could not be read.
func (c *CSV) syntax(err error) error {
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		c.line = int64(wrong.Line)
		return c.fail("column "+strconv.Itoa(wrong.Column), wrong.Err)
	}
	c.line++
	return c.fail("", err)
}

// fail remembers what is wrong, so that a caller who goes on reading is told
// the same again.
func (c *CSV) fail(field string, err error) error {
	c.failed = &market.PlaceError{File: c.name, Line: c.line, Field: field, Err: err}
	return c.failed
}
