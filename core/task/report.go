package task

import "strings"

// LeastRating and MostRating are the bounds of what a node may be rated: for how long jobs
// may hold memory, say, is reckoned from the slowest.
const (
	LeastRating = 0.001
	MostRating  = 1e6
)

// SameGPUs says that the GPUs of a node are what they were, as far as is known.
const SameGPUs = -1

// Hello is how an agent introduces its node.
type Hello struct {
	Node       string   `json:"node"`
	Processors int      `json:"processors"`
	Rating     float64  `json:"rating"` // work a second of each processor, after what is kept for the system
	MemoryMB   int64    `json:"memory_mb"`
	DiskMB     int64    `json:"disk_mb"`
	GPUs       int      `json:"gpus,omitempty"`      // whole ones, of which each is one program's at a time; or SameGPUs
	GPUKind    string   `json:"gpu_kind,omitempty"`  // what they are called; empty: nothing
	Features   string   `json:"features,omitempty"`  // what jobs can ask for, with commas: fast,ib
	Partition  string   `json:"partition,omitempty"` // whose it is, where the market has partitions
	Reserved   string   `json:"reserved,omitempty"`  // the reservation of its batch system that it is set aside for; empty: of none
	Boot       string   `json:"boot"`                // of the machine: another one means that nothing of before still runs
	Agent      string   `json:"agent"`               // version
	Limits     string   `json:"limits"`              // how shares are enforced: "cgroup v1", "cgroup v2", "signals"
	User       string   `json:"user"`                // the only one it can run jobs as; empty: any
	Speed      float64  `json:"speed"`               // work a second of a whole processor: Rating and what is kept back
	Missing    []string `json:"missing"`             // what this node cannot enforce
	Runs       string   `json:"runs,omitempty"`      // the batch system that runs the tasks here; empty: the agent does
	Seat       string   `json:"seat,omitempty"`      // of the agent: its state directory. Two of them are two agents
	Elements   bool     `json:"elements,omitempty"`  // it holds elements of an array together that are jobs of their own in the batch system (Order.Members)
	Holds      bool     `json:"holds,omitempty"`     // a task that has had what was sold to it (Order.MostUS) stands still by itself
}

// Welcome is the answer to Hello.
type Welcome struct {
	Index    int   `json:"index"` // of the node in the cluster
	LeaseMS  int64 `json:"lease_ms"`
	ReportMS int64 `json:"report_ms"`
	// Changes says that the agent may ask for changes alone. Controllers of the
	// first version tell all, every time.
	Changes bool `json:"changes,omitempty"`
	// Lanes says that it may be told how far arrays are. Older controllers refuse that.
	Lanes bool `json:"lanes,omitempty"`
	// Leader is who says so; older controllers do not tell.
	Leader *Leader `json:"leader,omitempty"`
}

// Report is how things stand on a node.
type Report struct {
	Node    string   `json:"node"`
	Version int64    `json:"version"` // of the Desired that is in force
	Tasks   []Status `json:"tasks"`
	Seat    string   `json:"seat,omitempty"` // as in Hello
	// SaidUS is when it was said, since the node was started: by it the market tells what
	// was long on its way. 0: the node does not say.
	SaidUS int64 `json:"said_us,omitempty"`
	// Lanes are of arrays that run.
	Lanes []Lane `json:"lanes,omitempty"`
}

// Reply is the answer to a Report.
type Reply struct {
	Version int64  `json:"version"`         // of the newest Desired
	Forget  []Key  `json:"forget"`          // their end has been written down
	Lanes   []Told `json:"lanes,omitempty"` // what is known of those that were reported

	Leader *Leader `json:"leader,omitempty"` // who says so; older controllers do not tell
}

// State says where a task is in its life.
type State string

// The states of a task.
const (
	Starting State = "starting"
	Running  State = "running"
	Frozen   State = "frozen"
	Ended    State = "ended"   // Exit or Signal says how
	Refused  State = "refused" // it never began: nothing of its program ran; Error says why
	Lost     State = "lost"    // it ran, and how it ended is not known
)

// Final reports whether nothing more will happen to the task.
func (s State) Final() bool { return s == Ended || s == Refused || s == Lost }

