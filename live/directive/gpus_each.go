package directive

import (
	"errors"
	"fmt"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// perGPU is what sbatch is told that goes with each GPU. What is not said is 0.
type perGPU struct {
	tasks      int
	processors int
	memoryMB   int64
}

// What sbatch says of two words for one thing.
const (
	errTwiceCPUs  = notHad("--cpus-per-task, --tres-per-task=cpu, and --cpus-per-gpu are mutually exclusive")
	errTwiceTasks = notHad("--ntasks-per-gpu says how many tasks there are: not with --gpus-per-task or --ntasks-per-node")
)

// memoryOfGPU reads how much memory goes with each.
func (o *occurrence) memoryOfGPU() error {
	mb, err := slurmMemory(o.value)
	if err != nil {
		return err
	}
	o.width.perGPU.memoryMB, o.width.last = mb, o
	o.width.memories |= ofGPU
	return nil
}

// tresOfTask reads what a task has as newer releases say it: cpu=2,gres/gpu:a100=1.
func (o *occurrence) tresOfTask() error {
	var perTask int
	var some someGPUs
	for entry := range strings.SplitSeq(o.value, ",") {
		at := strings.LastIndexAny(entry, "=:")
		if at < 0 {
			return fmt.Errorf("%q: want cpu=2 or gres/gpu=1, with commas between them", entry)
		}
		name, count := entry[:at], entry[at+1:]
		kind, ofGPUs := strings.CutPrefix(name, "gres/gpu")
		var err error
		switch {
		case name == "cpu":
			perTask, err = processors(count)
		case ofGPUs && (kind == "" || kind[0] == ':'):
			some.kind, some.n, err = market.ParseGPUs(strings.TrimPrefix(kind+":"+count, ":"))
		default:
			err = notHad(name + ": of a task it says processors and GPUs alone (cpu=2, gres/gpu=1)")
		}
		if err != nil {
			return err
		}
	}
	if perTask > 0 {
		o.width.perTask = perTask
	}
	if some.n > 0 {
		o.width.gpus.task = some
	}
	o.width.last = o
	return nil
}

// sizeByEach settles on how many tasks and processors a job is to have that says how many go with
// each of its GPUs.
func (w *width) sizeByEach() error {
	each := w.perGPU
	if each == (perGPU{}) {
		return nil
	}
	if each.tasks > 0 {
		if err := w.tasksByGPU(each.tasks); err != nil {
			return err
		}
	}
	all, err := w.allGPUs()
	if err != nil {
		return err
	}
	if all == 0 {
		return notHad("what goes with each GPU is said, and not how many there are (--gpus, --gres=gpu:2)")
	}
	if each.memoryMB > 0 {
		if w.memoryJob = each.memoryMB * int64(all); w.memoryJob/each.memoryMB != int64(all) {
			return ErrSize
		}
	}
	if each.processors == 0 {
		return nil
	}
	if w.perTask > 0 && !w.byGPU {
		return errTwiceCPUs
	}
	tasks, n := w.tasks, all*each.processors
	if tasks == 0 {
		tasks = max(1, w.nodes) * max(1, w.perNode)
	}
	if n > market.MaxWidth {
		return errTooWide
	}
	if n%tasks != 0 {
		return fmt.Errorf("%d processors for %d GPUs are not the same number for each of %d tasks", n, all, tasks)
	}
	w.perTask, w.byGPU = n/tasks, true
	return nil
}

// tasksByGPU settles on the tasks of a job of whose GPUs each has so many, or on its GPUs.
func (w *width) tasksByGPU(each int) error {
	if w.gpus.task.n > 0 || w.perNode > 0 {
		return errTwiceTasks
	}
	all, err := w.allGPUs()
	switch {
	case err != nil:
		return err
	case all > 0 && w.tasks > 0 && w.tasks != all*each:
		return fmt.Errorf("%d tasks are not %d for each of %d GPUs", w.tasks, each, all)
	case all > market.MaxWidth/each:
		return errTooWide
	case all > 0:
		w.tasks = all * each
	case w.tasks == 0:
		return errors.New("--ntasks-per-gpu wants a number of GPUs (--gpus), or of tasks (-n)")
	case w.tasks%each != 0:
		return fmt.Errorf("%d tasks are not %d for each of some GPUs", w.tasks, each)
	default:
		w.gpus.job.n = w.tasks / each
		if w.nodes == 0 {
			w.nodes, w.mostNodes = 1, 1 // where sbatch puts it if it can
		}
	}
	return nil
}

// allGPUs is how many GPUs a job has in all; 0: none are said.
func (w *width) allGPUs() (int, error) {
	node, err := w.gpus.each()
	switch tasks := w.tasks; {
	case err != nil:
		return 0, err
	case w.gpus.job.n > 0:
		return w.gpus.job.n, nil
	case w.gpus.task.n > 0:
		if tasks == 0 {
			tasks = max(1, w.nodes) * max(1, w.perNode)
		}
		return tasks * w.gpus.task.n, nil
	default:
		return node.n * max(1, w.nodes), nil
	}
}

// tellEach sets what sbatch would tell the job of it.
func (p *perGPU) tellEach(h *Head) {
	for _, said := range []struct {
		name string
		n    int64
	}{{"NTASKS", int64(p.tasks)}, {"CPUS", int64(p.processors)}, {"MEM", p.memoryMB}} {
		if said.n > 0 {
			h.told = append(h.told, fmt.Sprintf("SLURM_%s_PER_GPU=%d", said.name, said.n))
		}
	}
}
