package client

import (
	"context"
	"strings"
	"time"

	"github.com/libra-market/libra/live/slurm/limit"
)

// Slurm is a batch system that can be asked and told things, over HTTP or by its
// commands. Every call has a time limit of its own.
type Slurm interface {
	// Ping says whether the controller of Slurm answers.
	Ping(ctx context.Context) error
	// Submit hands a job in, held. An error that wraps [ErrRefused] means that
	// Slurm said no; after any other error nobody knows, and the job must be
	// looked for by its name.
	Submit(ctx context.Context, s Submission) (int64, error)
	// Release lets a held job start on the nodes it was submitted for. The node
	// list is set again before, because a user may have changed it meanwhile.
	Release(ctx context.Context, id int64, nodes []string) error
	// Cancel ends a job. Urgent: with SIGKILL at once. A job that has ended or
	// is unknown is no error.
	Cancel(ctx context.Context, id int64, urgent bool) error
	// Jobs lists the jobs of a partition, or of several with commas between them, those
	// that ended a short while ago included.
	Jobs(ctx context.Context, partition string) ([]Job, error)
	// Nodes lists the nodes of a partition, or of several.
	Nodes(ctx context.Context, partition string) ([]Node, error)
	// Began is when slurmctld was started, in unix seconds; 0: nobody can say, since it
	// cannot be asked, or there are several and one of them may have taken over.
	Began(ctx context.Context) (int64, error)
	// Limits says what Slurm lets whom have in a partition.
	Limits(ctx context.Context, partition string) (*limit.Site, error)
	// Reservations says what is reserved, now or later; nothing where nobody can say.
	Reservations(ctx context.Context) ([]limit.Reserved, error)
	// Name says how Slurm is spoken to, for people: "slurmrestd v0.0.38",
	// "sbatch, squeue, scancel".
	Name() string
}

// Submission is a job for Slurm.
type Submission struct {
	Name         string // shown by squeue
	Comment      string // by which it is known again
	User         string // as whom it runs
	Partition    string
	Nodes        []string      // exactly these, one for each node
	Later        bool          // on one node, and which it is is said later (Guests.Adopt): Nodes says nothing
	Tasks        int           // over all nodes
	CPUs         int           // per node at most: tasks on the fullest node
	PerTask      int           // processors of a task, where there are as many tasks on each node; 0: one
	MemoryMB     int64         // per node; 0: the partition's default
	MemoryEachMB int64         // per processor instead; 0: it is per node
	GPUs         string        // per node, as many on each: 2, a100:2; empty: none
	AllGPUs      string        // the same in all, where nodes do not have as many each
	Limit        time.Duration // of wall time, rounded up to whole minutes; 0: the partition's
	Dir          string
	Env          []string // NAME=value, all of it
	Output       string   // file name for Slurm, which is opened to be added to
	Error        string   // empty: with the output
	Script       string   // begins with #!
	MailType     string   // of what its user is sent mail, as sbatch has it: END,FAIL; empty: of nothing
	MailUser     string   // who is sent it; empty: its user
	Signal       string   // what it gets before its limit, as sbatch has it: B:USR1@60; empty: nothing
	Licenses     string   // that it holds while it runs: fluent:2,matlab; empty: none
	Reservation  string   // that it is in; empty: in none
	QOS          string   `json:",omitempty"` // that it has; empty: its user's usual one. What was told of a stand-in before there were any stays what it was
	Array        string   // which elements it has, as sbatch is told: 1-9:2,12, and how many at a time: %3; empty: it is none. Which node each is on is said later ([Arrays.Chain])
	Requeue      bool     `json:",omitempty"` // its user may put it back into the queue
	Again        bool     `json:",omitempty"` // it was put back, and need not wait for that any more
	Command      []string // what is shown as the command: a file, and what the script finds as its arguments
}

// Job is how a job stands in Slurm. A job is its id together with Submitted:
// after a crash ids are given out again.
type Job struct {
	ID        int64
	Name      string
	Comment   string
	User      string
	State     State
	Reason    string
	Nodes     []string // it runs on
	Wanted    []string // it was submitted for
	Held      bool     // pending with priority 0
	Submitted int64    // unix seconds
	Started   int64    // 0: not yet
	Ended     int64    // 0: not yet
	Paused    int64    // seconds since its start in which it was suspended
	Exit      int
	Signal    int
	Array     int64 // the number of the array that it is of; 0: it is no element
	Elements  []int // of that: one, or all that have no number of their own yet
}

// Throttled reports whether Slurm does not begin an element because as many of its array run as may.
func (j Job) Throttled() bool { return j.State == Pending && j.Reason == "JobArrayTaskLimit" }

