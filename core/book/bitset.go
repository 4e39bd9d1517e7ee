package book

import "math/bits"

// bitset is a set of small integers with a summary of its non-empty words, so
// that looking for the next member skips 4096 absent ones at a time.
type bitset struct {
	words   []uint64
	summary []uint64
}

func newBitset(n int) bitset {
	words := (n + 63) / 64
	return bitset{words: make([]uint64, words), summary: make([]uint64, (words+63)/64)}
}

// setAll adds all below a number.
func (s *bitset) setAll(n int) {
	for _, of := range [...]struct {
		words []uint64
		n     int
	}{{s.words, n}, {s.summary, (n + 63) / 64}} {
		for w := range of.words {
			of.words[w] = 1<<min(64, of.n-w*64) - 1
		}
	}
}

func (s *bitset) has(i int) bool { return s.words[i>>6]&(1<<(i&63)) != 0 }

func (s *bitset) set(i int) { s.setWord(i>>6, 1<<(i&63)) }

func (s *bitset) clear(i int) { s.clearWord(i>>6, 1<<(i&63)) }

// setWord adds the members of one word at once.
func (s *bitset) setWord(w int, mask uint64) {
	s.words[w] |= mask
	s.summary[w>>6] |= 1 << (w & 63)
}

// clearWord removes the members of one word at once.
func (s *bitset) clearWord(w int, mask uint64) {
	s.words[w] &^= mask
	if s.words[w] == 0 {
		s.summary[w>>6] &^= 1 << (w & 63)
	}
}

// next returns the smallest member that is at least i, or -1.
func (s *bitset) next(i int) int {
	w := i >> 6
	if w >= len(s.words) {
		return -1
	}
	if word := s.words[w] >> (i & 63); word != 0 {
		return i + bits.TrailingZeros64(word)
	}
	if w = s.nextWord(w + 1); w < 0 {
		return -1
	}
	return w<<6 + bits.TrailingZeros64(s.words[w])
}

// nextWord returns the first non-empty word at or after w, or -1.
func (s *bitset) nextWord(w int) int {
	u := w >> 6
	if u >= len(s.summary) {
		return -1
	}
	if sum := s.summary[u] >> (w & 63); sum != 0 {
		return w + bits.TrailingZeros64(sum)
	}
	for u++; u < len(s.summary); u++ {
		if s.summary[u] != 0 {
			return u<<6 + bits.TrailingZeros64(s.summary[u])
		}
	}
	return -1
}

// count is how many members are at least from and below to.
func (s *bitset) count(from, to int) (n int) {
	for from < to {
		w, low := from>>6, from&63
		word := s.words[w] >> low
		if most := to - from; most < 64-low {
			word &= 1<<most - 1
		}
		n += bits.OnesCount64(word)
		from += 64 - low
	}
	return n
}

// lowestBits keeps the n lowest members of a word that has more than n of them:
// few are taken out one by one, for more it finds by halving the largest cut
// below which there are at most n.
func lowestBits(word uint64, n int) uint64 {
	const few = 8
	if n <= few {
		rest := word
		for range n {
			rest &= rest - 1
		}
		return word ^ rest
	}
	cut := 0
	for width := 32; width > 0; width >>= 1 {
		if count := bits.OnesCount64(word >> cut & (1<<width - 1)); count <= n {
			n -= count
			cut += width
		}
	}
	return word & (1<<cut - 1)
}
