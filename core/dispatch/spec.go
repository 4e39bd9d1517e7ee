package dispatch

import (
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/task"
)

// Lane is the indexes of an array that one of so many lanes runs, one after the other.
func Lane(all *task.Span, lane, lanes int) *task.Span {
	if all == nil {
		return nil
	}
	step := max(1, all.Step)
	return &task.Span{First: all.First + lane*step, Step: lanes * step, Count: max(0, (all.Count-lane+lanes-1)/lanes)}
}

// Tasks are the specifications of a job's programs, one on each of the nodes
// named: like says what they have in common, with the patterns of their files, and
// lane what each of so many runs of an array.
func Tasks(like task.Spec, nodes []string, lane func(lane, lanes int) (*task.Span, []int)) []task.Spec {
	specs := make([]task.Spec, len(nodes))
	for rank := range nodes {
		s := like
		s.Rank, s.Size, s.Nodes = rank, len(nodes), nodes
		s.Output = Path(like.Output, s.Job, rank, s.Name)
		s.Error = Path(like.Error, s.Job, rank, s.Name)
		if lane != nil {
			s.Span, s.Elements = lane(rank, len(nodes))
		}
		specs[rank] = s
	}
	return specs
}

// Path fills the name of a file in: %j the job, %r the rank, %x the name of the
// job, numbers with zeros before them where they are to have more digits (%4j). %a, the
// element of an array, is for the node, and [task.BatchLetter] for the batch system.
func Path(pattern string, job int64, rank int, name string) string {
	if !strings.Contains(pattern, "%") {
		return pattern
	}
	pattern = task.FillPattern(pattern, 'j', strconv.FormatInt(job, 10))
	pattern = task.FillPattern(pattern, 'r', strconv.Itoa(rank))
	return strings.ReplaceAll(pattern, "%x", strings.ReplaceAll(name, "/", "-")) // last: a name may have any of them in it
}
