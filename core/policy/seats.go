package policy

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// seats are processors that have room for a job at once. Candidates are asked in their order, and who
// comes first is kept: those who come after him do not change that.
type seats struct {
	v     book.View
	j     *market.Job
	kept  []candidate
	tasks map[int32]int         // by node
	open  map[int32][]candidate // by node: of a set of threads that is not complete
}

// take keeps a candidate if there is room for it beside those before it. Of threads it keeps those
// that make up whole sets, each of one node, and no more of them than the job has: the sets that
// are complete first.
func (s *seats) take(c candidate) {
	node := s.v.NodeOf(int(c.proc))
	room, _ := s.v.RoomOn(int(c.proc), s.j)
	if s.tasks[node] >= room {
		return
	}
	if s.tasks == nil {
		s.tasks, s.open = map[int32]int{}, map[int32][]candidate{}
	}
	s.tasks[node]++
	if s.j.Threads <= 1 {
		s.kept = append(s.kept, c)
		return
	}
	set := append(s.open[node], c)
	if len(set) == int(s.j.Threads) && !s.enough() {
		s.kept = append(s.kept, set...)
		set = set[:0]
	}
	s.open[node] = set
}

// enough reports whether there are as many as the job is wide.
func (s *seats) enough() bool { return len(s.kept) >= int(s.j.Width) }
