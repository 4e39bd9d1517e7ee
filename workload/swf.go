package workload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// SWF reads a log in the Standard Workload Format, one record at a time and
// without allocating for each. It is a [Source]; [SWF.Read] gives the records
// as they stand.
type SWF struct {
	name   string
	in     io.Reader
	buffer []byte // what is read lies in buffer[start:end]; slack bytes follow
	start  int
	end    int
	atEOF  bool
	failed error // the end of the file, or what is wrong with it: for good

	header  Header
	line    int64
	skipped int64
	fields  [fieldCount]float64
	users   userNames
}

const (
	swfBuffer = 256 << 10
	maxLine   = 1 << 20 // no log has a longer line; a file of another kind may
)

// NewSWF starts reading a plain (not compressed) log and reads its header. The
// name stands in errors.
func NewSWF(in io.Reader, name string) (*SWF, error) {
	s := &SWF{name: name, in: in, buffer: make([]byte, swfBuffer+slack)}
	if err := s.readHeader(); err != nil {
		return nil, err
	}
	return s, nil
}

// Header gives the comments at the head of the log.
func (s *SWF) Header() *Header { return &s.header }

// Line is the number, from 1, of the line last read.
func (s *SWF) Line() int64 { return s.line }

// Skipped counts the records that [SWF.Next] left out because they do not say
// on how many processors or when: there is nothing to replay.
func (s *SWF) Skipped() int64 { return s.skipped }

// Read reads the next record as it stands, or returns [io.EOF].
func (s *SWF) Read(r *Record) error {
	if err := s.next(); err != nil {
		return err
	}
	*r = recordOf(&s.fields)
	return nil
}

// Next reads the next record as an arrival, as [Record.Arrival] describes.
func (s *SWF) Next(a *Arrival) error {
	for {
		if err := s.next(); err != nil {
			return err
		}
		ok, err := toArrival(&s.fields, a, &s.users)
		if err != nil {
			fault := err.(*swfFault)
			return s.fail(fieldLabel(fault.field), fault.err)
		}
		if ok {
			return nil
		}
		s.skipped++
	}
}

// next parses the next line that is a record into s.fields.
func (s *SWF) next() error {
	for {
		from, to, err := s.nextLine()
		if err != nil {
			return err
		}
		text, length := s.buffer[from:to+slack], to-from
		if length > 0 && text[length-1] == '\r' {
			length--
			text[length] = '\n'
		}
		n, at, err := parseFields(text, length, &s.fields)
		if err == nil && n == fieldCount {
			// Most lines end right after the last field.
			if text[at] == '\n' || blankUntilEnd(text[at:]) {
				return nil
			}
			return s.fail("", fmt.Errorf("more than the %d fields of a record", fieldCount))
		}
		if n == 0 && isRemark(text) {
			continue
		}
		if err != nil {
			return s.fail(fieldLabel(n), fmt.Errorf("%q: %w", excerpt(text[at:]), err))
		}
		return s.fail("", fmt.Errorf("%d fields, a record has %d", n, fieldCount))
	}
}

// nextLine finds the next line, buffer[from:to], and makes sure that
// buffer[to] is a line feed.
func (s *SWF) nextLine() (from, to int, err error) {
	if s.failed != nil {
		return 0, 0, s.failed
	}
	for {
		if i := bytes.IndexByte(s.buffer[s.start:s.end], '\n'); i >= 0 {
			from, to = s.start, s.start+i
			s.start = to + 1
			s.line++
			return from, to, nil
		}
		if s.atEOF {
			if s.start == s.end {
				s.failed = io.EOF
				return 0, 0, io.EOF
			}
			s.buffer[s.end] = '\n' // the last line had none; slack has room
			s.end++
			continue
		}
		if err := s.fill(); err != nil {
			return 0, 0, err
		}
	}
}

// fill reads more behind what is left in the buffer.
func (s *SWF) fill() error {
	if s.start > 0 {
		copy(s.buffer, s.buffer[s.start:s.end])
		s.end -= s.start
		s.start = 0
	}
	if s.end == len(s.buffer)-slack {
		if s.end >= maxLine {
			s.line++
			return s.fail("", fmt.Errorf("a line of more than %d bytes", maxLine))
		}
		s.buffer = append(s.buffer, make([]byte, len(s.buffer))...)
	}
	for range 100 {
		n, err := s.in.Read(s.buffer[s.end : len(s.buffer)-slack])
		s.end += n
		if errors.Is(err, io.EOF) {
			s.atEOF = true
			return nil
		}
		if err != nil {
			s.line++
			return s.fail("", err)
		}
		if n > 0 {
			return nil
		}
	}
	return s.fail("", io.ErrNoProgress)
}

// fail remembers what is wrong, so that a caller who goes on reading is told
// the same again.
func (s *SWF) fail(field string, err error) error {
	s.failed = &PlaceError{File: s.name, Line: s.line, Field: field, Err: err}
	return s.failed
}

// isRemark reports whether the line is a comment or empty.
func isRemark(text []byte) bool {
	for _, c := range text {
		if !isBlank(c) {
			return c == ';' || c == '\n'
		}
	}
	return true
}

func blankUntilEnd(text []byte) bool {
	for _, c := range text {
		if !isBlank(c) {
			return c == '\n'
		}
	}
	return true
}

// excerpt is the word at the start of text, cut to what an error can show.
func excerpt(text []byte) []byte {
	const most = 40
	for i, c := range text {
		if isBlank(c) || c == '\n' || i == most {
			return text[:i]
		}
	}
	return text
}
