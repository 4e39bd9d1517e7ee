package directive

import (
	"errors"
	"fmt"
	"math"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// width is the size of a job in the words of other systems: tasks of several
// processors on nodes with memory. What is not said is 0.
type width struct {
	tasks   int
	perTask int // processors of a task
	nodes   int
	named   int // nodes that it names
	perNode int // tasks on a node

	mostNodes int // where a number of nodes is meant: of a range of them
	total     int // processors, all told

	memoryNode int64 // MB on each node
	memoryProc int64 // MB on each processor
	memoryJob  int64 // MB, all told

	memories memories // how sbatch was told of it

	whole     bool // all processors of its nodes
	spares    bool // more processors than its tasks need, since they do not divide among its nodes
	allMemory bool // all memory of its nodes

	gpus   gpus
	perGPU perGPU
	byGPU  bool // processors of a task are said by GPUs alone

	last *occurrence // what a note about the size refers to
}

// memories are the ways in which sbatch is told of memory. It takes one of them.
type memories uint8

const (
	ofNode memories = 1 << iota
	ofProcessor
	ofGPU
)

// errMemories is what sbatch says of that.
const errMemories = notHad("--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.")

var errTooWide = errors.New("the job is wider than any cluster")

// processors is how many the job has in all, 0 if nothing was said.
func (w *width) processors() (int, error) {
	n := int64(w.total)
	perTask, nodes := int64(max(1, w.perTask)), int64(max(1, w.nodes))
	switch {
	case n > 0:
	case w.tasks > 0:
		n = int64(w.tasks) * perTask
	case w.nodes > 0 || w.perNode > 0 || w.perTask > 0:
		n = nodes * int64(max(1, w.perNode))
		if n <= market.MaxWidth {
			n *= perTask
		}
	}
	if n > market.MaxWidth {
		return 0, errTooWide
	}
	return int(n), nil
}

// apply turns it into what the market sells: processors, each with memory.
func (w *width) apply(h *Head) error {
	h.Request.Spread, h.Spreads, h.Packs, h.all = false, nil, nil, width{}
	if err := errors.Join(w.byName(h), w.sizeByGPUs(), w.sizeByEach()); err != nil {
		return err
	}
	n, err := w.processors()
	if err != nil {
		return err
	}
	threads := max(1, w.perTask)
	if w.whole || w.allMemory { // nodes say how much that is
		h.all = *w
		w.tell(h, n/threads)
		return nil
	}
	tasks := n / threads
	ways := w.spread(tasks)
	switch {
	case h.Request.Array != nil && tasks > 1 && w.total == 0:
		if ways, err = w.ofElement(tasks); err != nil {
			return err
		}
	case len(ways) > 0 && !h.sbatch: // who asks cannot ask again
		ways = ways[len(ways)-1:]
	case w.oneEach() && h.Request.Array == nil:
		ways = w.downwards()
		tasks, n = ways[0], ways[0]*threads
	case len(ways) > 0 && w.gpus == (gpus{}):
		ways = w.orUneven(ways, tasks)
	case len(ways) == 0 && h.sbatch:
		if ways, n, err = w.spare(tasks, n); err != nil {
			return err
		}
	}
	if n > 0 {
		h.Request.Processors = n
	}
	h.tasks, h.perTask, h.oneEach = tasks, threads, w.oneEach()
	if h.sbatch && h.Request.Array == nil && len(ways) == 0 && w.tasks > 1 && w.total == 0 && w.nodes == 0 && w.perNode == 0 && w.gpus == (gpus{}) {
		h.Packs = packs(w.tasks)
	}
	among := int64(max(1, n))
	h.nodeMB = 0
	switch {
	case w.memoryProc > 0:
		h.Request.MemoryMB = w.memoryProc
	case w.memoryJob > 0:
		h.Request.MemoryMB = (w.memoryJob + among - 1) / among
	case w.memoryNode > 0:
		nodes := max(1, w.nodes)
		if len(ways) > 0 {
			nodes = ways[0]
		}
		if w.memoryNode > (math.MaxInt64-among)/int64(nodes) {
			return fmt.Errorf("%w: %d MB on %d nodes is too much", ErrSize, w.memoryNode, nodes)
		}
		h.nodeMB = w.memoryNode
		h.Request.MemoryMB = h.memoryOn(nodes, among)
	}
	w.tell(h, tasks)
	switch {
	case len(ways) > 0: // so many on each node: they are sold as what has to be on one, and not two of them on one
		threads = n / ways[0]
		h.Request.Spread = ways[0] > 1
		if w.gpus == (gpus{}) && len(ways) > 1 {
			h.Spreads = ways
		}
	case w.nodes > 0 && n > w.nodes*threads && w.last != nil:
		w.last.note("tasks are put wherever processors are free, on more nodes than that perhaps: they are not the same number on each")
	}
	if threads > 1 {
		h.Request.Threads = threads
	}
	if err = w.applyGPUs(h, max(1, n/max(1, w.perTask)), max(1, n/threads)); err != nil {
		return err
	}
	if n /= threads; n > 1 && w.last != nil {
		h.Request.Once = true // as their systems do
		w.last.note(fmt.Sprintf("on Slurm the script starts once; Libra's own agents start it %d times and tell each its LIBRA_RANK", n))
		h.Notes[len(h.Notes)-1].Agents = true
	}
	return nil
}

// spread is on how many nodes so many tasks may be, as many on each, the most first; none:
// anywhere. Where there are fewer tasks than nodes each has one of its own, as by sbatch; on fewer than
// have room for all no tasks are, where so few are not all that it may have.
func (w *width) spread(tasks int) []int {
	switch each := w.perNode; {
	case w.total > 0:
		return nil
	case each > 0 && tasks%each == 0 && (w.nodes == 0 || tasks/each >= w.nodes && tasks/each <= w.mostNodes):
		return []int{tasks / each}
	}
	var ways []int
	for nodes := w.mostNodes; nodes > 0 && nodes >= min(w.nodes, tasks); nodes-- {
		if tasks >= nodes && tasks%nodes == 0 && nodes >= w.fewest(tasks) {
			ways = append(ways, nodes)
		}
	}
	return ways
}

// mostPacks is how many of these are tried.
const mostPacks = 4

// packs are the fewest nodes on which so many tasks can be packed, as many on each.
func packs(tasks int) (nodes []int) {
	for n := 1; n < tasks && len(nodes) < mostPacks; n++ {
		if tasks%n == 0 {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// oneEach reports whether nothing is said of a job but a range of nodes: it has a task on each of them.
func (w *width) oneEach() bool {
	return w.nodes < w.mostNodes && w.tasks == 0 && w.perNode == 0 && w.total == 0 && w.gpus == (gpus{})
}

// mostWays is how many numbers of nodes are tried: each is a question to the market.
const mostWays = 64

// downwards are the numbers of nodes of a range, the most first.
func (w *width) downwards() []int {
	var ways []int
	for nodes := min(w.mostNodes, w.nodes+mostWays-1); nodes >= w.nodes; nodes-- {
		ways = append(ways, nodes)
	}
	return ways
}

// fewest is the least number of nodes that so many tasks can be on, of which a node has no more than
// it may; 0: nobody says how many it may, or they cannot be on so few.
func (w *width) fewest(tasks int) int {
	if w.perNode == 0 {
		return 0
	}
	n := max(w.nodes, (tasks+w.perNode-1)/w.perNode)
	if w.mostNodes > 0 && n > w.mostNodes || n > tasks {
		return 0
	}
	return n
}

// orUneven adds the fewest nodes to those that tasks may be on, where a node has so many at most: if
// there is no room on the others, it is these, as by sbatch, on each of which as many processors are
// paid for as on the fullest.
func (w *width) orUneven(ways []int, tasks int) []int {
	n := w.fewest(tasks)
	if n < 2 || n >= ways[len(ways)-1] || w.nodes == w.mostNodes || w.last == nil {
		return ways
	}
	w.last.note(fmt.Sprintf("where there is no room on %d nodes they are on %d, and as many processors are paid for on each as on the fullest", ways[len(ways)-1], n))
	return append(ways, n)
}

// spare is on how many nodes tasks are that do not divide among those that are asked for, and how
// many processors they have in all: on each as many as on the fullest, since what is sold is
// alike. Without GPUs, which are nobody's to spare; on no number of nodes where none was asked for,
// or the tasks are not for it: they are put wherever processors are free.
func (w *width) spare(tasks, processors int) (ways []int, all int, err error) {
	nodes := w.nodes
	if w.nodes == 0 || w.nodes < w.mostNodes {
		nodes = max(nodes, w.fewest(tasks))
	}
	if nodes < 2 || tasks <= nodes || w.total > 0 || w.gpus != (gpus{}) {
		return nil, processors, nil
	}
	each := (tasks + nodes - 1) / nodes
	if w.perNode > 0 && each > w.perNode {
		return nil, processors, nil
	}
	each *= max(1, w.perTask)
	if all = nodes * each; all > market.MaxWidth {
		return nil, processors, errTooWide
	}
	w.spares = true
	if w.last != nil {
		w.last.note(fmt.Sprintf("%d tasks do not divide among %d nodes: each has as many processors as the fullest, %d, and they are paid for", tasks, nodes, each))
	}
	return []int{nodes}, all, nil
}

// tell sets what sbatch would tell the job of its size: what was asked for, and nothing
// else.
func (w *width) tell(h *Head, tasks int) {
	if !h.sbatch {
		return
	}
	h.told = nil
	say := func(name string, n int) { h.told = append(h.told, fmt.Sprintf("SLURM_%s=%d", name, n)) }
	if w.tasks > 0 || w.perNode > 0 {
		say("NTASKS", tasks)
		say("NPROCS", tasks)
	}
	if w.perNode > 0 {
		say("NTASKS_PER_NODE", w.perNode)
	}
	if w.perTask > 0 && !w.byGPU {
		say("CPUS_PER_TASK", w.perTask)
	}
	if w.memoryProc > 0 {
		h.told = append(h.told, fmt.Sprintf("SLURM_MEM_PER_CPU=%d", w.memoryProc))
	}
	if w.memoryNode > 0 {
		h.told = append(h.told, fmt.Sprintf("SLURM_MEM_PER_NODE=%d", w.memoryNode))
	}
	if w.spares {
		h.told = append(h.told, task.Spare+"=yes")
	}
	w.gpus.tellGPUs(h)
	w.perGPU.tellEach(h)
}

// wrong says where the size was last spoken of.
func (w *width) wrong(file string, err error) error {
	if w.last == nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return w.last.reader.wrong(w.last.line, w.last.text, err)
}
