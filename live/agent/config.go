package agent

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// What a node does when its controller has been silent for the time of the lease.
const (
	LeaseStop     = "stop"     // end the tasks: the controller will start them elsewhere
	LeaseContinue = "continue" // go on: the controller waits for the node to come back
)

// Config is what an agent is told when it is started. The zero value of a field
// asks for the default, which Default fills in.
type Config struct {
	Node      string  // name of the node; default: the host name
	StateDir  string  // where the agent writes down what it runs
	Version   string  // of this program, for the controller
	CPUs      []int   // the host's processors that are the node's; default: all that this process may use
	Rating    float64 // work a second of a whole processor; 0: measure it
	Headroom  float64 // part of each processor that is kept for the system; negative: none; default 0.03
	MemoryMB  int64   // for tasks; default: what the machine has, without some for the system
	DiskMB    int64   // for tasks; default: what was free where StateDir is when the node was new
	GPUs      int     // that the node has, numbered from 0; default none
	GPUKind   string  // what they are called
	Features  string  // what jobs can ask for, with commas
	Partition string  // of the market that the node is in
	Tree      string  // name by which the groups were opened; default: libra/NODE
	Weight    float64 // of the node's groups against the rest of the machine, where everything else has 1; default 100
	Processes int64   // the most processes and threads of one task; negative: any number; default 10000

	// JobMemoryMB is the limit of a task that asked for no memory, for each of its
	// processors; negative: none; default: a processor's part of the node's memory.
	JobMemoryMB int64
	// AllProcesses is the most processes and threads of all tasks together, none of
	// which has more than half; negative: any number; default: three quarters of
	// what the machine can have.
	AllProcesses int64

	OutputMB int64  // the most that one task may write to its output files; negative: any amount; default 4096
	OnLease  string // LeaseStop (default) or LeaseContinue
	Self     string // this program, to start shepherds with; default: os.Executable

	// Private are directories in memory of which each program has its own, where this
	// is run by root; nil: DefaultPrivate; empty: none.
	Private []string

	// SystemUsers are the users of the system (root, those of daemons, nobody) that
	// tasks may run as: none but these.
	SystemUsers []string

	// Control is the batch system that runs the tasks of this node, ControlSlurm;
	// the agent then only holds them to their shares. Empty: it runs them.
	Control    string
	Processors int     // of the node, as the batch system counts them; default: as many as CPUs
	Capacity   float64 // processors of the host that all jobs of the node may use together; 0: all

	Machine Machine `json:"-"` // that the agent runs on; default: this one
}

// NodeName is the name of this machine as a node, where nobody says otherwise.
// To Slurm a node is what it calls it, usually the host's name up to the dot.
func NodeName(control string) (string, error) {
	if control == ControlSlurm {
		if name := os.Getenv("SLURMD_NODENAME"); name != "" {
			return name, nil
		}
	}
	name, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("name of the node: %w", err)
	}
	if control == ControlSlurm {
		name, _, _ = strings.Cut(name, ".")
	}
	return name, nil
}

// DefaultProcesses keeps a task that forks without end from taking the machine.
const DefaultProcesses = 10_000

// DefaultOutputMB keeps a task that writes without end from filling the disk.
const DefaultOutputMB = 4096

// DefaultWeight lets tasks have what was promised to them though others, who are not of
// the market, keep the machine busy: quotas bound what that can be. It is the most that
// cgroup v2 knows.
const DefaultWeight = 100

// DefaultHeadroom is the part of a processor that is not offered: the agent, the
// kernel and the moments between two tasks need it, and without it a promise of
// the whole processor could not be kept.
const DefaultHeadroom = 0.03

