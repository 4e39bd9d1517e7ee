package store

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// What ended long ago is read seldom and kept for ever: its rows are packed, when
// the entries that they follow from go into an archive. A packed column begins with
// these bytes, with which none is taken in that is not packed, and goes on with the
// length of its first part and a deflate stream that knows the words of pack1.txt. That file
// never changes: other words are another mark.
const packMark = "\x01L1"

// pack1 is what most rows have in common. The most frequent comes last.
//
//go:embed pack1.txt
var pack1 []byte

// mostUnpacked bounds what a packed column becomes: one that was spoilt must not
// fill the memory.
const mostUnpacked = 64 << 20

var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriterDict(nil, flate.DefaultCompression, pack1)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// pack makes a column smaller, and says whether that is worth it.
func pack(body []byte) (small []byte, worth bool) { return packPair(body, nil) }

// packPair makes one column of two.
func packPair(body, rest []byte) (small []byte, worth bool) {
	if packed(body) || len(body) == 0 || len(body)+len(rest) > mostUnpacked {
		return nil, false
	}
	var to bytes.Buffer
	to.WriteString(packMark)
	to.Write(binary.AppendUvarint(nil, uint64(len(body))))
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&to)
	for _, part := range [][]byte{body, rest} {
		if _, err := w.Write(part); err != nil {
			return nil, false // a buffer takes everything
		}
	}
	if err := w.Close(); err != nil {
		return nil, false
	}
	return to.Bytes(), to.Len() < len(body)+len(rest)
}

func packed(body []byte) bool { return bytes.HasPrefix(body, []byte(packMark)) }

// unpack is a column as it was.
func unpack(body []byte) ([]byte, error) {
	whole, _, err := unpackPair(body)
	return whole, err
}

// unpackPair is two columns as they were; the second is nil if only one was packed.
func unpackPair(small []byte) (body, rest []byte, err error) {
	if !packed(small) {
		return small, nil, nil
	}
	first, n := binary.Uvarint(small[len(packMark):])
	if n <= 0 || first > mostUnpacked {
		return nil, nil, fmt.Errorf("%w: a packed row cannot be read", ErrDamaged)
	}
	r := flate.NewReaderDict(bytes.NewReader(small[len(packMark)+n:]), pack1)
	all, err := io.ReadAll(io.LimitReader(r, mostUnpacked+1))
	if err != nil || uint64(len(all)) < first || len(all) > mostUnpacked {
		return nil, nil, fmt.Errorf("%w: a packed row cannot be read", ErrDamaged)
	}
	body, rest = all[:first:first], all[first:]
	if len(rest) == 0 {
		rest = nil
	}
	return body, rest, nil
}
