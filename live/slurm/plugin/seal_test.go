package plugin

import "testing"

// The seals of the first bytes that count, by the key that counts: from the
// reference that came with the paper, whose own example is the one of 15 bytes.
func TestSum(t *testing.T) {
	var k Key
	text := make([]byte, 64)
	for i := range text {
		text[i] = byte(i)
	}
	copy(k[:], text)
	for n, want := range map[int]uint64{
		0: 0x726fdb47dd0e0e31, 1: 0x74f839c593dc67fd, 7: 0xab0200f58b01d137, 8: 0x93f5f5799a932462, 15: 0xa129ca6149be45e5, 63: 0x958a324ceb064572,
	} {
		if got := k.sum(text[:n]); got != want {
			t.Errorf("%d bytes: %016x, want %016x", n, got, want)
		}
	}
}
