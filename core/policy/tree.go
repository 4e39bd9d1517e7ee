package policy

import "github.com/libra-market/libra/core/market"

// tree keeps houses in the order of a key, then of their first processors: a treap
// whose nodes are the houses themselves, so that nothing is allocated. Its
// priorities follow from their numbers.
type tree struct {
	nodes []treeNode // by house
	root  int32
}

type treeNode struct {
	key         float64
	first       int32
	left, right int32 // 0: none
	member      bool
}

// grow makes room for houses that are new.
func (t *tree) grow(n int) {
	for len(t.nodes) < n {
		t.nodes = append(t.nodes, treeNode{})
	}
}

func (t *tree) has(h int32) bool { return t.nodes[h].member }

// at reports whether a member is where the key and the first processor put it.
func (t *tree) at(h int32, key float64, first int32) bool {
	return t.nodes[h].key == key && t.nodes[h].first == first
}

// priority scatters the numbers of houses (the finaliser of a hash).
func priority(node int32) uint32 {
	x := market.Uint32(int(node)) * 0x9e3779b1
	x ^= x >> 15
	x *= 0x85ebca77
	return x ^ x>>13
}

// before orders two members.
func (t *tree) before(a, b int32) bool {
	x, y := &t.nodes[a], &t.nodes[b]
	return x.key < y.key || x.key == y.key && x.first < y.first
}

func (t *tree) insert(h int32, key float64, first int32) {
	t.nodes[h] = treeNode{key: key, first: first, member: true}
	at, p := &t.root, priority(h)
	for *at != 0 && priority(*at) >= p {
		if t.before(h, *at) {
			at = &t.nodes[*at].left
		} else {
			at = &t.nodes[*at].right
		}
	}
	t.nodes[h].left, t.nodes[h].right = t.split(*at, h)
	*at = h
}

// split cuts a tree into what is before a node and what is after it.
func (t *tree) split(root, n int32) (before, after int32) {
	low, high := &before, &after
	for root != 0 {
		if t.before(root, n) {
			*low = root
			low = &t.nodes[root].right
			root = *low
		} else {
			*high = root
			high = &t.nodes[root].left
			root = *high
		}
	}
	*low, *high = 0, 0
	return before, after
}

func (t *tree) remove(h int32) {
	at := &t.root
	for *at != h {
		if t.before(h, *at) {
			at = &t.nodes[*at].left
		} else {
			at = &t.nodes[*at].right
		}
	}
	n := &t.nodes[h]
	n.member = false
	a, b := n.left, n.right
	for a != 0 && b != 0 {
		if priority(a) >= priority(b) {
			*at = a
			at = &t.nodes[a].right
			a = *at
		} else {
			*at = b
			at = &t.nodes[b].left
			b = *at
		}
	}
	*at = max(a, b) // one of them is none
}

// from yields the members whose key is at least the given one, in order, until
// told to stop.
func (t *tree) from(key float64, yield func(h int32, key float64, first int32) bool) {
	t.walk(t.root, key, yield)
}

func (t *tree) walk(root int32, key float64, yield func(int32, float64, int32) bool) bool {
	if root == 0 {
		return true
	}
	n := &t.nodes[root]
	if n.key >= key {
		if !t.walk(n.left, key, yield) || !yield(root, n.key, n.first) {
			return false
		}
	}
	return t.walk(n.right, key, yield)
}
