package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
)

// An array that was handed in as with sbatch is an array of Slurm's: each element is a job with a
// number of its own, which squeue, sacct and scancel know as 4711_3. What the market has sold is
// lanes, processors on nodes, through which elements go one after the other; so each is told its
// node and the element before it in its lane, whose end it waits for, and then all are let go: what
// follows is Slurm's, also while nobody of the market is there. The agents hold all elements on a
// node in one group.

// mostSwept is how many elements may be jobs of their own. Slurm is asked for all of them, time and
// again, as for the jobs of everybody else: without it one user could make that list longer than the
// market reads, and all would wait.
const mostSwept = 10_000

// arraysOf reports whether the tasks of a job are handed in so. Others are one job in Slurm, whose
// script runs the elements of a lane (writeLane): those of who has not spoken of sbatch, those in a
// reservation, those with numbers that Slurm has no room for, and those with very many.
func (b *Backend) arraysOf(specs []task.Spec, most int) bool {
	first := &specs[0]
	if first.Len() == 0 || !bySbatch(first) || first.Within != "" {
		return false
	}
	if all := allElements(specs); len(all) > mostSwept || slices.Max(all) >= most {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.takesArrays()
}

// sweeps reports whether what is asked for is handed in so. The lock is held.
func (b *Backend) sweeps(r *trade.Request, most int) bool {
	return r.Array != nil && valueOf(r.Env, submitDir) != "" && r.Reservation == "" && r.Array.Len() <= mostSwept && r.Array.Index(r.Array.Len()-1) < most && b.takesArrays()
}

// takesArrays reports whether arrays can be handed in so: Slurm can be told of elements, and the
// agents of all nodes hold elements together. Those of before, and those who have only the groups that
// Slurm makes of each (cgroup v2), do not. The lock is held.
func (b *Backend) takesArrays() bool {
	slurm, can := b.slurm.(client.Arrays)
	if !can || !slurm.Arrays() {
		return false
	}
	for _, n := range b.nodes {
		if n.hello != nil && !n.hello.Elements && b.cfg.Control != None {
			return false
		}
	}
	return true
}

// mayArray reports whether it is not known yet how an array is handed in: an agent has not said, since
// the backend was started, whether it holds elements together. Nothing is let go before it is there.
func (b *Backend) mayArray(first *task.Spec) bool {
	if first.Len() == 0 || !bySbatch(first) || b.cfg.Control == None {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(first.Nodes, func(name string) bool { n := b.nodes[name]; return n == nil || n.hello == nil })
}

// elementOf is one element of an array as a job of its own, on a node that is not known yet.
func elementOf(first task.Spec) task.Spec {
	first.Size, first.Rank, first.Nodes = 1, 0, []string{nowhereYet}
	first.Span, first.Elements = nil, nil
	return first
}

// spanned is all elements of a job as sbatch is told them: 1-9:2 where they go by a rule, which each
// is told of, too, and else 1-9,12.
func spanned(specs []task.Spec) string {
	elements := allElements(specs)
	if n := len(elements); specs[0].Span != nil && n > 1 && elements[1]-elements[0] > 1 {
		return fmt.Sprintf("%d-%d:%d", elements[0], elements[n-1], elements[1]-elements[0])
	}
	var words []string
	for i := 0; i < len(elements); {
		n := 1
		for i+n < len(elements) && elements[i+n] == elements[i]+n {
			n++
		}
		word := strconv.Itoa(elements[i])
		if n > 1 {
			word = fmt.Sprintf("%d-%d", elements[i], elements[i+n-1])
		}
		words = append(words, word)
		i += n
	}
	return strings.Join(words, ",")
}

// inLanes is what Slurm is told of an array: all elements, and that no more of them run at a time than
// there are lanes. Who cancels one that waits lets the one behind it go, which waits for its end alone;
// without that all others of a lane could be had to run at once, with memory and GPUs that were sold
// to others.
func inLanes(specs []task.Spec) string { return fmt.Sprintf("%s%%%d", spanned(specs), len(specs)) }

// allElements are those of all tasks of a job, in the order of their numbers.
func allElements(specs []task.Spec) []int {
	var all []int
	for i := range specs {
		for k := range specs[i].Len() {
			all = append(all, specs[i].Element(k))
		}
	}
	slices.Sort(all)
	return all
}

// array is what is known of a run whose job in Slurm is an array.
type array struct {
	is      bool
	lanes   map[int]int         // of each element: the rank that it is of; nil: the orders have not come
	done    map[int]finish      // those that have ended
	going   map[int]client.Job  // those that run
	oldest  int64               // when the first of those ended that are not, in unix seconds; 0: all are
	whole   bool                // those that Slurm had from the beginning are known
	at      int64               // when it was listed last, in unix seconds
	waiting []int               // those that Slurm holds, as it was then
	pending map[int]string      // those that it does not and has not started, with the node that each is to have
	told    map[int]int         // which other each was told to wait for, by this backend; not in it: the one before
	few     bool                // Slurm has been told that fewer may run at a time than were sold
	excess  []client.Job        // elements that run beside as many as were sold
	loose   bool                // some wait for one that has ended, and not all before them have
	members map[string][]string // by node: the numbers in Slurm of those that run there
	struck  []client.Job        // elements that ended as if their node was shut down, while nobody has looked
	stuck   string              // why none runs, and none is begun; empty: it is not so
	stuckAt int64               // since when, in unix seconds
	last    map[int]int64       // of each that was seen to run: since when it did last, in unix seconds
	back    map[int]bool        // those that somebody has put back, which wait to be let go once more
}

// finish is how an element ended.
type finish struct {
	State   client.State `json:"state"`
	Exit    int          `json:"exit,omitempty"`
	Signal  int          `json:"signal,omitempty"`
	Started int64        `json:"started,omitempty"` // unix seconds
	Ended   int64        `json:"ended,omitempty"`
	Paused  int64        `json:"paused,omitempty"`
}

// good reports whether it did what it was meant to.
func (f *finish) good() bool { return f.State == client.Completed }

// lost reports whether it has to be begun again.
func (f *finish) lost() bool {
	switch f.State {
	case client.Completed, client.Failed, client.NoMemory, client.Cancelled, client.Timeout, client.Deadline:
		return false
	default:
		return true
	}
}

// laneOf says of which rank each element of a run is; nil: its orders have not come.
func (r *run) laneOf() map[int]int {
	if r.array.lanes == nil && r.complete() {
		r.array.lanes = r.lanes()
	}
	return r.array.lanes
}

// lanes are those of the orders that there are.
func (r *run) lanes() map[int]int {
	lanes := map[int]int{}
	for rank, o := range r.orders {
		for k := range o.Spec.Len() {
			lanes[o.Spec.Element(k)] = rank
		}
	}
	return lanes
}

// heardOf reports whether the market has said what it wants of all nodes of a run. The lock is held.
func (b *Backend) heardOf(r *run) bool {
	for _, name := range r.Nodes {
		if n := b.nodes[name]; n == nil || !n.attention.informed() {
			return false
		}
	}
	return true
}
