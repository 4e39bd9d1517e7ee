package directive

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/task"
)

// sbatchOptions are those of Slurm's sbatch. What shapes a job and cannot be
// had here is refused, so that no job runs without what it relies on.
var sbatchOptions = append([]option{
	{names: []string{"-J", "--job-name"}, takes: aValue, set: func(o *occurrence) error { o.Request.Name = o.value; return nil }},
	{names: []string{"-A", "--account"}, takes: aValue, set: func(o *occurrence) error { o.Request.Account = o.value; return nil }},
	{names: []string{"-D", "--chdir", "--workdir"}, takes: aValue, set: func(o *occurrence) error { o.Request.Dir = o.value; return nil }},
	{names: []string{"-n", "--ntasks"}, takes: aValue, set: statusOne(size(func(w *width) *int { return &w.tasks }))},
	{names: []string{"-c", "--cpus-per-task"}, takes: aValue, set: statusOne(size(func(w *width) *int { return &w.perTask }))},
	{names: []string{"-N", "--nodes"}, takes: aValue, set: (*occurrence).nodeRange},
	{names: []string{"--ntasks-per-node", "--tasks-per-node"}, takes: aValue, set: statusOne(size(func(w *width) *int { return &w.perNode }))},
	{names: []string{"-G", "--gpus"}, takes: aValue, set: devices(func(g *gpus) *someGPUs { return &g.job })},
	{names: []string{"--gpus-per-node"}, takes: aValue, set: devices(func(g *gpus) *someGPUs { return &g.node })},
	{names: []string{"--gpus-per-task"}, takes: aValue, set: devices(func(g *gpus) *someGPUs { return &g.task })},
	{names: []string{"--gres"}, takes: aValue, set: (*occurrence).gres},
	{names: []string{"-t", "--time"}, takes: aValue, set: (*occurrence).time},
	{names: []string{"--deadline"}, takes: aValue, set: func(o *occurrence) error {
		ms, err := slurmDeadline(o.value, o.at.Now)
		o.dueAt = true
		return put(&o.Request.DeadlineMS, ms, err)
	}},
	{names: []string{"--mem"}, takes: aValue, set: (*occurrence).memoryOfNode},
	{names: []string{"--mem-per-cpu"}, takes: aValue, set: func(o *occurrence) error {
		mb, err := slurmMemory(o.value)
		if err != nil {
			return err
		}
		o.width.memoryNode, o.width.memoryProc, o.width.allMemory = 0, mb, false
		o.width.memories |= ofProcessor
		return nil
	}},
	{names: []string{"--tmp"}, takes: aValue, set: func(o *occurrence) error {
		mb, err := Megabytes(o.value)
		return put(&o.Request.DiskMB, mb, err)
	}},
	{names: []string{"-o", "--output"}, takes: aValue, set: func(o *occurrence) error {
		name, err := o.slurmFile(o.value, true)
		return put(&o.Request.Output, name, err)
	}},
	{names: []string{"-e", "--error"}, takes: aValue, set: func(o *occurrence) error {
		name, err := o.slurmFile(o.value, true)
		return put(&o.Request.Error, name, err)
	}},
	{names: []string{"-i", "--input"}, takes: aValue, set: func(o *occurrence) error {
		switch {
		case !o.sbatch && (o.value == "none" || o.value == "/dev/null"):
			return nil
		case o.value == "none":
			o.pass(task.Input, "/dev/null")
			return nil
		case !o.sbatch:
			return errors.New("jobs read nothing from standard input; open the file in the script, or hand it in with libra sbatch")
		}
		name, err := o.slurmFile(o.value, false)
		if err == nil {
			o.pass(task.Input, name)
		}
		return err
	}},
	{names: []string{"-a", "--array"}, takes: aValue, set: statusOne(func(o *occurrence) error { return o.sweep(o.value) })},
	{names: []string{"-d", "--dependency"}, takes: aValue, set: statusOne((*occurrence).follow)},
	{names: []string{"--export"}, takes: aValue, set: func(o *occurrence) error { return o.export(o.value) }},
	{names: []string{"--comment"}, takes: aValue, set: (*occurrence).comment},
	{names: []string{"--no-requeue"}, set: (*occurrence).noRequeue},
	{names: []string{"-b", "--begin"}, takes: aValue, set: (*occurrence).beginAt},
	{names: []string{"-H", "--hold"}, set: func(o *occurrence) error { o.Request.Hold = true; return nil }},
	{names: []string{"-w", "--nodelist"}, takes: aValue, set: (*occurrence).onNamed},
	{names: []string{"-x", "--exclude"}, takes: aValue, set: func(o *occurrence) error { return o.exclude(o.value) }},
	{names: []string{"-C", "--constraint"}, takes: aValue, set: func(o *occurrence) error { return o.constraint(o.value) }},
	{names: []string{"-p", "--partition"}, takes: aValue, set: func(o *occurrence) error { return o.partition(o.value) }},
	{names: []string{"--reservation"}, takes: aValue, set: func(o *occurrence) error { return o.reservation(o.value) }},
	{names: []string{"--mail-type"}, takes: aValue, set: (*occurrence).mail},
	{names: []string{"--mail-user"}, takes: aValue, set: passed(task.MailUser, checkWord)},
	{names: []string{"--signal"}, takes: aValue, set: passed(task.Signal, checkSignal)},
	{names: []string{"--requeue"}, set: (*occurrence).requeue},
}, append(sbatchOthers, sbatchRest...)...)

