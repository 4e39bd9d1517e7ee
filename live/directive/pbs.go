package directive

import (
	"errors"
	"fmt"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// pbsOptions are those of qsub, as PBS Pro and Torque have them.
var pbsOptions = []option{
	{names: []string{"-N"}, takes: aValue, set: func(o *occurrence) error { o.Request.Name = o.value; return nil }},
	{names: []string{"-A", "-P"}, takes: aValue, set: func(o *occurrence) error { o.Request.Account = o.value; return nil }},
	{names: []string{"-d", "-w"}, takes: aValue, set: func(o *occurrence) error { o.Request.Dir = o.value; return nil }},
	{names: []string{"-l"}, takes: aValue, set: (*occurrence).resources},
	{names: []string{"-o"}, takes: aValue, set: func(o *occurrence) error {
		path, err := o.pbsFile(o.value)
		return put(&o.Request.Output, path, err)
	}},
	{names: []string{"-e"}, takes: aValue, set: func(o *occurrence) error {
		path, err := o.pbsFile(o.value)
		return put(&o.Request.Error, path, err)
	}},
	{names: []string{"-j"}, takes: aValue, set: (*occurrence).join},
	{names: []string{"-J", "-t"}, takes: aValue, set: func(o *occurrence) error { return o.sweep(o.value) }},
	{names: []string{"-W"}, takes: aValue, set: (*occurrence).attributes},
	{names: []string{"-v"}, takes: aValue, set: func(o *occurrence) error { return o.export(o.value) }},
	{names: []string{"-V"}, set: func(o *occurrence) error { return o.export("all") }},
	{names: []string{"-r"}, takes: aValue, set: func(o *occurrence) error {
		switch o.value {
		case "y", "n":
			o.Request.NoRestart = o.value == "n"
			return nil
		}
		return errors.New("want y or n")
	}},

	{names: []string{"-q"}, takes: aValue, idle: "Libra has no queues to choose from"},
	{names: []string{"-p"}, takes: aValue, idle: "deadline, budget and penalty say how a job is served"},
	{names: []string{"-m"}, takes: aValue, idle: "Libra sends no mail"},
	{names: []string{"-M"}, takes: aValue, idle: "Libra sends no mail"},
	{names: []string{"-S"}, takes: aValue, idle: "the first line of the script says what runs it"},
	{names: []string{"-k"}, takes: aValue, idle: "output files are written where they belong"},
	{names: []string{"-c"}, takes: aValue, idle: "Libra takes no checkpoints"},
	{names: []string{"-z"}, idle: "it is for qsub itself"},

	{names: []string{"-a"}, takes: aValue, never: "say when in a line for Libra, as #LIBRA begin=18:00"},
	{names: []string{"-h"}, set: func(o *occurrence) error { o.Request.Hold = true; return nil }},
	{names: []string{"-I"}, never: "jobs have no terminal"},
	{names: []string{"-X"}, never: "jobs have no display"},
}

// join says whether both outputs go to one file, and to which. The files may
// be named after it.
func (o *occurrence) join() error {
	switch o.value {
	case "oe", "eo", "n":
		o.joined = o.value
		return nil
	}
	return errors.New("want oe, eo or n")
}

func (h *Head) applyJoin() {
	switch {
	case h.joined == "eo" && h.Request.Error != "":
		h.Request.Output, h.Request.Error = h.Request.Error, ""
	case h.joined == "oe":
		h.Request.Error = ""
	}
	h.joined = ""
}

// attributes reads -W: depend=afterok:12.
func (o *occurrence) attributes() error {
	name, value, _ := strings.Cut(o.value, "=")
	switch name {
	case "depend":
		printed, own, err := dependencies(value)
		if err == nil {
			o.follows(printed, own)
		}
		return err
	case "block":
		o.note("say --wait to libra submit")
		return nil
	}
	return unknown(name, []string{"depend", "block"})
}

// resources reads -l: walltime=1:00:00,select=2:ncpus=4:mem=8gb.
func (o *occurrence) resources() error {
	for part := range strings.SplitSeq(o.value, ",") {
		name, value, _ := strings.Cut(part, "=")
		if err := o.resource(name, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (o *occurrence) resource(name, value string) (err error) {
	switch name {
	case "walltime":
		var ms int64
		if ms, err = pbsTime(value); err == nil && ms == 0 {
			err = fmt.Errorf("%w: %q (want more than 0)", ErrDuration, value)
		}
		return put(&o.Request.EstimateMS, ms, err)
	case "select":
		o.width.last = o
		return o.chunks(value)
	case "nodes":
		o.width.last = o
		return o.nodes(value)
	case "ncpus":
		o.width.last = o
		o.width.total, err = processors(value)
		o.width.perTask = o.width.total // of one node
		return err
	case "ngpus":
		o.width.last = o
		o.width.gpus.program.n, err = count(value, 0)
		return err
	case "procs":
		o.width.last = o
		o.width.total, err = processors(value)
		return err
	case "mem":
		o.width.memoryJob, err = pbsSize(value)
		return err
	case "pmem":
		o.width.memoryProc, err = pbsSize(value)
		return err
	case "file":
		o.Request.DiskMB, err = pbsSize(value)
		return err
	case "place":
		o.note("place: processors are chosen by the market")
		return nil
	case "cput", "nice", "vmem", "pvmem":
		o.note(name + ": Libra limits the runtime and the memory of a job")
		return nil
	}
	return unknown(name, []string{"walltime", "select", "nodes", "ncpus", "ngpus", "procs", "mem", "pmem", "file", "place", "cput", "nice", "vmem", "pvmem"})
}

// chunks reads select: 2:ncpus=4:mem=8gb+1:ncpus=8. The memory of a processor
// is that of the chunk which gives most to each.
func (o *occurrence) chunks(text string) error {
	total, memory, threads, devices := 0, int64(0), 0, -1
	for chunk := range strings.SplitSeq(text, "+") {
		n, cpus, each, ngpus, mb := 1, 1, 1, 0, int64(0)
		for i, part := range strings.Split(chunk, ":") {
			name, value, assigned := strings.Cut(part, "=")
			var err error
			switch {
			case i == 0 && !assigned:
				n, err = processors(part)
			case name == "ncpus":
				cpus, err = processors(value)
			case name == "mem":
				mb, err = pbsSize(value)
			case name == "mpiprocs":
				each, err = processors(value)
			case name == "ngpus":
				ngpus, err = count(value, 0)
			case name == "ompthreads":
				_, err = count(value, 1)
			default:
				err = unknown(name, []string{"ncpus", "mem", "mpiprocs", "ompthreads", "ngpus"})
			}
			if err != nil {
				return fmt.Errorf("%s: %w", part, err)
			}
		}
		if total += n * cpus; total > market.MaxWidth {
			return errTooWide
		}
		memory = max(memory, (mb+int64(cpus)-1)/int64(cpus))
		if ngpus > 0 {
			each = 1 // they are of the chunk, which is on one node
		}
		if devices >= 0 && (devices != ngpus || ngpus > 0 && threads != cpus) {
			return errors.New("ngpus: the market sells programs of one size, and these chunks are not alike")
		}
		devices = ngpus
		if own := max(1, cpus/each); threads == 0 {
			threads = own
		} else if threads != own {
			threads = 1 // unequal chunks: the market sells programs of one size
		}
		if total%max(1, threads) != 0 {
			threads = 1
		}
	}
	o.width.total, o.width.perTask = total, threads
	o.width.gpus.program = someGPUs{n: devices}
	if memory > 0 {
		o.width.memoryProc = memory
	}
	return nil
}

// nodes reads nodes=2:ppn=4+1:ppn=8.
func (o *occurrence) nodes(text string) error {
	total := 0
	for chunk := range strings.SplitSeq(text, "+") {
		many, rest, _ := strings.Cut(chunk, ":")
		n, err := processors(many)
		if err != nil {
			return err
		}
		each := 1
		if rest != "" {
			value, found := strings.CutPrefix(rest, "ppn=")
			if !found {
				return fmt.Errorf("%q (want nodes=N:ppn=P; nodes cannot be chosen by name or feature)", rest)
			}
			if each, err = processors(value); err != nil {
				return err
			}
		}
		if total += n * each; total > market.MaxWidth {
			return errTooWide
		}
	}
	o.width.total = total
	return nil
}
