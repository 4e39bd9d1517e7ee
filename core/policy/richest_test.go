package policy

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// However many move at once, and whether they are looked for or gone by, all who are there stand in the order of what
// they bring, equals in that of their numbers.
func TestTheRichestStandFirst(t *testing.T) {
	const processors = 300
	for _, times := range []int{0, 16, processors} {
		defer func(was int) { scattered = was }(scattered)
		scattered = times
		draw := rand.New(rand.NewPCG(3, 4))
		s, has := newRichest(processors), map[int32]float64{}
		for step := range 2000 {
			moved := make([]bool, processors)
			var procs []int32
			for range 1 + draw.IntN(1+draw.IntN(80)) {
				proc := int32(draw.IntN(processors))
				if moved[proc] {
					continue
				}
				moved[proc], procs = true, append(procs, proc)
				if draw.IntN(3) == 0 {
					delete(has, proc)
					continue
				}
				has[proc] = float64(draw.IntN(40))
				s.come = append(s.come, wealth{has[proc], proc})
			}
			s.renew(procs, moved)
			var want []wealth
			for proc, worth := range has {
				want = append(want, wealth{worth, proc})
			}
			slices.SortFunc(want, func(a, b wealth) int {
				return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.proc, b.proc))
			})
			if !slices.Equal(s.list, want) {
				t.Fatalf("scattered %d, step %d: %v, want %v", times, step, s.list, want)
			}
		}
	}
}
