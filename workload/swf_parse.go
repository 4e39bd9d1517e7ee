package workload

import (
	"encoding/binary"
	"math/bits"
)

// fieldCount is the number of fields of an SWF record.
const fieldCount = 18

// slack is how many bytes after the end of a line must be readable, because
// lines are looked at 64 bytes at a time.
const slack = 80

// parseFields reads the numbers of the line text[:length] into f and returns
// how many there were and where it stopped. text[length] is a line feed, after
// which slack-1 more bytes are readable. A text that is not a number stops it
// with an error; the rest of the line after the last field is the caller's to
// check.
func parseFields(text []byte, length int, f *[fieldCount]float64) (fields, at int, err error) {
	if parseFast(text, length, f) {
		return fieldCount, length, nil
	}
	return parseCareful(text, f)
}

// parseFast reads a line of 18 numbers separated by blanks, and reports false
// for any other without saying why: that is left to parseCareful.
//
// Reading a log spends its time here, so it works on eight bytes at a time and
// in two steps. The first finds the edges of the fields, the second converts
// each field without waiting for the one before it. What makes the obvious
// loop slow is not the work but the waiting: each byte decides where the next
// is looked for, and the ragged columns of real logs defeat prediction.
func parseFast(text []byte, length int, f *[fieldCount]float64) bool {
	var edges [2 * fieldCount]int // where each field starts and ends
	found := 0
	inside := uint64(0) // 1: the last byte seen belongs to a field
	for from := 0; from <= length; from += 64 {
		black := blackBytes(text[from:])
		if left := length - from; left < 64 {
			black &= 1<<uint(left) - 1
		}
		changes := black ^ (black<<1 | inside)
		inside = black >> 63
		for ; changes != 0; changes &= changes - 1 {
			if found == len(edges) {
				return false
			}
			edges[found] = from + bits.TrailingZeros64(changes)
			found++
		}
	}
	if found != len(edges) {
		return false
	}
	for n := range f {
		start, end := edges[2*n], edges[2*n+1]
		minus := 0
		if text[start] == '-' {
			minus = 1
		}
		count := end - start - minus
		digits := binary.LittleEndian.Uint64(text[start+minus:]) ^ allZeros
		digits <<= uint(64-8*count) & 63 // leading zeros, and off with what follows
		if uint(count-1) > 7 || (digits+aboveNine|digits)&topBits != 0 {
			value, err := parseNumber(text[start:end])
			if err != nil {
				return false
			}
			f[n] = value
			continue
		}
		sign := int64(-minus)
		f[n] = float64((toInteger(digits) ^ sign) - sign)
	}
	return true
}

const (
	allBlanks = 0x2020202020202020
	allZeros  = 0x3030303030303030 // the digit 0
	aboveNine = 0x7676767676767676 // added to a byte above 9, sets its top bit
	topBits   = 0x8080808080808080
)

// blackBytes marks those of 64 bytes that are not blanks, the first in the
// lowest bit.
func blackBytes(text []byte) uint64 {
	marks := uint64(0)
	for i := 0; i < 64; i += 8 {
		x := binary.LittleEndian.Uint64(text[i:]) ^ allBlanks
		x = ((x&^topBits + ^uint64(topBits)) | x) & topBits // a top bit for each byte that is not 0
		marks |= (x >> 7 * 0x0102040810204080) >> 56 << uint(i)
	}
	return marks
}

// toInteger is the value of eight digits, one in each byte, the first lowest.
// It adds pairs, then pairs of pairs, all in one register.
func toInteger(digits uint64) int64 {
	const low = 0x000000FF000000FF
	pairs := digits*10 + digits>>8
	return int64(((pairs&low)*(100+1000000<<32) + (pairs>>16&low)*(1+10000<<32)) >> 32)
}

// parseCareful reads any line, field by field, and says what is wrong with it.
func parseCareful(text []byte, f *[fieldCount]float64) (fields, at int, err error) {
	end := 0
	for n := range f {
		start := end
		for isBlank(text[start]) {
			start++
		}
		end = start
		for !isBlank(text[end]) && text[end] != '\n' {
			end++
		}
		if end == start {
			return n, end, nil
		}
		if f[n], err = parseNumber(text[start:end]); err != nil {
			return n, start, err
		}
	}
	return fieldCount, end, nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
