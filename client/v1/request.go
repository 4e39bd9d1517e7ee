package v1

// Request is what a user asks for: a program, and what it is worth when.
type Request struct {
	Name    string   `json:"name,omitempty"`
	Account string   `json:"account,omitempty"` // who pays; empty: the user's own
	Argv    []string `json:"argv,omitempty"`    // the program; or the arguments of
	Script  string   `json:"script,omitempty"`  // a script
	Dir     string   `json:"dir,omitempty"`     // working directory, absolute
	Env     []string `json:"env,omitempty"`     // NAME=value
	Output  string   `json:"output,omitempty"`  // default libra-%j.out; %j job, %b job in Slurm, %r rank, %a array element
	Error   string   `json:"error,omitempty"`   // default: where the output goes

	EstimateMS    int64    `json:"estimate_ms"`                    // runtime with a whole processor of rating 1
	DeadlineMS    int64    `json:"deadline_ms,omitempty"`          // from submission; 0: none
	Soft          bool     `json:"soft,omitempty"`                 // can bear a delay, for the penalty
	Budget        *int64   `json:"budget_micros,omitempty"`        // absent: no limit but the account's
	PenaltyMicros int64    `json:"penalty_micros_per_s,omitempty"` // for each second after the deadline
	Processors    int      `json:"processors,omitempty"`           // default 1
	Threads       int      `json:"threads,omitempty"`              // processors of each program, all of one node; default 1
	Spread        bool     `json:"spread,omitempty"`               // each program is on a node of its own
	Once          bool     `json:"once,omitempty"`                 // where a batch system runs it: it starts once, and starts the rest itself
	MemoryMB      int64    `json:"memory_mb,omitempty"`            // on each processor
	DiskMB        int64    `json:"disk_mb,omitempty"`              // on each processor
	GPUs          int      `json:"gpus,omitempty"`                 // of each program, which holds them as long as it runs
	GPUKind       string   `json:"gpu_kind,omitempty"`             // what they are to be; empty: any will do
	Nodelist      []string `json:"nodelist,omitempty"`             // nodes that it may be on, by name; none: on any
	Exclude       []string `json:"exclude,omitempty"`              // nodes that it may not be on
	Constraint    string   `json:"constraint,omitempty"`           // what its nodes must be: fast&ib, amd|intel
	Partition     string   `json:"partition,omitempty"`            // whose nodes it is on, at its rate; empty: the market's default, where it has partitions
	Reservation   string   `json:"reservation,omitempty"`          // of Slurm, whose nodes it is on; empty: on none that is set aside
	QOS           string   `json:"qos,omitempty"`                  // of Slurm, under which it runs there, with its limits; empty: its user's usual one
	Class         int      `json:"class,omitempty"`                // where the policy knows classes
	Wish          string   `json:"wish,omitempty"`                 // cheapest, fastest
	Overrun       Overrun  `json:"overrun,omitempty"`              // default stop
	NoRestart     bool     `json:"no_restart,omitempty"`           // a lost node ends the job
	After         []int64  `json:"after,omitempty"`                // jobs that must have succeeded first
	AfterAny      []int64  `json:"after_any,omitempty"`            // jobs that must have ended first
	AfterFailed   []int64  `json:"after_failed,omitempty"`         // jobs that must have ended first, and not succeeded
	AfterBegun    []Begun  `json:"after_begun,omitempty"`          // jobs that must have begun first, or ended
	AfterEach     []int64  `json:"after_each,omitempty"`           // arrays that must have ended first: of this one those elements run whose namesakes in them have succeeded
	AfterElement  []Ahead  `json:"after_element,omitempty"`        // elements of arrays that must have succeeded first, or failed: each when all of its array has ended
	BeginMS       int64    `json:"begin_ms,omitempty"`             // it begins no sooner, counted from submission; its deadline counts from then
	Hold          bool     `json:"hold,omitempty"`                 // it begins when its user says so
	Array         *Array   `json:"array,omitempty"`                // a parameter sweep
	Tags          []string `json:"tags,omitempty"`                 // for the user's own use
	GraceMS       int64    `json:"grace_ms,omitempty"`             // between SIGTERM and SIGKILL; default 5 s

	Optional *Optional `json:"optional,omitempty"` // what may be done beside, until the deadline
}

// HasProgram reports whether the request says what to run: one that asks for a
// price alone need not.
func (r *Request) HasProgram() bool { return len(r.Argv) > 0 || r.Script != "" }

// Procs is how many processors the request asks for: if it does not say, one
// program's.
func (r *Request) Procs() int {
	if r.Processors > 0 {
		return r.Processors
	}
	return r.threads()
}

func (r *Request) threads() int { return max(1, r.Threads) }

// Overrun is what becomes of a job that needs more than it estimated when it
// can get no more: no room beside the promises to others, or no budget.
type Overrun string

// What a user can choose.
const (
	OverrunStop Overrun = "stop" // SIGTERM, and SIGKILL after the grace
	OverrunLate Overrun = "late" // goes on with what others leave, without a promise
	OverrunKill Overrun = "kill" // SIGKILL at once
)

// Begun is a job that another waits for to begin, and for how long then: from its start, or
// from its end if it ends without one.
type Begun struct {
	Job     int64 `json:"job"`
	DelayMS int64 `json:"delay_ms,omitempty"`
}

// Ahead is an element of an array that another job waits for: it is to have succeeded, or to have failed.
type Ahead struct {
	Job    int64 `json:"job"`
	Index  int   `json:"index"`
	Failed bool  `json:"failed,omitempty"`
}

// Follows reports whether there are jobs that it waits for.
func (r *Request) Follows() bool {
	return len(r.After)+len(r.AfterAny)+len(r.AfterFailed)+len(r.AfterBegun)+len(r.AfterEach)+len(r.AfterElement) > 0
}

// Array is a sweep over indexes with one deadline and one budget for the
// whole: at most Limit of the elements run at a time.
type Array struct {
	First int `json:"first"`
	Last  int `json:"last"`
	Step  int `json:"step,omitempty"`  // default 1
	Limit int `json:"limit,omitempty"` // 0: as many as the market takes
	Nodes int `json:"nodes,omitempty"` // that those which run at a time are on, at most; 0: any number

	List []int `json:"list,omitempty"` // those of them that there are, in order; none: all
}

// Optional is what a job may do beside what it must, until its deadline:
// it is paid for by what was executed. The deadline is then a hard one: what the
// job has when it comes is its result.
type Optional struct {
	WorkMS     int64    `json:"work_ms"`           // at most, on each processor, as the estimate counts
	RateMicros int64    `json:"rate_micros_per_s"` // for each second of it that was executed, on any processor
	Argv       []string `json:"argv,omitempty"`    // a program of its own; empty: the same one goes on
}
