package client

import (
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
)

// label notes what features a node has. What the market has no word for, and what is more
// than a node may say of itself, cannot be asked for.
func (n *Node) label(list string) {
	var kept []string
	size := 0
	for word := range strings.SplitSeq(list, ",") {
		if size += len(word) + 1; market.Word(word) && size <= roster.MostSaid {
			kept = append(kept, word)
		}
	}
	n.Features = strings.Join(kept, ",")
}