// Default fills in what was left out.
func (c Config) Default() (Config, error) {
	var err error
	if c.Node == "" {
		if c.Node, err = NodeName(c.Control); err != nil {
			return c, err
		}
	}
	if c.Self == "" {
		if c.Self, err = os.Executable(); err != nil {
			return c, fmt.Errorf("path of this program: %w", err)
		}
	}
	if len(c.CPUs) == 0 {
		if c.CPUs, err = usableCPUs(); err != nil {
			return c, err
		}
	}
	switch {
	case c.Headroom == 0:
		c.Headroom = DefaultHeadroom
	case c.Headroom < 0:
		c.Headroom = 0
	}
	if c.Machine == nil {
		c.Machine = thisMachine{}
	}
	if c.OnLease == "" {
		c.OnLease = LeaseStop
	}
	if c.Tree == "" {
		c.Tree = "libra/" + c.Node
	}
	if c.Weight == 0 {
		c.Weight = DefaultWeight
	}
	if c.Processes == 0 {
		c.Processes = DefaultProcesses
	}
	if c.OutputMB == 0 {
		c.OutputMB = DefaultOutputMB
	}
	if c.Private == nil {
		c.Private = DefaultPrivate
	}
	if c.AllProcesses == 0 {
		if c.AllProcesses, err = roomForProcesses(); err != nil {
			return c, err
		}
	}
	return c, c.validate()
}

func (c Config) validate() error {
	switch {
	case !filepath.IsAbs(c.StateDir):
		return fmt.Errorf("state directory %q is not an absolute path", c.StateDir)
	case c.OnLease != LeaseStop && c.OnLease != LeaseContinue:
		return fmt.Errorf("on lease %q: want %q or %q", c.OnLease, LeaseStop, LeaseContinue)
	case math.IsNaN(c.Headroom) || c.Headroom >= 1:
		return fmt.Errorf("headroom %v: want less than 1", c.Headroom)
	case c.Rating != 0 && !(c.Rating >= task.LeastRating && c.Rating <= task.MostRating):
		return fmt.Errorf("rating %v: want %v to %v, or 0: measured", c.Rating, task.LeastRating, task.MostRating)
	case math.IsNaN(c.Weight) || math.IsInf(c.Weight, 0) || c.Weight < 0:
		return fmt.Errorf("weight %v: want a positive number", c.Weight)
	case c.Control != "" && c.Control != ControlSlurm:
		return fmt.Errorf("control %q: want %q, or nothing", c.Control, ControlSlurm)
	case c.Control == "" && (c.Processors != 0 || c.Capacity != 0):
		return errors.New("processors and capacity are for a node whose tasks a batch system runs")
	case c.Processors < 0 || math.IsNaN(c.Capacity) || math.IsInf(c.Capacity, 0) || c.Capacity < 0:
		return fmt.Errorf("processors %d, capacity %v: want positive numbers", c.Processors, c.Capacity)
	case c.GPUs < 0 || c.GPUs > market.MaxGPUs:
		return fmt.Errorf("%d GPUs make no sense (want 0 to %d)", c.GPUs, market.MaxGPUs)
	case c.GPUs > 0 && c.Control != "":
		return errors.New("GPUs are the batch system's to give where it runs the tasks")
	case strings.ContainsAny(c.GPUKind, ":,"):
		return fmt.Errorf("GPUs of kind %q: an agent gives out GPUs of one kind", c.GPUKind)
	case c.GPUKind != "" && c.GPUs == 0:
		return errors.New("a kind of GPUs, and no GPUs")
	case market.CheckFeatures(c.Features) != nil:
		return market.CheckFeatures(c.Features)
	case c.Partition != "" && !market.Word(c.Partition):
		return fmt.Errorf("partition %q: want a word of letters, digits, dots, - and _", c.Partition)
	case c.Partition != "" && c.Control != "":
		return errors.New("the partition of a node is the batch system's to say where it runs the tasks")
	case c.Features != "" && c.Control != "":
		return errors.New("features are what the batch system says where it runs the tasks")
	case c.MemoryMB < 0 || c.DiskMB < 0:
		return errors.New("memory and disk cannot be negative")
	case max(c.MemoryMB, c.DiskMB, c.OutputMB, c.JobMemoryMB) > math.MaxInt64>>20:
		return errors.New("memory, disk or output of more megabytes than there are")
	}
	for _, dir := range c.Private {
		if !filepath.IsAbs(dir) || filepath.Clean(dir) == "/" {
			return fmt.Errorf("private directory %q: want an absolute path below /", dir)
		}
	}
	seen := map[int]bool{}
	for _, cpu := range c.CPUs {
		if cpu < 0 || seen[cpu] {
			return fmt.Errorf("processors %v: %d is negative or named twice", c.CPUs, cpu)
		}
		seen[cpu] = true
	}
	return nil
}

// usableCPUs are the host's processors that this process may run on.
func usableCPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("processors of this process: %w", err)
	}
	var cpus []int
	for cpu := 0; len(cpus) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}
