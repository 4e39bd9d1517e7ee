package policy

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// entry is a member of a ladder, as a list would have it.
type entry struct {
	key   float64
	first int32
	house int32
}

func inOrder(l *ladder, from float64) (all []entry) {
	l.from(from, func(h int32, key float64, first int32) bool {
		all = append(all, entry{key, first, h})
		return true
	})
	return all
}

// Ties: the first processor decides and, where that is another's too, the number of the house.
var (
	keys   = rapid.SampledFrom([]float64{math.Inf(-1), -3, -2.5, -1, -1e-300, math.Copysign(0, -1), 0, 1e-300, 0.5, 1, math.Nextafter(1, 2), 3, math.Inf(1)})
	firsts = rapid.Int32Range(0, 5)
)

// A ladder is a sorted list of its members, whatever came and went.
func TestALadderIsASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var steps ladder
		const houses = 400
		steps.grow(houses + 1)
		var list []entry
		for range rapid.IntRange(1, 900).Draw(t, "steps") {
			h := rapid.Int32Range(1, houses).Draw(t, "house")
			if at := slices.IndexFunc(list, func(e entry) bool { return e.house == h }); at >= 0 {
				if !steps.has(h) || !steps.at(h, list[at].key, list[at].first) || steps.at(h, math.Nextafter(list[at].key, 7), list[at].first) || steps.at(h, list[at].key, list[at].first+1) {
					t.Fatalf("%+v is not where it is", list[at])
				}
				steps.remove(h)
				list = slices.Delete(list, at, at+1)
			} else {
				e := entry{key: keys.Draw(t, "key"), first: firsts.Draw(t, "first"), house: h}
				steps.insert(h, e.key, e.first)
				list = append(list, e)
				slices.SortFunc(list, func(a, b entry) int {
					return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.first, b.first), cmp.Compare(a.house, b.house))
				})
			}
			if steps.has(h) == !slices.ContainsFunc(list, func(e entry) bool { return e.house == h }) {
				t.Fatalf("house %d", h)
			}
			from := keys.Draw(t, "from")
			if got, want := inOrder(&steps, from), slices.DeleteFunc(slices.Clone(list), func(e entry) bool { return e.key < from }); !slices.Equal(got, want) {
				t.Fatalf("from %v\n got %v\nwant %v", from, got, want)
			}
		}
		// Who has heard enough is told no more.
		told := 0
		steps.from(math.Inf(-1), func(int32, float64, int32) bool {
			told++
			return told < 3
		})
		if told != min(3, len(list)) {
			t.Fatalf("told %d of %d", told, len(list))
		}
	})
}

// Rows stay short, and are not many, in whatever order houses come and go: what a step
// costs is a few times the logarithm of their number.
func TestTheRowsOfALadderStayShort(t *testing.T) {
	const n = 1 << 13
	for name, key := range map[string]func(int) float64{
		"ascending":  func(i int) float64 { return float64(i) },
		"descending": func(i int) float64 { return float64(-i) },
		"all alike":  func(int) float64 { return 0 },
	} {
		var l ladder
		l.grow(n + 1)
		for round := range 3 {
			for i := int32(1); i <= n; i++ {
				l.insert(i, key(int(i)), i)
			}
			longest := 0
			for _, row := range l.rows {
				longest = max(longest, len(row))
			}
			if longest >= mostRungs || len(l.rows) > n/(mostRungs/2) {
				t.Errorf("%s, round %d: %d rows, the longest of %d", name, round, len(l.rows), longest)
			}
			for i := int32(1); i <= n; i++ {
				l.remove(i)
			}
			if len(l.rows) != 0 {
				t.Errorf("%s, round %d: %d rows of nobody", name, round, len(l.rows))
			}
		}
	}
}
