package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"

	"github.com/libra-market/libra/core/market"
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
	b = binary.BigEndian.AppendUint64(b, market.Bits(e.Seq))
	b = binary.BigEndian.AppendUint64(b, market.Bits(e.At))
	b = binary.BigEndian.AppendUint32(b, market.Uint32(e.version()-1))
	b = binary.BigEndian.AppendUint32(b, market.Uint32(len(e.Kind)))
	c.sum.Reset()
	c.sum.Write(b)
	c.sum.Write([]byte(e.Kind))
	c.sum.Write(e.Body)
	c.sum.Sum(c.before[:0])
	return bytes.Clone(c.before[:])
}

// VerifyLog walks the log from the first entry, or the end of the last archive, to
// the head. The head is kept apart from the entries, so that a log cut off at its end
// is found too.
func (d *database) VerifyLog(ctx context.Context) (int64, error) {
	for {
		all, err := d.Archived(ctx)
		if err != nil {
			return 0, fmt.Errorf("verify log: %w", err)
		}
		last, hash := checkpoint(all)
		end, err := d.head(ctx)
		if err != nil {
			return 0, fmt.Errorf("verify log: %w", err)
		}
		check := newVerifier(end, last, hash)
		for e, err := range d.Tail(ctx, last) {
			if errors.Is(err, ErrArchived) { // meanwhile
				break
			}
			if err != nil {
				return check.sound, fmt.Errorf("verify log: %w", err)
			}
			if err := check.see(&e); err != nil {
				return check.sound, err
			}
		}
		if moved, err := d.Unread(ctx); err != nil || moved == last || check.sound >= end.seq {
			return check.sound, cmp.Or(err, check.finish())
		}
	}
}

// verifier checks entries one after the other, and that none is missing at the
// end.
type verifier struct {
	links *chain
	end   head
	sound int64
}

// newVerifier begins after an entry with a hash, or before the first.
func newVerifier(end head, after int64, hash []byte) *verifier {
	return &verifier{links: newChain(hash), end: end, sound: after}
}

func (v *verifier) see(e *Entry) error {
	switch {
	case e.Seq != v.sound+1:
		return &BrokenChain{Seq: v.sound + 1, Why: fmt.Sprintf("it is missing, the next one is %d", e.Seq)}
	case !bytes.Equal(v.links.next(e), e.Hash):
		return &BrokenChain{Seq: e.Seq, Why: "its hash does not follow from its content and the entry before"}
	case e.Seq == v.end.seq && !bytes.Equal(e.Hash, v.end.hash):
		return &BrokenChain{Seq: e.Seq, Why: "its hash is not the one remembered for the end of the log"}
	}
	v.sound = e.Seq
	return nil
}

func (v *verifier) finish() error {
	if v.sound < v.end.seq {
		return &BrokenChain{Seq: v.sound + 1, Why: fmt.Sprintf("it is missing, the log once ended at %d", v.end.seq)}
	}
	return nil
}
