package workload

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/libra-market/libra/core/market"
)

// Format is how a workload file is written.
type Format uint8

// The formats.
const (
	FormatSWF Format = iota + 1
	FormatCSV
	FormatSpec // job specifications, which somebody else reads: see [Specified]
	FormatSacct
)

func (f Format) String() string {
	switch f {
	case FormatSWF:
		return "swf"
	case FormatCSV:
		return "csv"
	case FormatSpec:
		return "spec"
	case FormatSacct:
		return "sacct"
	}
	return "unknown"
}

// File is a workload in a file: an SWF log, a workload CSV or what sacct says, plain or
// compressed with gzip. It is a [Source].
type File struct {
	path   string
	format Format
	file   *os.File
	size   int64
	read   counter
	swf    *SWF
	csv    *CSV
	sacct  *Sacct
	list   Source // of FormatSpec
}

// Specified is the workload of a file whose jobs were specified one by one, as
// somebody else has read it.
func Specified(path string, arrivals []Arrival) *File {
	return &File{path: path, format: FormatSpec, size: -1, list: FromSlice(arrivals)}
}

// Open opens a workload file; "-" is standard input. A name that ends in .csv
// or .swf (with or without .gz) says the format, otherwise the first line does; what sacct
// writes is known by its first line whatever the name, and its times are of the zone of this
// process unless they say theirs.
// Compression is told by the content, never by the name.
func Open(path string) (*File, error) {
	if path == "-" {
		return openReader(&File{path: "standard input", file: os.Stdin, size: -1}, os.Stdin, "")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err // names the path
	}
	f := &File{path: path, file: file, size: -1}
	if about, noStat := file.Stat(); noStat == nil && about.Mode().IsRegular() {
		f.size = about.Size()
	}
	opened, err := openReader(f, file, path)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return opened, nil
}

// OpenReader reads a workload from a stream as [Open] does from a file. The
// name tells the format if it can, and stands in errors.
func OpenReader(in io.Reader, name string) (*File, error) {
	return openReader(&File{path: name, size: -1}, in, name)
}

// Records are those of a log, with all that it says of them.
func (f *File) Records() (*SWF, error) {
	if f.swf == nil {
		return nil, &market.PlaceError{File: f.path, Err: errors.New("not a log (want .swf)")}
	}
	return f.swf, nil
}

func openReader(f *File, in io.Reader, name string) (*File, error) {
	f.read.in = in
	raw := bufio.NewReaderSize(&f.read, 64<<10)
	text := raw
	if magic, err := raw.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		unzip, err := gzip.NewReader(raw)
		if err != nil {
			return nil, &market.PlaceError{File: f.path, Err: err}
		}
		text = bufio.NewReaderSize(unzip, 64<<10)
	}
	if mark, err := text.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
		_, _ = text.Discard(len(byteOrderMark)) // just peeked: cannot fail
	}
	start, err := text.Peek(32 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, &market.PlaceError{File: f.path, Line: 1, Err: err}
	}
	if len(start) == 0 {
		return nil, &market.PlaceError{File: f.path, Err: errors.New("empty")}
	}
	f.format = formatOf(name, start)
	switch f.format {
	case FormatSacct:
		f.sacct, err = NewSacct(text, f.path, time.Local)
	case FormatCSV:
		f.csv, err = NewCSV(text, f.path)
	default:
		f.swf, err = NewSWF(text, f.path)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// formatOf goes by the name, or by the first line that says something: a
// record of a log never has a comma in it.
func formatOf(name string, start []byte) Format {
	if isSacct(start) {
		return FormatSacct
	}
	base := strings.TrimSuffix(strings.ToLower(filepath.Base(name)), ".gz")
	switch filepath.Ext(base) {
	case ".csv":
		return FormatCSV
	case ".swf":
		return FormatSWF
	}
	for line := range bytes.Lines(start) {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case line[0] == ';':
			return FormatSWF
		case bytes.IndexByte(line, ',') >= 0:
			return FormatCSV
		default:
			return FormatSWF
		}
	}
	return FormatSWF
}

// Next reads the next arrival.
func (f *File) Next(a *Arrival) error {
	if f.list != nil {
		return f.list.Next(a)
	}
	if f.sacct != nil {
		return f.sacct.Next(a)
	}
	if f.csv != nil {
		return f.csv.Next(a)
	}
	return f.swf.Next(a)
}

// Format tells how the file is written.
func (f *File) Format() Format { return f.format }

// Header is the header of an SWF log, or what is known of a history of sacct's, or nil.
func (f *File) Header() *Header {
	if f.sacct != nil {
		return f.sacct.Header()
	}
	if f.swf == nil {
		return nil
	}
	return f.swf.Header()
}

// Begins reports whether jobs say when they may begin, and so come in another order than that
// of the file.
func (f *File) Begins() bool { return f.csv != nil && f.csv.Begins() }

// SWF gives the reader of an SWF log, for those who want its records as they
// stand, or nil.
func (f *File) SWF() *SWF { return f.swf }

// Sacct gives what sacct says of the jobs, or nil.
func (f *File) Sacct() *Sacct { return f.sacct }

// Skipped counts the records left out so far because they do not say on how
// many processors or when (see [SWF.Skipped]).
func (f *File) Skipped() int64 {
	switch {
	case f.sacct != nil:
		return f.sacct.Left().Shapeless
	case f.swf == nil:
		return 0
	}
	return f.swf.Skipped()
}

// Line is the number, from 1, of the line last read; 0 where nobody knows.
func (f *File) Line() int64 {
	if f.list != nil || f.sacct != nil {
		return 0
	}
	if f.csv != nil {
		return f.csv.Line()
	}
	return f.swf.Line()
}

// BytesRead is how much of the file has been read, before decompression. It
// may be called while another goroutine reads.
func (f *File) BytesRead() int64 { return f.read.n.Load() }

// Size is how large the file is, before decompression, or -1 where that is not
// known.
func (f *File) Size() int64 { return f.size }

// Close closes the file.
func (f *File) Close() error {
	if f.file == nil || f.file == os.Stdin {
		return nil // not ours
	}
	return f.file.Close()
}

// counter counts what passes through it.
type counter struct {
	in io.Reader
	n  atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n.Add(int64(n))
	return n, err
}
