package slurm

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/task"
)

// layout is a job as Slurm knows jobs: tasks of some processors, on nodes.
type layout struct {
	tasks      int
	elements   int            // that are run at a time; 0: it is no array
	perTask    int            // processors of each
	whole      bool           // it has all processors of its nodes, and perhaps fewer tasks
	on         map[string]int // processors on each node
	devices    bool           // its nodes have GPUs, and Slurm says whose they are
	usual      int64          // MB of each processor of a job that does not say
	memory     int64          // MB of each processor, where that is what Slurm is asked for; 0: it is for nodes
	onNode     int64          // MB of each node, where somebody has asked for that and it is so; 0: nobody has
	launchers  []string       // what launchers of MPI are told
	perTaskToo bool           // processors of a task are told as TRES, too
	fits       bool           // no node has more of it than Slurm says that it has processors
	even       bool           // as many on each node, too: Slurm needs no help
	later      bool           // its node is not known yet: the script finds out
	array      bool           // it is an element of an array of Slurm's
}

// layoutOf is how the tasks of a job lie, given by rank, on nodes of which the smallest
// has so many processors; 0: nobody knows. A job that was handed in as with sbatch says
// how many tasks it wants; the programs that were sold may be several of them, on one node.
func layoutOf(specs []task.Spec, narrowest int) layout {
	first := &specs[0]
	l := layout{on: map[string]int{}}
	for i, name := range first.Nodes {
		if i < len(specs) {
			l.on[name] += first.Processors()
		}
	}
	programs := len(specs) // whose tasks it says the number of
	if first.Len() > 0 {   // an element says its own
		l.elements, programs = programs, 1
	}
	l.divide(first, programs)
	l.tasks *= max(1, l.elements)
	least, most := math.MaxInt, 0
	for _, n := range l.on {
		least, most = min(least, n), max(most, n)
	}
	// Slurm counts tasks in the order of its nodes; who knows of sbatch alone knows no other.
	ordered := bySbatch(first) || slices.IsSorted(first.Nodes)
	l.fits = most <= narrowest
	l.even = least == most && (l.whole || most%l.perTask == 0) && l.fits && ordered
	return l
}

// divide says into how many tasks the processors of some programs are divided. Who was handed
// in as with sbatch, and has more of them than its tasks need, has asked for all of its nodes.
func (l *layout) divide(first *task.Spec, programs int) {
	n, _ := strconv.Atoi(valueOf(first.Env, "SLURM_NTASKS"))
	each, _ := strconv.Atoi(valueOf(first.Env, "SLURM_CPUS_PER_TASK"))
	each = max(1, each)
	all := programs * first.Processors()
	switch {
	case bySbatch(first) && each <= first.Processors() && n <= all/each && max(n, programs)*each < all:
		l.whole, l.tasks, l.perTask = true, n, each
		if n <= 0 {
			l.tasks = first.Processors() / each * programs
		}
		return
	case n >= programs && all%n == 0 && n%programs == 0:
		l.tasks = n
	default:
		l.tasks = programs
	}
	l.perTask = all / l.tasks
}

// valueOf is what a variable is set to; empty: it is not.
func valueOf(env []string, name string) string {
	value := ""
	for _, setting := range env {
		if v, is := strings.CutPrefix(setting, name+"="); is {
			value = v
		}
	}
	return value
}

// bySbatch reports whether a job was handed in as with sbatch, which tells it of what it
// asked for, and of nothing else.
func bySbatch(s *task.Spec) bool { return valueOf(s.Env, submitDir) != "" }

const submitDir = "SLURM_SUBMIT_DIR"