// Status is how one task stands.
type Status struct {
	Key

	State      State     `json:"state"`
	Exit       int       `json:"exit"`             // exit code, if it exited
	Signal     string    `json:"signal,omitempty"` // "SIGKILL", if a signal ended it
	OOM        bool      `json:"oom,omitempty"`    // the memory limit ended it
	Error      string    `json:"error,omitempty"`
	Limit      Limit     `json:"limit,omitempty"`     // of its own, that ended it; Error says it in words
	Cancelled  bool      `json:"cancelled,omitempty"` // whoever it is of ended it in the batch system, without asking the market
	CPUUS      int64     `json:"cpu_us"`              // processor time used
	DeclinedUS int64     `json:"declined_us"`         // processor time that was its for the taking and that it did not want
	PeakBytes  int64     `json:"peak_bytes"`
	StartedUS  int64     `json:"started_us"` // unix
	EndedUS    int64     `json:"ended_us"`   // unix
	Elements   []Element `json:"elements,omitempty"`
	Batch      string    `json:"batch,omitempty"`   // of the order that this is about
	BornUS     int64     `json:"born_us,omitempty"` // as in its Spec; the market does not keep it
	Low        bool      `json:"low,omitempty"`     // it has little left of what was sold to it, or stands still: nobody should wait to say so

	// Of a task that has ended, by a clock of its node that nobody can set: how long
	// it ran, and how long ago, when this is said, it ended. 0: the node did not say.
	// The market makes StartedUS and EndedUS of them and does not keep them.
	RanUS int64 `json:"ran_us,omitempty"`
	AgoUS int64 `json:"ago_us,omitempty"`

	// Of a task with an optional part: which one it is with, or was at its end,
	// and what the mandatory part had until it was done, of CPUUS and DeclinedUS.
	Part                Part  `json:"part,omitempty"`
	MandatoryCPUUS      int64 `json:"mandatory_cpu_us,omitempty"`
	MandatoryDeclinedUS int64 `json:"mandatory_declined_us,omitempty"`

	// When that was: a node says how long ago, by a clock that nobody can set, and the
	// market makes MandatoryUS of it and does not keep it. 0: the node did not say.
	MandatoryUS    int64 `json:"mandatory_us,omitempty"` // unix
	MandatoryAgoUS int64 `json:"mandatory_ago_us,omitempty"`
}

// Limit is a limit of a task that it has come to.
type Limit string

// The limits by which a node ends a task.
const (
	LimitMemory Limit = "memory"
	LimitOutput Limit = "output" // what it wrote to its output files
	LimitDisk   Limit = "disk"   // what it has on disk
	LimitTime   Limit = "time"   // how long the batch system lets it run
)

// Part is one of the two parts of a task that has two.
type Part string

// The parts.
const (
	MandatoryPart Part = "mandatory"
	OptionalPart  Part = "optional" // the mandatory one is done
)

// Element is how one element of an array ended.
type Element struct {
	Index  int    `json:"index"`
	Exit   int    `json:"exit"`
	Signal string `json:"signal,omitempty"`
	Error  string `json:"error,omitempty"` // why it never began

	// By the clock of its node, unix; nothing is owed by them.
	StartedUS int64 `json:"started_us,omitempty"`
	EndedUS   int64 `json:"ended_us,omitempty"`
}

// LeaseRanOut is the Error of a task that was stopped because its agent had not
// heard from the controller for longer than its lease.
const LeaseRanOut = "the lease ran out"

// NeverBegan reports whether nothing of the task's program has run: there is no
// such program, directory or place for its output, a batch system said no, or it
// was stopped before. Then nothing is owed for it, and Error names the cause.
func (s *Status) NeverBegan() bool { return s.State == Refused }

// UsersDoing reports whether a task never began because of what its user asked for, and
// not because its node or its batch system could not begin anything: by the words of
// agents, of today and before, which name what was not there.
func (s *Status) UsersDoing() bool {
	if !s.NeverBegan() {
		return false
	}
	for _, of := range []string{"no such program", "no such directory", "program ", "directory ", "output ", "cancelled in Slurm", "Slurm can never run it"} {
		if strings.HasPrefix(s.Error, of) {
			return true
		}
	}
	return false
}

// Cut cuts what is said to be possible: a task that ran for no longer than so, and
// had no more than so much processor time, used or declined.
func (s *Status) Cut(ranUS, mostUS int64) {
	s.CPUUS = min(s.CPUUS, mostUS)
	s.DeclinedUS = min(s.DeclinedUS, mostUS-s.CPUUS)
	s.MandatoryCPUUS = min(s.MandatoryCPUUS, s.CPUUS)
	s.MandatoryDeclinedUS = min(s.MandatoryDeclinedUS, s.DeclinedUS)
	if s.EndedUS != 0 && s.StartedUS != 0 {
		s.StartedUS = max(s.StartedUS, s.EndedUS-ranUS)
	}
}

// Urgent reports whether what is said of a task should not wait: it has ended, or is
// about to stand still.
func (s *Status) Urgent() bool { return s.State.Final() || s.Low }

// Urgent is what of a report should not wait.
func (r *Report) Urgent() []Status {
	var urgent []Status
	for i := range r.Tasks {
		if r.Tasks[i].Urgent() {
			urgent = append(urgent, r.Tasks[i])
		}
	}
	return urgent
}

// Good reports whether a task did what it was meant to.
func (s *Status) Good() bool {
	if s.State != Ended || s.Exit != 0 || s.Signal != "" || s.OOM {
		return false
	}
	for _, e := range s.Elements {
		if e.Exit != 0 || e.Signal != "" {
			return false
		}
	}
	return true
}
