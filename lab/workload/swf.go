package workload

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/libra-market/libra/core/market"
)

// SWF reads a log in the Standard Workload Format, one record at a time and
// without allocating for each. It is a [Source]; [SWF.Read] gives the records
// as they stand.
//
// By hand: the format is a line of 18 numbers, no library for Go reads it, and it is
// most of what a simulated run of a long log costs.
type SWF struct {
	name   string
	in     io.Reader
	buffer []byte // what is read lies in buffer[start:end]; a guard follows
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
	// slack is room for the guard behind what is read: a line feed, at which
	// the parser stops, one more for a last line without, and what the parser
	// may look at beyond.
	slack   = 4
	maxLine = 1 << 20 // no log has a longer line; a file of another kind may
)

// NewSWF starts reading a plain (not compressed) log and reads its header. The
// name stands in errors.
func NewSWF(in io.Reader, name string) (*SWF, error) {
	s := &SWF{name: name, in: in, buffer: make([]byte, swfBuffer+slack)}
	s.buffer[0] = '\n'
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
		ok, fault := toArrival(&s.fields, a, &s.users)
		if fault != nil {
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
	if s.failed != nil {
		return s.failed
	}
	if end, ok := parseFast(s.buffer[:s.end+slack], s.start, &s.fields); ok && end < s.end {
		s.start = end + 1
		s.line++
		return nil
	}
	return s.nextCarefully()
}

// nextCarefully is next for the lines that need more: those that the buffer
// cuts in two, remarks, unusual numbers, and whatever is wrong.
func (s *SWF) nextCarefully() error {
	for {
		from, to, err := s.nextLine()
		if err != nil {
			return err
		}
		text := s.buffer[from : to+1]
		n, at, err := parseCareful(text, &s.fields)
		switch {
		case n == 0 && isRemark(text):
		case err != nil:
			return s.fail(fieldLabel(n), fmt.Errorf("%q: %w", excerpt(text[at:]), err))
		case n < fieldCount:
			return s.fail("", fmt.Errorf("%d fields, a record has %d", n, fieldCount))
		case !isBlankLine(text[at:]):
			return s.fail("", fmt.Errorf("more than the %d fields of a record", fieldCount))
		default:
			return nil
		}
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
			s.end++ // the last line had no line feed; the guard is one
			s.buffer[s.end] = '\n'
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
		s.buffer[s.end] = '\n'
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
	s.failed = &market.PlaceError{File: s.name, Line: s.line, Field: field, Err: err}
	return s.failed
}

// isRemark reports whether the line is a comment or empty.
func isRemark(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\r")
	return line[0] == ';' || line[0] == '\n'
}

// isBlankLine reports whether nothing but blanks comes before the line feed.
func isBlankLine(line []byte) bool { return bytes.TrimLeft(line, " \t\r")[0] == '\n' }

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