// told is what a job is told of its size, in words for env(1), where Slurm believes
// something else than what was asked for.
func (l *layout) told(specs []task.Spec) []string {
	s := &specs[0]
	var words []string
	if bySbatch(s) {
		words = append(words, "-u SLURM_NTASKS", "-u SLURM_NPROCS", "-u SLURM_CPUS_PER_TASK", "-u SLURM_NTASKS_PER_NODE")
		words = append(words, l.named(s)...)
		if s.GPUs > 0 {
			words = append(words, "-u SLURM_GPUS", "-u SLURM_GPUS_PER_NODE", "-u SLURM_GPUS_PER_TASK")
		}
	}
	if valueOf(s.Env, task.AllMemory) != "" || valueOf(s.Env, "SLURM_MEM_PER_GPU") != "" {
		words = append(words, untoldMemory...)
	}
	if s.Len() > 0 && s.Size > 1 {
		words = append(words, l.element(s)...)
	} else if l.whole && l.even {
		words = append(words, quote("SLURM_TASKS_PER_NODE="+l.perNode()))
		if l.spares(s) { // as sbatch tells of what its tasks need
			words = append(words, quote("SLURM_JOB_CPUS_PER_NODE="+l.neededPerNode()), fmt.Sprintf("SLURM_CPUS_ON_NODE=%d", l.tasksOn(0)*l.perTask))
		}
	}
	if s.Once && s.Size > 1 && !l.even {
		words = append(words, quote("SLURM_TASKS_PER_NODE="+l.perNode()))
		if l.fits && bySbatch(s) { // Slurm has set aside as many on each node as on the fullest
			words = append(words, quote("SLURM_JOB_CPUS_PER_NODE="+l.processorsPerNode()), fmt.Sprintf("SLURM_CPUS_ON_NODE=%d", l.on[slices.Min(s.Nodes)]))
		}
	}
	// Who says on how many nodes it is to be, and of tasks nothing, is told of none: srun has one on each.
	unsaid := bySbatch(s) && valueOf(s.Env, "SLURM_NTASKS") == "" && l.even && (l.whole || l.tasks == len(l.on))
	if s.Once && s.Size > 1 && !unsaid {
		n := strconv.Itoa(l.tasks)
		words = append(words, "SLURM_NTASKS="+n, "SLURM_NPROCS="+n)
	}
	if s.Threads > 1 && !bySbatch(s) {
		threads := strconv.Itoa(s.Threads)
		words = append(words, "SLURM_CPUS_PER_TASK="+threads, "OMP_NUM_THREADS="+threads)
	}
	// Of GPUs of each task it would say as well, which the market says in a variable of their own.
	if each := valueOf(s.Env, "SLURM_CPUS_PER_TASK"); l.perTaskToo && each != "" && valueOf(s.Env, "SLURM_GPUS_PER_TASK") == "" {
		words = append(words, quote("SLURM_TRES_PER_TASK=cpu="+each))
	}
	return withdrawnFirst(append(words, l.launchers...))
}

// withdrawnFirst puts what env(1) takes away before what it sets: after that it takes no options.
func withdrawnFirst(words []string) []string {
	rank := func(word string) int {
		if strings.HasPrefix(word, "-u ") {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(words, func(x, y string) int { return cmp.Compare(rank(x), rank(y)) })
	return words
}

// named is the name of a job that was handed in as with sbatch: not everyone who hands in to Slurm
// tells it. One of a script that came by standard input has none before 24.11.
func (l *layout) named(s *task.Spec) []string {
	switch {
	case s.Name != unnamed || len(s.Script) == 0 || shownCommand(s) != nil:
		return []string{quote("SLURM_JOB_NAME=" + s.Name)}
	case !l.perTaskToo:
		return []string{"-u SLURM_JOB_NAME"}
	default:
		return nil
	}
}

// unnamed is what sbatch calls a script that it reads from its standard input.
const unnamed = "sbatch"

// memoryOf is the memory of a processor that a job was handed in with, as by sbatch
// --mem-per-cpu, where that is what it has; 0: it was not, or Slurm sets aside fewer processors
// than it was sold.
func memoryOf(s *task.Spec, most, cpus int) int64 {
	each, err := strconv.ParseInt(valueOf(s.Env, memoryEach), 10, 64)
	if err != nil || each <= 0 || each > megabytes(s.Memory) || each*int64(s.Processors()) != megabytes(s.Memory) || most*s.Processors() != cpus {
		return 0
	}
	return each
}

// memoryOnNode is the memory of a node that a job was handed in with, as by sbatch --mem, where
// so many of its programs on one have as much, but for what was rounded up for each processor; 0:
// it was not, or they have another.
func memoryOnNode(s *task.Spec, programs int) int64 {
	asked, err := strconv.ParseInt(valueOf(s.Env, memoryNode), 10, 64)
	more := megabytes(s.Memory)*int64(programs) - asked
	if err != nil || asked <= 0 || more < 0 || more >= int64(programs*s.Processors()) {
		return 0
	}
	return asked
}

// untoldMemory is what a job is not told that has all memory of its nodes, or so much with each GPU, as by sbatch.
var untoldMemory = []string{"-u " + memoryNode, "-u " + memoryEach}

// How a script is told of the memory of a processor, and of a node. One that is told of both has
// an srun that takes neither.
const (
	memoryEach = "SLURM_MEM_PER_CPU"
	memoryNode = "SLURM_MEM_PER_NODE"
)

// kept are the variables of a job that are so: of tasks on a node it is told no number
// that they do not have, and of memory what Slurm was asked for.
func (l *layout) kept(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		return l.memory == 0 && strings.HasPrefix(e, memoryEach+"=") || strings.HasPrefix(e, memoryNode+"=")
	})
	if n, err := strconv.Atoi(valueOf(env, "SLURM_NTASKS_PER_NODE")); err != nil || l.whole || n*max(len(l.on), l.elements) == l.tasks {
		return env
	}
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, "SLURM_NTASKS_PER_NODE=") })
}

