package bound

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Offer is a job as the bound sees it.
type Offer struct {
	From  market.Time // it cannot begin before
	Until market.Time // it has its full worth if it is done by then
	Width int         // processors
	Work  market.Work // on each of them, as it really is
	Worth float64
	// Fade is what its worth loses for every second after Until. Lapses says that
	// nothing is left of it.
	Fade float64
}

// Lapses is the fade of an offer that is worth nothing when it is late.
var Lapses = math.Inf(1)

// Cluster is how fast work can be done.
type Cluster struct {
	together []float64 // by number of processors: how fast the fastest of them are together
}

// NewCluster is the cluster of some nodes.
func NewCluster(nodes market.Nodes) Cluster {
	var ratings []float64
	for i := range nodes.Len() {
		n := nodes.At(i)
		for range n.Processors {
			ratings = append(ratings, n.Rating)
		}
	}
	slices.SortFunc(ratings, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	c := Cluster{together: make([]float64, len(ratings)+1)}
	for i, r := range ratings {
		c.together[i+1] = c.together[i] + r
	}
	return c
}

// Pool is a cluster of which nothing but its speed is known: a job of any width might
// have had all of it.
func Pool(speed float64) Cluster { return Cluster{together: []float64{speed}} }

// Speed is that of all processors together.
func (c Cluster) Speed() float64 { return c.together[len(c.together)-1] }

// gang is how fast a job of a width can be at most; false: never.
func (c Cluster) gang(width int) (float64, bool) {
	if len(c.together) == 1 {
		return c.together[0], c.together[0] > 0
	}
	if width < 1 || width >= len(c.together) {
		return 0, false
	}
	return c.together[width], true
}