var sbatchOthers = []option{
	{names: []string{"-q", "--qos"}, takes: aValue, set: statusOne(func(o *occurrence) error { return o.qos(o.value) })},
	{names: []string{"--priority"}, takes: aValue, idle: "deadline, budget and penalty say how a job is served"},
	{names: []string{"--nice"}, takes: perhapsA, idle: "deadline, budget and penalty say how a job is served"},
	{names: []string{"--wckey"}, takes: aValue, idle: "Libra has no such keys"},
	{names: []string{"--acctg-freq"}, takes: aValue, idle: "Libra measures as it sees fit"},
	{names: []string{"--profile"}, takes: aValue, idle: "Libra keeps no profiles"},
	{names: []string{"--get-user-env"}, takes: perhapsA, set: func(o *occurrence) error { o.pass(task.Login, "yes"); return nil }},
	{names: []string{"--propagate"}, takes: perhapsA, set: statusOne((*occurrence).propagate)},
	{names: []string{"--open-mode"}, takes: aValue, set: (*occurrence).openMode},
	{names: []string{"--time-min"}, takes: aValue, idle: "an estimate is not cut short"},
	{names: []string{"--hint"}, takes: aValue, set: (*occurrence).hint},
	{names: []string{"--threads-per-core"}, takes: aValue, set: numberForSteps("SLURM_THREADS_PER_CORE")},
	{names: []string{"--mincpus"}, takes: aValue, idle: "processors are chosen by the market"},
	{names: []string{"-m", "--distribution"}, takes: aValue, set: (*occurrence).distribution},
	{names: []string{"--switches"}, takes: aValue, idle: "processors are chosen by the market"},
	{names: []string{"--spread-job"}, idle: "processors are chosen by the market"},
	{names: []string{"--use-min-nodes"}, idle: "processors are chosen by the market"},
	{names: []string{"--parsable"}, set: manner("say --json to libra submit", func(m *Manner) { m.Parsable = true })},
	{names: []string{"-Q", "--quiet"}, idle: itself}, // in a script sbatch passes it over, too
	{names: []string{"-v", "--verbose"}, idle: "it is for sbatch itself"},
	{names: []string{"-W", "--wait"}, set: manner("say --wait to libra submit", func(m *Manner) { m.Wait = true })},

	{names: []string{"--exclusive"}, takes: perhapsA, set: (*occurrence).exclusive},
	{names: []string{"-L", "--licenses"}, takes: aValue, set: statusOne(passed(task.Licenses, checkLicenses))},
	{names: []string{"--uid"}, takes: aValue, never: "jobs run as the user who hands them in"},
	{names: []string{"--gid"}, takes: aValue, never: "jobs run as the user who hands them in"},
}

// time reads how long a job runs. Who asks for no limit to that has said nothing of it: libra
// sbatch takes what it takes then.
func (o *occurrence) time() error {
	ms, err := slurmTime(o.value)
	if slices.Contains([]string{"unlimited", "infinite", "-1"}, strings.ToLower(o.value)) {
		ms, err = 0, nil
	}
	if err == nil && ms == 0 && !o.sbatch {
		err = errors.New("no limit: Libra needs an estimate of the runtime")
	}
	return put(&o.Request.EstimateMS, ms, err)
}

// nodeRange reads 2, or from two to four as 2-4.
func (o *occurrence) nodeRange() error {
	least, most, isRange := strings.Cut(o.value, "-")
	n, err := processors(least)
	m := n
	if err == nil && isRange {
		m, err = processors(most)
	}
	switch {
	case err != nil:
		return err
	case m < n:
		return fmt.Errorf("%q: want at least %d, or one number", o.value, n)
	}
	o.width.nodes, o.width.mostNodes, o.width.last = n, m, o
	return nil
}

// size sets a part of the size of the job.
func size(part func(*width) *int) func(o *occurrence) error {
	return func(o *occurrence) error {
		n, err := processors(o.value)
		if err != nil {
			return err
		}
		*part(&o.width) = n
		o.width.last = o
		return nil
	}
}

func slurmMemory(text string) (int64, error) {
	mb, err := Megabytes(text)
	if err == nil && mb == 0 {
		err = fmt.Errorf("%w: %q (all of a node cannot be asked for)", ErrSize, text)
	}
	return mb, err
}
