package client

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// gres is generic resources as Slurm lists them, of which the GPUs count: how many of each
// kind, and of no kind.
type gres map[string]int

// readGres reads a list such as gpu:a100:2(S:0-1),gpu:1,nic:4: what is in parentheses, which
// may have commas in it, says where they are. What cannot be read is not sold.
func readGres(text string) gres {
	g := gres{}
	var plain strings.Builder
	depth := 0
	for _, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0:
			plain.WriteRune(c)
		}
	}
	for entry := range strings.SplitSeq(plain.String(), ",") {
		words := strings.Split(strings.TrimPrefix(strings.TrimSpace(entry), "gres/"), ":")
		if words[0] != "gpu" {
			continue
		}
		kind, number := "", words[len(words)-1]
		switch len(words) {
		case 1:
			number = "1"
		case 2:
		case 3:
			kind = words[1]
		default:
			continue
		}
		if n, err := strconv.Atoi(number); err == nil && n >= 0 && n <= market.MaxGPUs {
			g[kind] += n
		}
	}
	return g
}

// all is how many there are.
func (g gres) all() (sum int) {
	for _, n := range g {
		sum += n
	}
	return sum
}

// kind is what they are, as the market says it: nothing, one name, or a100:2,v100:1.
func (g gres) kind() string {
	var named []string
	for _, kind := range slices.Sorted(maps.Keys(g)) {
		switch {
		case kind == "" || g[kind] == 0:
		case g[kind] == g.all():
			return kind
		default:
			named = append(named, market.GPUText(kind, g[kind]))
		}
	}
	return strings.Join(named, ",")
}

// equip notes what GPUs a node has, and how many of them are in use.
func (n *Node) equip(has, used string) {
	all := readGres(has)
	n.GPUs, n.GPUKind, n.UsedGPUs = all.all(), all.kind(), readGres(used).all()
}