// Impossible reports whether Slurm has found that it will never run the job: no
// nodes it has can, or its user has no account there any more. It says so when the
// job is released, and holds it again.
func (j Job) Impossible() bool {
	switch j.Reason {
	case "BadConstraints", "InvalidAccount", "InvalidQOS":
		return j.State == Pending
	default:
		return false
	}
}

// Unlicensed reports whether Slurm keeps a job waiting because others have its licences.
func (j Job) Unlicensed() bool { return j.State == Pending && j.Reason == "Licenses" }

// Limited reports whether Slurm keeps a job waiting because its user, account or QOS may
// have no more, or not so much.
func (j Job) Limited() bool {
	if j.State != Pending {
		return false
	}
	for _, begin := range [...]string{
		"Assoc", "QOS", "Max", // as MaxJobsPerAccount, MaxCpuRunMinsPerUser, MaxMemPerLimit
		"AccountNotAllowed", "Job's account not permitted", "Job's QOS not permitted", "PartitionTimeLimit", "PartitionNodeLimit",
	} {
		if strings.HasPrefix(j.Reason, begin) {
			return true
		}
	}
	return false
}

// Unavailable reports whether Slurm does not start a job because the nodes that it was
// sold are down, drained, or reserved for somebody or something else.
func (j Job) Unavailable() bool {
	for _, begin := range []string{"ReqNodeNotAvail", "NodeDown", "Reservation", "Reserved"} {
		if strings.HasPrefix(j.Reason, begin) {
			return j.State == Pending && !j.Held
		}
	}
	return false
}

// Barred reports whether Slurm does not start a job because its partition starts none.
func (j Job) Barred() bool {
	return j.State == Pending && (j.Reason == "PartitionDown" || j.Reason == "PartitionInactive")
}

// Odd reports whether Slurm does not start a job for a reason that nothing here is made for. It has none
// before it has looked at the job, and is on the way to it while it cleans up or runs a prolog.
func (j Job) Odd() bool {
	switch j.Reason {
	case "", "None", "Priority", "Resources", "BeginTime", "Licenses", "JobArrayTaskLimit", "Prolog", "Cleaning", "SchedDefer":
		return false
	}
	return j.State == Pending && !j.Held && !j.Limited() && !j.Impossible() && !j.Unavailable() && !j.Barred()
}

// PutBack reports whether Slurm had begun a job, and has put it back into its queue. Who has
// seen it run need not ask: for two minutes Slurm does not begin it again, as if it were not
// to begin before. None that is handed in by a market is of that kind.
func (j Job) PutBack() bool {
	return j.State == Requeued || j.State == Pending && !j.Held && j.Reason == "BeginTime"
}

// Short reports whether Slurm does not start a job because others have what it asks for.
func (j Job) Short() bool {
	return j.State == Pending && !j.Held && (j.Reason == "Resources" || j.Reason == "Priority")
}

// State is where a job is in Slurm.
type State string

// The states of a job in Slurm.
const (
	Pending    State = "PENDING"
	Running    State = "RUNNING"
	Suspended  State = "SUSPENDED"
	Completing State = "COMPLETING"
	Completed  State = "COMPLETED"
	Failed     State = "FAILED"
	Cancelled  State = "CANCELLED"
	Timeout    State = "TIMEOUT"
	NoMemory   State = "OUT_OF_MEMORY"
	NodeFail   State = "NODE_FAIL"
	BootFail   State = "BOOT_FAIL"
	Deadline   State = "DEADLINE"
	Preempted  State = "PREEMPTED"
	Requeued   State = "REQUEUED"
)

// Over reports whether a job does not run and will not run again.
func (s State) Over() bool {
	switch s {
	case Pending, Running, Suspended, Completing, Requeued:
		return false
	default:
		return true
	}
}

// Node is how a node stands in Slurm.
type Node struct {
	Name       string
	Up         bool   // it can run jobs, or would if it were not draining
	Draining   bool   // it takes no new ones
	Reserved   bool   // it takes those of a reservation alone
	Reason     string // it is not up, or draining
	Processors int
	MemoryMB   int64
	GPUs       int      // of all kinds
	GPUKind    string   // empty: they have no name; of several kinds: a100:2,v100:1
	UsedGPUs   int      // that jobs hold, whoever's
	Features   string   // those that are active, with commas
	Partition  string   // which of those that were asked for it is in; empty: one alone was asked for
	Also       []string // others of these that it is in too
	Boot       int64    // unix seconds
	Slurmd     int64    // since when its slurmd runs, in unix seconds; 0: not known
}
