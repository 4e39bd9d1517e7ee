package cgroup

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// What a [Tree] is made of, as [Tree.Kind] says it.
const (
	V1      = "cgroup v1"
	V2      = "cgroup v2"
	Signals = "signals"
)

// Why something was refused.
var (
	// ErrLimits: the limits make no sense, whatever the host.
	ErrLimits = errors.New("invalid limits")
	// ErrCapacity: a group would have more than the tree it is in.
	ErrCapacity = errors.New("above the capacity of the tree")
	// ErrMissing: the host has no means to do this.
	ErrMissing = errors.New("not available on this host")
	// ErrName: the name cannot be that of a group.
	ErrName = errors.New("invalid name of a group")
)

// Limits are what a group may use.
type Limits struct {
	// CPU is the most processor time per second of wall time, over all
	// processors: 0.5 is half of one. Zero freezes the group, a negative
	// number is no limit. It is rounded up to the next 10 microseconds per
	// second, and to a hundredth of a processor where it is less: a promise is
	// not lost to rounding, and the kernel knows nothing smaller than 1 ms in
	// 100 ms.
	CPU float64
	// Weight is the claim of the group against the other groups of the tree
	// when there is not enough for all, and to what is left over. Zero is the
	// default, 1. The kernel keeps three (v1) or two (v2) decimals of it and
	// knows nothing above 256 (v1) or 100 (v2); what is beyond is cut off.
	Weight float64
	// CPUs are the processors of the host that the group may run on; nil is
	// any.
	CPUs []int
	// Processors is how many the group was promised where CPUs does not say which:
	// it waits for no more at a time. Zero is all of the host.
	Processors int
	// Memory is the most memory in bytes, rounded up to a page; zero is no
	// limit. It does not count what is swapped out. To set less than is in use
	// is refused where nothing can be given back (v1), or kills (v2).
	Memory int64
	// Pids is the most processes and threads; zero is no limit.
	Pids int64
}

// Usage is what a group has used since it was made.
type Usage struct {
	// CPU is processor time, of processes that have ended too.
	CPU time.Duration
	// Waited is how long the group wanted to run and was kept from it, by others
	// on its processors or by its own quota (the kernel counts that too, as seen
	// with Linux 6.1 and 6.18; signals do not), once for every processor that it
	// could have run on: what its threads waited for each other is not in it. It
	// is at most what the kernel says of threads, and rather too little: of
	// threads that have ended since the last look only their processor time is
	// known. A frozen group does not wait. It never falls while the tree is open.
	Waited time.Duration
	// Throttled is how long the group was held back by its own quota, counted
	// once for every processor it was held back on.
	Throttled time.Duration
	// Memory and PeakMemory are in bytes, files in memory included.
	Memory, PeakMemory int64
	// OOMKills counts processes killed because Memory did not suffice. Ask
	// this and not the exit status: a shell whose child was killed may well
	// say that all went fine.
	OOMKills int64
	// AtLimit says that the group has come to its own limit of memory; if it has
	// not, it was that of the tree that killed. (v1 counts as that what files in
	// memory came to, and gave way.)
	AtLimit bool
	// Procs is the number of processes, without zombies.
	Procs int
}

// EnterSpec says how a process gets into a group, as plain data that can be
// sent to it through a pipe.
type EnterSpec struct {
	// Procs are the files that the process writes "0" to while it is still
	// privileged and before it executes the job; [EnterSpec.Join] does it.
	Procs []string `json:"procs,omitempty"`
	// Dir is the one directory of the group where there is just one (v2): a
	// process can be started right in it (CLONE_INTO_CGROUP) instead.
	Dir string `json:"dir,omitempty"`
	// Env is to be added to the environment of the job. Only signals need it:
	// by it they know children again that nobody else can tell whose they are.
	Env []string `json:"env,omitempty"`
}

// Join puts the calling process into the group, all its threads included.
func (e EnterSpec) Join() error {
	for _, file := range e.Procs {
		if err := write(file, "0"); err != nil {
			return err
		}
	}
	return nil
}

// Tree is the part of a host that one node owns. Its methods may be called at
// the same time.
type Tree interface {
	// Make makes the group if there is none of this name, and sets its limits.
	Make(name string, l Limits) (Group, error)
	// Find returns a group that exists. It is left as it is, limits unread.
	Find(name string) (Group, bool)
	// List names the groups that exist, those made before a restart included,
	// in order.
	List() ([]string, error)
	// SetCapacity is the quota of the whole tree: the node is a part of its
	// host. A negative number is none. It cannot be less than that of a group:
	// lower those first, and raise the tree before them.
	SetCapacity(cpu float64) error
	// SetRoom is the most memory, in bytes, and the most processes and threads of
	// all groups together; zero is no limit.
	SetRoom(memory, pids int64) error
	// Processes counts the processes and threads in all groups together; 0 where the
	// kernel does not say.
	Processes() int64
	// SetWeight is the claim of the tree against everything else on the host,
	// where 1 is what anything has by default. Under load from outside, quotas
	// are out of reach with that: a host that is a node should say 100.
	SetWeight(weight float64) error
	// Kind is V1, V2 or Signals.
	Kind() string
	// Missing names what cannot be had here, in order: cpuset, memory, pids,
	// weight. To ask for it is an error (ErrMissing).
	Missing() []string
	// Remove removes the tree and the groups in it, which must be empty.
	Remove() error
	// Close ends what the tree does by itself. The groups stay. With signals,
	// those that were held back run on unlimited.
	Close() error
}

// Group is a set of processes that are limited as one: what entered it, and
// all descendants of that. Its methods may be called at the same time.
type Group interface {
	// Name is the name it was made by.
	Name() string
	// Set changes the limits, and writes only what differs from the last Set.
	// After an error the old limits may hold in part; setting again tries again.
	Set(l Limits) error
	// Enter says how a process gets in.
	Enter() EnterSpec
	// Adopt puts a running process in; a process that is in already stays so.
	// Where the kernel keeps the groups, its children that run already are not
	// moved along. Signals learn about the first process of a job only by this.
	Adopt(pid int) error
	// Freeze stops all processes, and returns when they have stopped. It holds
	// until Thaw, whatever is set meanwhile, but not across a restart: then
	// the first limits set decide.
	Freeze() error
	// Thaw ends Freeze. A group whose limits say CPU 0 stays frozen.
	Thaw() error
	// Frozen reports whether all processes of the group are stopped.
	Frozen() bool
	// Kill ends every process, those that forked on meanwhile too, and returns
	// when none is left.
	Kill(ctx context.Context) error
	// Signal sends a signal to every process. Frozen processes get it when
	// they are thawed (v1 even SIGKILL).
	Signal(sig syscall.Signal) error
	// Procs lists the processes, in order, without zombies.
	Procs() ([]int, error)
	// Usage is also told after the last process has ended.
	Usage() (Usage, error)
	// Used is the processor time of it alone, which costs no more with many threads.
	Used() (time.Duration, error)
	// Remove removes the group, which must be empty. The kernel may need a
	// moment after the last process has ended: it is given a second.
	Remove() error
}
