package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

// The words that packed rows are read with never change: rows that were packed with
// them could not be read any more. Other words are another file and another mark.
func TestTheWordsOfPackedRowsStay(t *testing.T) {
	const want = "9c9115a2fd3a81d9c31a76b1b766fd0decf5ef3cd11dc705623e19749a620db6"
	if sum := sha256.Sum256(pack1); hex.EncodeToString(sum[:]) != want {
		t.Errorf("pack1.txt was changed: %x", sum)
	}
}

func TestPack(t *testing.T) {
	long := []byte(`{"id":1,"owner":"ann","state":"completed","receipt":{` + strings.Repeat(`"x":1,`, 100) + `}}`)
	small, worth := pack(long)
	if !worth || len(small) > len(long)/4 || !packed(small) {
		t.Errorf("%d bytes of %d, %v", len(small), len(long), worth)
	}
	if back, err := unpack(small); err != nil || !bytes.Equal(back, long) {
		t.Errorf("%s, %v", back, err)
	}
	if _, again := pack(small); again {
		t.Error("packed twice")
	}
	for _, plain := range [][]byte{nil, {}, []byte("body 7"), {1, 'L'}, []byte("{}")} {
		if back, err := unpack(plain); err != nil || !bytes.Equal(back, plain) {
			t.Errorf("%q becomes %q, %v", plain, back, err)
		}
	}
	if _, worth := pack([]byte("x")); worth {
		t.Error("what becomes larger is worth it")
	}
	pair, _ := packPair(long, []byte("[1,2,3]"))
	if body, rest, err := unpackPair(pair); err != nil || !bytes.Equal(body, long) || string(rest) != "[1,2,3]" {
		t.Errorf("%s %s %v", body, rest, err)
	}
	for at := range small { // nothing of it ends the program
		spoilt := bytes.Clone(small)
		spoilt[at] ^= 0x55
		if back, err := unpack(spoilt); err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%d: %s, %v", at, back, err)
		}
	}
	if _, err := unpack(small[:len(small)-3]); !errors.Is(err, ErrDamaged) {
		t.Errorf("cut off: %v", err)
	}
	if err := checkBody(small); !errors.Is(err, ErrInvalid) {
		t.Errorf("what would be taken for packed is taken in: %v", err)
	}
}
