package trade

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
)

// What a request says of nodes is bounded, in bytes. A constraint is looked for on every kind of
// node, word by word.
const (
	maxNames      = 1 << 16
	maxConstraint = 1 << 12
)

const wantNames = "names of nodes: words of letters, digits, - _ and ., no more than 64 KB"

func names(list []string) bool {
	for _, name := range list {
		if !market.Word(name) {
			return false
		}
	}
	return size(list) <= maxNames
}

// Where is on which nodes a request may be; nil: on any.
func (r *Request) Where() *market.Where {
	if !r.Bound() {
		return nil
	}
	return &market.Where{Nodes: strings.Join(r.Nodelist, ","), Exclude: strings.Join(r.Exclude, ","), Constraint: r.Constraint, Partition: r.Partition, Reservation: r.Reservation}
}

// Chooses reports whether a request says on which nodes of its partition, or of the market,
// it may be.
func (r *Request) Chooses() bool {
	return len(r.Nodelist) > 0 || len(r.Exclude) > 0 || r.Constraint != ""
}

// Bound reports whether there are nodes that a request may not be on.
func (r *Request) Bound() bool { return r.Chooses() || r.Partition != "" || r.Reservation != "" }

// Anywhere is the request on any node of its partition.
func (r *Request) Anywhere() Request {
	t := *r
	t.Nodelist, t.Exclude, t.Constraint = nil, nil, ""
	return t
}

// Among are the nodes that a request may be on.
func (r *Request) Among(nodes []*roster.Node) []*roster.Node {
	if !r.Bound() {
		return nodes
	}
	return roster.Among(nodes, r.Where())
}

// nowhere says what a request asks of nodes that none of them is, and what they are.
func (r *Request) nowhere(nodes []*roster.Node) string {
	where := r.Where()
	if where == nil {
		return ""
	}
	called, features := map[string]bool{}, map[string]bool{}
	for _, n := range nodes {
		if n.Retired || r.Partition != "" && n.Partition != r.Partition {
			continue
		}
		called[n.Node] = true
		shape := n.Core(market.Rates{})
		for _, f := range shape.FeatureList() {
			features[f] = true
		}
	}
	of := r.OfPartition()
	if of != "" && len(called) == 0 {
		return "there are no nodes" + of
	}
	for _, name := range r.Nodelist {
		if !called[name] {
			return fmt.Sprintf("no node%s is called %s: there %s", of, name, areThese(called))
		}
	}
	if len(r.Among(nodes)) > 0 {
		return ""
	}
	for _, f := range where.Features() {
		if !features[f] {
			return fmt.Sprintf("no node%s has the feature %s: there %s", of, f, areThese(features))
		}
	}
	return "there is no node that it may be on (" + r.Places() + ")"
}

// OfPartition is whose nodes they are that a request may be on, in words; "": the market's.
func (r *Request) OfPartition() string {
	if r.Partition == "" {
		return ""
	}
	return " of partition " + r.Partition
}

// Places is on which nodes a request may be, in words.
func (r *Request) Places() string {
	var said []string
	if r.Partition != "" {
		said = append(said, "partition "+r.Partition)
	}
	if r.Reservation != "" {
		said = append(said, "reservation "+r.Reservation)
	}
	for _, s := range []struct {
		words string
		list  []string
	}{{"", r.Nodelist}, {"not ", r.Exclude}} {
		if len(s.list) > 0 {
			said = append(said, s.words+shortened(s.list))
		}
	}
	if r.Constraint != "" {
		said = append(said, "with "+r.Constraint)
	}
	return strings.Join(said, ", ")
}

// mostSaid is how many names are said in a sentence.
const mostSaid = 8

func areThese(set map[string]bool) string {
	if len(set) == 0 {
		return "are none"
	}
	return "are " + shortened(slices.Sorted(maps.Keys(set)))
}

// shortened is a list in words, or the beginning of it.
func shortened(list []string) string {
	if len(list) > mostSaid {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:mostSaid], ", "), len(list)-mostSaid)
	}
	return strings.Join(list, ", ")
}

// Lanes is how many processors are up that a request may be on; of an array, as many as whole
// elements can have.
func (r *Request) Lanes(nodes *roster.Roster) int {
	each := 1
	if r.Array != nil {
		each = r.PerProgram()
	}
	if !r.Bound() && each == 1 && (r.Array == nil || r.Array.Nodes == 0) {
		return nodes.ProcessorsUp()
	}
	return r.Array.lanes(nodes.Places(r.Where()), each)
}

// ClearWithin says until when processors have to be clear for a request to be in time: who waits for
// others, or for a node that is drained, knows how long that helps. Empty: nothing would.
func ClearWithin(r *Request, nodes *roster.Roster) string {
	switch alone := r.Alone(nodes); {
	case alone <= 0 || alone > r.DeadlineMS:
		return ""
	case r.DeadlineMS-alone < 1000:
		return "; to be in time it needs processors to itself at once"
	default:
		return "; to be in time it needs processors to itself within " + market.Span(r.DeadlineMS-alone)
	}
}

// Alone is how long a request takes, in milliseconds, on the fastest processors that are up and
// that it may be on, all of them if it is an array that may have them.
func (r *Request) Alone(nodes *roster.Roster) int64 {
	fastest := nodes.Census().Fastest
	if r.Bound() {
		fastest = nodes.Places(r.Where()).Fastest
	}
	if fastest <= 0 {
		return 0
	}
	_, each := r.Width(r.Lanes(nodes))
	return int64(math.Ceil(math.Round(float64(each)*1e3) / fastest))
}
