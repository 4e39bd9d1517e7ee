package market

// Nodes are the nodes of a cluster in their order. A cluster of a million that are alike
// is kept as one of them and a number: to fill in, check and look at a million takes longer
// than to run the jobs of a week.
type Nodes struct {
	list  []Node
	count int
	mask  int // 0: the first stands for all; -1: each for itself
}

// Each is a cluster of these nodes. They are not copied.
func Each(list []Node) Nodes { return Nodes{list: list, count: len(list), mask: -1} }

// Alike is a cluster of so many nodes like this one.
func Alike(n Node, count int) Nodes { return Nodes{list: []Node{n}, count: max(0, count)} }

// Compact is Each, or Alike if these nodes are.
func Compact(list []Node) Nodes {
	for i := range list {
		if list[i] != list[0] {
			return Each(list)
		}
	}
	if len(list) == 0 {
		return Each(nil)
	}
	return Alike(list[0], len(list))
}

// Len is how many there are.
func (n Nodes) Len() int { return n.count }

// At is the node of a number, which is not to be changed.
func (n Nodes) At(i int) *Node { return &n.list[i&n.mask] }

// Kinds are nodes among which every one is found that differs from the others, in their order.
func (n Nodes) Kinds() []Node { return n.list }

// Processors are those of all nodes together.
func (n Nodes) Processors() int {
	if n.mask == 0 {
		return n.count * n.list[0].Processors
	}
	sum := 0
	for i := range n.list {
		sum += n.list[i].Processors
	}
	return sum
}

// Times is the cluster so many times over.
func (n Nodes) Times(times int) Nodes {
	if n.mask == 0 {
		n.count *= times
		return n
	}
	list := make([]Node, 0, len(n.list)*times)
	for range times {
		list = append(list, n.list...)
	}
	return Each(list)
}

// With is the cluster with something changed in every node.
func (n Nodes) With(change func(*Node)) Nodes {
	n.list = append([]Node(nil), n.list...)
	for i := range n.list {
		change(&n.list[i])
	}
	return n
}
