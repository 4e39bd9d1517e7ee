package archive

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/libra-market/libra/live/store"
)

// A file of an archive is several gzip streams, one after the other, which every
// reader of gzip takes for one, of lines of JSON:
//
//	{"libra":"archive","form":1,"first":1,"before":""}               the first entry, and the hash of the one before
//	{"seq":1,"at":...,"kind":"open","version":2,"hash":"...","body":{...}}   the entries
//	...
//	{"end":true,"at":...,"last":100000,"index":[[1,98],[1001,...]]}     of each stream: its first entry, and where it begins
//
// Streams begin every so many entries, so that one need not unpack all to find one.
const (
	fileMagic   = "archive"
	fileForm    = 1
	blockOf     = 1000    // entries of a stream
	blockBytes  = 4 << 20 // and by no more than one entry, bytes of it
	mostLine    = 1 << 30
	readerBytes = 1 << 16
)

// ErrBad is a file that is no archive, or not as it was written.
var ErrBad = errors.New("not a whole archive")

type fileHead struct {
	Libra  string `json:"libra"`
	Form   int    `json:"form"`
	First  int64  `json:"first"`
	Before string `json:"before"` // hex
}

type fileEnd struct {
	End   bool       `json:"end"`
	At    int64      `json:"at"` // where its stream begins
	Last  int64      `json:"last"`
	Index [][2]int64 `json:"index"`
}

// line is an entry in a file. A body that is not a line of JSON is in Raw.
type line struct {
	Seq     int64           `json:"seq"`
	At      int64           `json:"at"`
	Kind    string          `json:"kind"`
	Version int             `json:"version"`
	Hash    string          `json:"hash"`
	Body    json.RawMessage `json:"body"`
	Raw     []byte          `json:"raw"`
}

// appendEntry writes an entry as a line. The body is not written anew: not a byte of
// it may change.
func appendEntry(to []byte, e *store.Entry) ([]byte, error) {
	kind, err := json.Marshal(e.Kind)
	if err != nil {
		return nil, err
	}
	to = append(to, `{"seq":`...)
	to = strconv.AppendInt(to, e.Seq, 10)
	to = append(to, `,"at":`...)
	to = strconv.AppendInt(to, e.At, 10)
	to = append(append(to, `,"kind":`...), kind...)
	to = append(to, `,"version":`...)
	to = strconv.AppendInt(to, int64(max(1, e.Version)), 10)
	to = append(to, `,"hash":"`...)
	to = hex.AppendEncode(to, e.Hash)
	switch {
	case len(e.Body) == 0:
		return append(to, "\"}\n"...), nil
	case isLine(e.Body):
		to = append(append(to, `","body":`...), e.Body...)
		return append(to, "}\n"...), nil
	}
	raw, err := json.Marshal(e.Body)
	to = append(append(to, `","raw":`...), raw...)
	return append(to, "}\n"...), err
}

// isLine reports whether a body can stand in a line as it is.
func isLine(body []byte) bool {
	return body[0] == '{' && body[len(body)-1] == '}' && bytes.IndexByte(body, '\n') < 0 && json.Valid(body)
}

func parseEntry(text []byte) (store.Entry, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return store.Entry{}, err
	}
	hash, err := hex.DecodeString(l.Hash)
	e := store.Entry{Seq: l.Seq, At: l.At, Kind: l.Kind, Version: l.Version, Body: l.Body, Hash: hash}
	if len(l.Raw) > 0 {
		e.Body = l.Raw
	}
	return e, err
}

// writer writes a file.
type writer struct {
	out   *counter
	pack  *gzip.Writer
	buf   []byte
	index [][2]int64
	n     int // entries of this stream
	size  int // bytes of them
	last  int64
}

// counter counts what goes through it.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

func newWriter(to io.Writer, first int64, before []byte) (*writer, error) {
	w := &writer{out: &counter{to: to}}
	w.pack = gzip.NewWriter(w.out)
	return w, w.line(fileHead{Libra: fileMagic, Form: fileForm, First: first, Before: hex.EncodeToString(before)})
}

func (w *writer) line(v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		_, err = w.pack.Write(append(text, '\n'))
	}
	return err
}

// next ends a stream and begins another.
func (w *writer) next() error {
	if err := w.pack.Close(); err != nil {
		return err
	}
	w.pack.Reset(w.out)
	w.n, w.size = 0, 0
	return nil
}

func (w *writer) add(e *store.Entry) error {
	if w.index == nil || w.n >= blockOf || w.size >= blockBytes {
		if err := w.next(); err != nil {
			return err
		}
		w.index = append(w.index, [2]int64{e.Seq, w.out.n})
	}
	var err error
	if w.buf, err = appendEntry(w.buf[:0], e); err != nil {
		return err
	}
	w.n++
	w.size += len(w.buf)
	w.last = e.Seq
	_, err = w.pack.Write(w.buf)
	return err
}

// finish ends the file, and says where its end begins and how long it is.
func (w *writer) finish() (index, size int64, err error) {
	if err = w.next(); err != nil {
		return 0, 0, err
	}
	index = w.out.n
	if err = w.line(fileEnd{End: true, At: index, Last: w.last, Index: w.index}); err != nil {
		return 0, 0, err
	}
	err = w.pack.Close()
	return index, w.out.n, err
}

// reader reads a file from its beginning, or from a stream.
type reader struct {
	pack  *gzip.Reader
	lines *bufio.Reader
}

func newReader(from io.Reader) (*reader, error) {
	pack, err := gzip.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBad, err)
	}
	return &reader{pack: pack, lines: bufio.NewReaderSize(pack, readerBytes)}, nil
}

func (r *reader) line() ([]byte, error) {
	var text []byte
	for {
		some, err := r.lines.ReadSlice('\n')
		text = append(text, some...)
		switch {
		case err == nil:
			return text, nil
		case errors.Is(err, bufio.ErrBufferFull) && len(text) < mostLine:
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%w: it ends in the middle", ErrBad)
		default:
			return nil, fmt.Errorf("%w: it is damaged: %w", ErrBad, err)
		}
	}
}

// head reads the first line.
func (r *reader) head() (fileHead, error) {
	var h fileHead
	text, err := r.line()
	if err != nil {
		return h, err
	}
	switch {
	case json.Unmarshal(text, &h) != nil || h.Libra != fileMagic:
		return h, fmt.Errorf("%w: it does not begin like one", ErrBad)
	case h.Form > fileForm:
		return h, fmt.Errorf("%w: it was written by a newer libra (form %d, this program reads up to %d): upgrade libra", ErrBad, h.Form, fileForm)
	}
	return h, nil
}

// endMark is how the last line begins: entries begin otherwise.
var endMark = []byte(`{"end":true`)

// next is the next entry; none at the end, if that is as it should be.
func (r *reader) next() (e store.Entry, end *fileEnd, err error) {
	text, err := r.line()
	if err != nil {
		return e, nil, err
	}
	if bytes.HasPrefix(text, endMark) {
		end = &fileEnd{}
		if err = json.Unmarshal(text, end); err != nil {
			return e, nil, fmt.Errorf("%w: it is damaged: %w", ErrBad, err)
		}
		if _, err = r.lines.ReadByte(); !errors.Is(err, io.EOF) { // the sum of gzip is checked here too
			return e, nil, fmt.Errorf("%w: something follows its end", ErrBad)
		}
		return e, end, nil
	}
	if e, err = parseEntry(text); err != nil {
		return e, nil, fmt.Errorf("%w: it is damaged: %w", ErrBad, err)
	}
	return e, nil, nil
}
