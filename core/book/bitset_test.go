package book

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// A bitset answers like a map, across the ends of words and of the summary's.
func TestBitsetAnswersLikeAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 63, 64, 65, 200, 4096, 4097, 9000}).Draw(t, "size")
		s, model := newBitset(n), map[int]bool{}
		if rapid.Bool().Draw(t, "all") {
			s.setAll(n)
			for i := range n {
				model[i] = true
			}
		}
		for range rapid.IntRange(1, 40).Draw(t, "operations") {
			i := rapid.OneOf(rapid.IntRange(0, n-1), rapid.SampledFrom([]int{0, n / 2, n - 1})).Draw(t, "member")
			if rapid.Bool().Draw(t, "set") {
				s.set(i)
				model[i] = true
			} else {
				s.clear(i)
				delete(model, i)
			}
			if s.has(i) != model[i] {
				t.Fatalf("has %d: %v", i, s.has(i))
			}
			from := rapid.IntRange(0, n+70).Draw(t, "from")
			want := -1
			for k := from; k < n; k++ {
				if model[k] {
					want = k
					break
				}
			}
			if got := s.next(from); got != want {
				t.Fatalf("next from %d is %d, want %d", from, got, want)
			}
		}
	})
}

func TestLowestBitsKeepsTheLowest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.Uint64Range(1, 1<<64-1).Draw(t, "word")
		n := rapid.IntRange(0, bits.OnesCount64(word)-1).Draw(t, "n")
		want, left := uint64(0), word
		for range n {
			want |= left & -left
			left &= left - 1
		}
		if got := lowestBits(word, n); got != want {
			t.Fatalf("the %d lowest of %064b are %064b, want %064b", n, word, got, want)
		}
	})
}
