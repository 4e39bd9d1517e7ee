package policy

import "github.com/libra-market/libra/core/market"

// tree keeps processors in the order of a key, then of their numbers: a treap
// whose nodes are the processors themselves, so that nothing is allocated. Its
// priorities follow from the numbers, and so does its form from its members.
type tree struct {
	key         []float64
	left, right []int32 // 0: none; else the processor and 1
	member      []bool
	root        int32
}

func newTree(n int) tree {
	return tree{key: make([]float64, n), left: make([]int32, n), right: make([]int32, n), member: make([]bool, n)}
}

func (t *tree) has(proc int) bool { return t.member[proc] }

// priority scatters the numbers of processors (the finaliser of a hash).
func priority(node int32) uint32 {
	x := market.Uint32(int(node)) * 0x9e3779b1
	x ^= x >> 15
	x *= 0x85ebca77
	return x ^ x>>13
}

// before orders two members.
func (t *tree) before(a, b int32) bool {
	x, y := t.key[a-1], t.key[b-1]
	return x < y || x == y && a < b
}

func (t *tree) insert(proc int, key float64) {
	n := market.Int32(proc) + 1
	t.key[proc], t.member[proc], t.left[proc], t.right[proc] = key, true, 0, 0
	at, p := &t.root, priority(n)
	for *at != 0 && priority(*at) >= p {
		if t.before(n, *at) {
			at = &t.left[*at-1]
		} else {
			at = &t.right[*at-1]
		}
	}
	t.left[proc], t.right[proc] = t.split(*at, n)
	*at = n
}

// split cuts a tree into what is before a node and what is after it.
func (t *tree) split(root, n int32) (before, after int32) {
	low, high := &before, &after
	for root != 0 {
		if t.before(root, n) {
			*low = root
			low, root = &t.right[root-1], t.right[root-1]
		} else {
			*high = root
			high, root = &t.left[root-1], t.left[root-1]
		}
	}
	*low, *high = 0, 0
	return before, after
}

func (t *tree) remove(proc int) {
	n, at := market.Int32(proc)+1, &t.root
	for *at != n {
		if t.before(n, *at) {
			at = &t.left[*at-1]
		} else {
			at = &t.right[*at-1]
		}
	}
	t.member[proc] = false
	a, b := t.left[proc], t.right[proc]
	for a != 0 && b != 0 {
		if priority(a) >= priority(b) {
			*at = a
			at, a = &t.right[a-1], t.right[a-1]
		} else {
			*at = b
			at, b = &t.left[b-1], t.left[b-1]
		}
	}
	*at = max(a, b) // one of them is none
}

// from yields the members whose key is at least the given one, in order, until
// told to stop.
func (t *tree) from(key float64, yield func(proc int32, key float64) bool) {
	t.walk(t.root, key, yield)
}

func (t *tree) walk(root int32, key float64, yield func(int32, float64) bool) bool {
	if root == 0 {
		return true
	}
	if at := t.key[root-1]; at >= key {
		if !t.walk(t.left[root-1], key, yield) || !yield(root-1, at) {
			return false
		}
	}
	return t.walk(t.right[root-1], key, yield)
}
