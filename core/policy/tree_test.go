package policy

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// entry is a member of a tree, as a list would have it.
type entry struct {
	key   float64
	first int32
	house int32
}

func inOrder(t *tree, from float64) (all []entry) {
	t.from(from, func(h int32, key float64, first int32) bool {
		all = append(all, entry{key, first, h})
		return true
	})
	return all
}

// A tree is a sorted list of its members, whatever came and went.
func TestATreeIsASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tree tree
		const houses = 40
		tree.grow(houses + 1)
		var list []entry
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			h := rapid.Int32Range(1, houses).Draw(t, "house")
			if at := slices.IndexFunc(list, func(e entry) bool { return e.house == h }); at >= 0 {
				if !tree.has(h) || !tree.at(h, list[at].key, list[at].first) || tree.at(h, list[at].key+1, list[at].first) || tree.at(h, list[at].key, list[at].first+1) {
					t.Fatalf("%+v is not where it is", list[at])
				}
				tree.remove(h)
				list = slices.Delete(list, at, at+1)
			} else {
				e := entry{key: float64(rapid.IntRange(-3, 3).Draw(t, "key")), first: h, house: h} // ties: the first processor decides
				tree.insert(h, e.key, e.first)
				list = append(list, e)
				slices.SortFunc(list, func(a, b entry) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.first, b.first)) })
			}
			if tree.has(h) == !slices.ContainsFunc(list, func(e entry) bool { return e.house == h }) {
				t.Fatalf("house %d", h)
			}
			from := float64(rapid.IntRange(-4, 4).Draw(t, "from"))
			if got, want := inOrder(&tree, from), slices.DeleteFunc(slices.Clone(list), func(e entry) bool { return e.key < from }); !slices.Equal(got, want) {
				t.Fatalf("from %v\n got %v\nwant %v", from, got, want)
			}
		}
		// Who has heard enough is told no more.
		told := 0
		tree.from(math.Inf(-1), func(int32, float64, int32) bool {
			told++
			return told < 3
		})
		if told != min(3, len(list)) {
			t.Fatalf("told %d of %d", told, len(list))
		}
	})
}

// A tree stays low, in whatever order its members come and go: a way down it is a
// few times the logarithm of their number, not their number.
func TestATreeStaysLow(t *testing.T) {
	const n = 1 << 13
	for name, key := range map[string]func(int) float64{
		"ascending":  func(i int) float64 { return float64(i) },
		"descending": func(i int) float64 { return float64(-i) },
		"all alike":  func(int) float64 { return 0 },
	} {
		var tree tree
		tree.grow(n + 1)
		for i := int32(1); i <= n; i++ {
			tree.insert(i, key(int(i)), i)
		}
		check := func(when string) {
			if d := depth(&tree, tree.root); d > 4*13 {
				t.Errorf("%s, %s: %d members are %d deep", name, when, len(inOrder(&tree, math.Inf(-1))), d)
			}
		}
		check("all in")
		for i := int32(1); i <= n; i += 2 {
			tree.remove(i)
		}
		check("every second one out")
	}
}

func depth(t *tree, root int32) int {
	if root == 0 {
		return 0
	}
	return 1 + max(depth(t, t.nodes[root].left), depth(t, t.nodes[root].right))
}