// perNode is how many tasks are on each node, in Slurm's words: 2(x3),1.
func (l *layout) perNode() string {
	return l.inWords(func(i, processors int) int {
		if l.whole {
			return l.tasksOn(i)
		}
		return max(1, processors/l.perTask)
	})
}

// tasksOn is how many are on the i-th node of a job that has all processors of its nodes: as many on
// each, and those that are left on the first.
func (l *layout) tasksOn(i int) int { return (l.tasks + len(l.on) - 1 - i) / len(l.on) }

// spares reports whether it has more processors than its tasks need, without having asked for them.
func (l *layout) spares(s *task.Spec) bool {
	return l.whole && l.even && s.Once && s.Size > 1 && valueOf(s.Env, task.Spare) != ""
}

// neededPerNode is how many processors the tasks on each node need.
func (l *layout) neededPerNode() string {
	return l.inWords(func(i, _ int) int { return l.tasksOn(i) * l.perTask })
}

// processorsPerNode is the same of processors.
func (l *layout) processorsPerNode() string {
	return l.inWords(func(_, processors int) int { return processors })
}

// inWords is how many there are on each node of what is so often on the i-th, which has so many
// processors.
func (l *layout) inWords(of func(i, processors int) int) string {
	var parts []string
	last, times := 0, 0
	end := func() {
		if times > 1 {
			parts = append(parts, fmt.Sprintf("%d(x%d)", last, times))
		} else if times == 1 {
			parts = append(parts, strconv.Itoa(last))
		}
	}
	for i, name := range slices.Sorted(maps.Keys(l.on)) {
		n := of(i, l.on[name])
		if n != last {
			end()
			last, times = n, 0
		}
		times++
	}
	end()
	return strings.Join(parts, ",")
}

// sweep is what the elements of an array are told of all of them.
func sweep(specs []task.Spec) []string {
	if asked := sweepAsked(&specs[0]); asked != nil {
		return asked
	}
	var all []int
	for i := range specs {
		for k := range specs[i].Len() {
			all = append(all, specs[i].Element(k))
		}
	}
	slices.Sort(all)
	step := 1
	if len(all) > 1 {
		step = all[1] - all[0]
	}
	for i := 2; i < len(all); i++ {
		if all[i]-all[i-1] != step {
			step = 1 // of a list
			break
		}
	}
	return []string{
		fmt.Sprintf("SLURM_ARRAY_TASK_COUNT=%d", len(all)), fmt.Sprintf("SLURM_ARRAY_TASK_MIN=%d", all[0]),
		fmt.Sprintf("SLURM_ARRAY_TASK_MAX=%d", all[len(all)-1]), fmt.Sprintf("SLURM_ARRAY_TASK_STEP=%d", step),
	}
}

// sweepAsked is that of all elements that were asked for, where it may be that not all of them run;
// nil: they do.
func sweepAsked(s *task.Spec) []string {
	numbers := strings.Fields(valueOf(s.Env, task.Array))
	if len(numbers) != 4 {
		return nil
	}
	var words []string
	for i, name := range []string{"COUNT", "MIN", "MAX", "STEP"} {
		if strings.Trim(numbers[i], "0123456789") != "" { // it is in a script of a shell
			return nil
		}
		words = append(words, "SLURM_ARRAY_TASK_"+name+"="+numbers[i])
	}
	return words
}
