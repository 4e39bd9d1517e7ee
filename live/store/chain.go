package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
)

// Sum is the hash of the entry as the successor of one with the hash before
// (nil: it is the first): the SHA-256 of these bytes, numbers big-endian:
//
//	32 bytes  hash of the entry before; zeros before the first
//	8 bytes   seq, signed
//	8 bytes   at, signed
//	4 bytes   version of the body less one
//	4 bytes   length of kind, then kind
//	          body, to the end
//
// The length keeps kind and body apart: without it, moving a letter from one to
// the other would not show. Before entries had versions it took all eight bytes,
// of which the first four were always zero: those entries are of version 1, and
// their hashes are as they were.
func (e *Entry) Sum(before []byte) []byte { return newChain(before).next(e) }

// version is how to read the body; who says nothing means the first.
func (e *Entry) version() int { return max(1, e.Version) }

// chain computes the hashes of successive entries.
type chain struct {
	sum    hash.Hash
	before [sha256.Size]byte
	fixed  [sha256.Size + 3*8]byte
}

func newChain(before []byte) *chain {
	c := &chain{sum: sha256.New()}
	copy(c.before[:], before)
	return c
}

func (c *chain) next(e *Entry) []byte {
	b := append(c.fixed[:0], c.before[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(e.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(e.At))
	b = binary.BigEndian.AppendUint32(b, uint32(e.version()-1))
	b = binary.BigEndian.AppendUint32(b, uint32(len(e.Kind)))
	c.sum.Reset()
	c.sum.Write(b)
	c.sum.Write([]byte(e.Kind))
	c.sum.Write(e.Body)
	c.sum.Sum(c.before[:0])
	return bytes.Clone(c.before[:])
}

// VerifyLog walks the log from the first entry to the head. The head is kept
// apart from the entries, so that a log cut off at its end is found too.
func (d *database) VerifyLog(ctx context.Context) (int64, error) {
	end, err := d.head(ctx)
	if err != nil {
		return 0, fmt.Errorf("verify log: %w", err)
	}
	var n int64
	links := newChain(nil)
	for e, err := range d.Tail(ctx, 0) {
		switch {
		case err != nil:
			return n, fmt.Errorf("verify log: %w", err)
		case e.Seq != n+1:
			return n, &BrokenChain{Seq: n + 1, Why: fmt.Sprintf("it is missing, the next one is %d", e.Seq)}
		case !bytes.Equal(links.next(&e), e.Hash):
			return n, &BrokenChain{Seq: e.Seq, Why: "its hash does not follow from its content and the entry before"}
		case e.Seq == end.seq && !bytes.Equal(e.Hash, end.hash):
			return n, &BrokenChain{Seq: e.Seq, Why: "its hash is not the one remembered for the end of the log"}
		}
		n = e.Seq
	}
	if n < end.seq {
		return n, &BrokenChain{Seq: n + 1, Why: fmt.Sprintf("it is missing, the log once ended at %d", end.seq)}
	}
	return n, nil
}
