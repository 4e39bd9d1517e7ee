package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// Hash is the SHA-256 of a transaction and of all before it. Before the first
// one it is all zeros.
type Hash [sha256.Size]byte

// String writes the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText writes the hash in hexadecimal.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText reads a hash in hexadecimal.
func (h *Hash) UnmarshalText(text []byte) error {
	var read Hash
	if hex.DecodedLen(len(text)) != len(read) {
		return fmt.Errorf("%w: %d characters (want %d)", ErrHash, len(text), hex.EncodedLen(len(read)))
	}
	if _, err := hex.Decode(read[:], text); err != nil {
		return fmt.Errorf("%w: %w", ErrHash, err)
	}
	*h = read
	return nil
}

// encoding is the version of the encoding below, where the rule is [RuleFirst]: it
// had no other.
const encoding = 1

// Sum is the hash of the transaction as the successor of the one with the given
// hash: the SHA-256 of these bytes, numbers big-endian, texts as their length
// in four bytes and then their UTF-8:
//
//	1 byte    version of this encoding, 1, and the rule added to it
//	32 bytes  hash of the transaction before
//	8 bytes   seq, signed
//	8 bytes   at, signed
//	text      kind
//	8 bytes   job, signed
//	text      account
//	text      memo
//	8 bytes   limit, signed
//	8 bytes   credit, signed
//	4 bytes   number of postings, and for each of them:
//	          text account, text side, 8 bytes amount, signed
//
// Every length is written before what it measures, so that no two transactions
// have the same bytes.
func (tx *Tx) Sum(before Hash) Hash { return sha256.Sum256(tx.encode(nil, before)) }

func (tx *Tx) encode(to []byte, before Hash) []byte {
	to = append(to, encoding+byte(tx.Rule))
	to = append(to, before[:]...)
	to = appendNumber(to, tx.Seq)
	to = appendNumber(to, tx.At)
	to = appendText(to, string(tx.Kind))
	to = appendNumber(to, tx.Job)
	to = appendText(to, string(tx.Account))
	to = appendText(to, tx.Memo)
	to = appendNumber(to, int64(tx.Limit))
	to = appendNumber(to, int64(tx.Credit))
	to = binary.BigEndian.AppendUint32(to, market.Uint32(len(tx.Postings)))
	for i := range tx.Postings {
		p := &tx.Postings[i]
		to = appendText(to, string(p.Account))
		to = appendText(to, string(p.Side))
		to = appendNumber(to, int64(p.Amount))
	}
	return to
}

func appendNumber(to []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(to, market.Bits(n))
}

func appendText(to []byte, text string) []byte {
	return append(binary.BigEndian.AppendUint32(to, market.Uint32(len(text))), text...)
}
