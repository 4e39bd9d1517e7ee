package plugin

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
)

// SealVariable is the variable of a job's environment that carries its seal.
const SealVariable = "LIBRA_SEAL"

// ErrKey says that a file holds no key for the door.
var ErrKey = errors.New("key of the door")

// Key is what seals are made with. Who has it can open the door.
type Key [16]byte

// NewKey is a key, as it stands in its file.
func NewKey() []byte {
	var k Key
	_, _ = rand.Read(k[:]) // it never fails
	return append(hex.AppendEncode(nil, k[:]), '\n')
}

// ParseKey reads what stands in the file of a key: 32 digits. Space around them does
// not count.
func ParseKey(file []byte) (Key, error) {
	var k Key
	digits := bytes.TrimSpace(file)
	if len(digits) != hex.EncodedLen(len(k)) {
		return Key{}, fmt.Errorf("%w: want %d digits", ErrKey, hex.EncodedLen(len(k)))
	}
	if _, err := hex.Decode(k[:], digits); err != nil {
		return Key{}, fmt.Errorf("%w: want %d digits, 0 to 9 and a to f", ErrKey, hex.EncodedLen(len(k)))
	}
	return k, nil
}

// Seal is what a job must carry that the door should let through: proof that
// someone with the key wants this comment for this user in this partition.
func (k Key) Seal(user, partition, comment string) string {
	return fmt.Sprintf("%016x", k.sum([]byte(user+"\n"+partition+"\n"+comment)))
}

// sum is SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012).
// The door must compute it in the Lua of slurmctld, which often has no operators on
// bits, while Slurm waits: HMAC-SHA256 takes it half a millisecond, this a tenth.
func (k Key) sum(text []byte) uint64 {
	k0, k1 := binary.LittleEndian.Uint64(k[:8]), binary.LittleEndian.Uint64(k[8:])
	a, b, c, d := k0^0x736f6d6570736575, k1^0x646f72616e646f6d, k0^0x6c7967656e657261, k1^0x7465646279746573
	rounds := func(n int) {
		for range n {
			a += b
			b = bits.RotateLeft64(b, 13) ^ a
			a = bits.RotateLeft64(a, 32)
			c += d
			d = bits.RotateLeft64(d, 16) ^ c
			a += d
			d = bits.RotateLeft64(d, 21) ^ a
			c += b
			b = bits.RotateLeft64(b, 17) ^ c
			c = bits.RotateLeft64(c, 32)
		}
	}
	// The last word ends with how long the text was.
	padded := append(bytes.Clone(text), make([]byte, 8-len(text)%8)...)
	padded[len(padded)-1] = byte(len(text))
	for i := 0; i < len(padded); i += 8 {
		word := binary.LittleEndian.Uint64(padded[i:])
		d ^= word
		rounds(2)
		a ^= word
	}
	c ^= 0xff
	rounds(4)
	return a ^ b ^ c ^ d
}
