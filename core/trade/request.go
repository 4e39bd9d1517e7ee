package trade

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

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
	Reservation   string   `json:"reservation,omitempty"`          // of the batch system, whose nodes it is on; empty: on none that is set aside
	QOS           string   `json:"qos,omitempty"`                  // of the batch system, under which it runs there; empty: its user's usual one
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

// Said reports whether there is a request: none is without an estimate.
func (r *Request) Said() bool { return r.EstimateMS != 0 }

// Overrun is what becomes of a job that needs more than it estimated when it
// can get no more: no room beside the promises to others, or no budget.
type Overrun string

// What a user can choose.
const (
	OverrunStop Overrun = "stop" // SIGTERM, and SIGKILL after the grace
	OverrunLate Overrun = "late" // goes on with what others leave, without a promise
	OverrunKill Overrun = "kill" // SIGKILL at once
)

// Array is a sweep over indexes with one deadline and one budget for the whole
// (002, future work): at most Limit of the elements run at a time.
type Array struct {
	First int `json:"first"`
	Last  int `json:"last"`
	Step  int `json:"step,omitempty"`  // default 1
	Limit int `json:"limit,omitempty"` // 0: as many as the market takes
	Nodes int `json:"nodes,omitempty"` // that those which run at a time are on, at most; 0: any number

	List []int `json:"list,omitempty"` // those of them that there are, in order; none: all
}

// Bounds on requests: a thing beyond them is a mistake.
const (
	MaxName     = 128
	MaxScript   = 1 << 20
	MaxArgs     = 1 << 17 // bytes of all arguments
	MaxEnv      = 1 << 17
	MaxPath     = 4096 // bytes of the name of a file, as for Linux
	MaxElements = 100_000
	MaxAfter    = 100
	MaxTags     = 16
)

// FieldError says which field of a request makes no sense, and what would: in the
// words of the market, as of a job's.
type FieldError = market.FieldError

// Validate names the first field that makes no sense.
func (r *Request) Validate() error {
	if err := r.ValidateProgram(); err != nil {
		return err
	}
	return r.ValidateTerms()
}

// HasProgram reports whether the request says what to run: one that asks for a
// price alone need not.
func (r *Request) HasProgram() bool { return len(r.Argv) > 0 || r.Script != "" }

// ProgramSize is how many bytes what to run takes.
func (r *Request) ProgramSize() int {
	n := len(r.Script) + size(r.Argv) + size(r.Env)
	if r.Optional != nil {
		n += size(r.Optional.Argv)
	}
	return n
}

// WithoutProgram is the terms of a request.
func (r *Request) WithoutProgram() Request {
	t := *r
	t.Argv, t.Script, t.Env = nil, "", nil
	if t.Optional != nil {
		o := *t.Optional
		o.Argv = nil
		t.Optional = &o
	}
	return t
}

// ValidateProgram names the first thing about what is to be run that makes no sense.
func (r *Request) ValidateProgram() error {
	switch {
	case !Printable(r.Name, MaxName):
		return market.Wrong("name", fmt.Sprintf("at most %d printable characters", MaxName))
	case len(r.Argv) == 0 && r.Script == "":
		return market.Wrong("argv", "a program (or a script)")
	case len(r.Argv) > 0 && r.Script == "" && r.Argv[0] == "":
		return market.Wrong("argv", "a program")
	case size(r.Argv) > MaxArgs:
		return market.Wrong("argv", fmt.Sprintf("at most %d bytes", MaxArgs))
	case nul(r.Argv):
		return market.Wrong("argv", "no NUL bytes")
	case len(r.Script) > MaxScript || strings.Contains(r.Script, "\x00"):
		return market.Wrong("script", fmt.Sprintf("text of at most %d bytes", MaxScript))
	case r.Dir != "" && (!path.IsAbs(r.Dir) || strings.Contains(r.Dir, "\x00") || len(r.Dir) > MaxPath):
		return market.Wrong("dir", fmt.Sprintf("an absolute path of at most %d bytes", MaxPath))
	case size(r.Env) > MaxEnv || nul(r.Env):
		return market.Wrong("env", fmt.Sprintf("at most %d bytes, no NUL bytes", MaxEnv))
	case !assignments(r.Env):
		return market.Wrong("env", "NAME=value")
	case !Printable(r.Output, MaxPath): // patterns in it are filled in for each rank
		return market.Wrong("output", fmt.Sprintf("a path of at most %d bytes", MaxPath))
	case !Printable(r.Error, MaxPath):
		return market.Wrong("error", fmt.Sprintf("a path of at most %d bytes", MaxPath))
	}
	return r.Optional.validateProgram()
}

// ValidateTerms is Validate without the program.
func (r *Request) ValidateTerms() error {
	switch {
	case r.EstimateMS <= 0 || r.EstimateMS > MaxMS:
		return market.Wrong("estimate_ms", upTo("more than 0", MaxMS)+": how long it runs with a processor to itself")
	case r.DeadlineMS < 0 || r.DeadlineMS > MaxMS:
		return market.Wrong("deadline_ms", upTo("0 (none) or more", MaxMS))
	case r.BeginMS < 0 || r.BeginMS > MaxMS-r.DeadlineMS:
		return market.Wrong("begin_ms", upTo("0 or more, and with its deadline", MaxMS))
	case r.Soft && r.DeadlineMS == 0:
		return market.Wrong("soft", "a deadline_ms with it")
	case r.Budget != nil && (*r.Budget < 0 || *r.Budget > maxMicros):
		return market.Wrong("budget_micros", upTo("0 or more", maxMicros))
	case r.PenaltyMicros < 0 || r.PenaltyMicros > maxMicros:
		return market.Wrong("penalty_micros_per_s", upTo("0 or more", maxMicros))
	case r.PenaltyMicros > 0 && r.DeadlineMS == 0:
		return market.Wrong("penalty_micros_per_s", "a deadline_ms with it")
	case r.Processors < 0 || r.Processors > market.MaxWidth:
		return market.Wrong("processors", upTo("1 or more", market.MaxWidth))
	case r.Threads > market.MaxWidth: // before it becomes something smaller
		return market.Wrong("threads", fmt.Sprintf("at most %d", market.MaxWidth))
	case r.Threads < 0 || r.Threads > 1 && r.Procs()%r.Threads != 0:
		return market.Wrong("threads", fmt.Sprintf("a number that divides the processors, %d: so many of them are for one program", r.Procs()))
	case r.Spread && r.Array != nil:
		return market.Wrong("spread", "none for an array: its elements go one after the other through its processors")
	case r.Threads > 1 && r.Optional != nil:
		return market.Wrong("threads", "1: mandatory and optional parts run on one processor each")
	case r.MemoryMB < 0 || r.MemoryMB > maxMB:
		return market.Wrong("memory_mb", upTo("0 or more", maxMB))
	case r.DiskMB < 0 || r.DiskMB > maxMB:
		return market.Wrong("disk_mb", upTo("0 or more", maxMB))
	case r.GPUs < 0 || r.GPUs > market.MaxGPUs:
		return market.Wrong("gpus", upTo("0 or more", market.MaxGPUs))
	case r.GPUKind != "" && (r.GPUs == 0 || !market.Word(r.GPUKind)):
		return market.Wrong("gpu_kind", "a word of letters, digits, - _ and ., and gpus with it")
	case !names(r.Nodelist):
		return market.Wrong("nodelist", wantNames)
	case !names(r.Exclude):
		return market.Wrong("exclude", wantNames)
	case len(r.Constraint) > maxConstraint || r.Constraint != "" && market.CheckConstraint(r.Constraint) != nil:
		return market.Wrong("constraint", "a feature, or several as fast&ib or amd|intel, no more than 4 KB")
	case r.Partition != "" && !names(strings.Split(r.Partition, ",")):
		return market.Wrong("partition", "a word of letters, digits, - _ and .")
	case r.Reservation != "" && !market.Word(r.Reservation):
		return market.Wrong("reservation", "the name of one: letters, digits, - _ and .")
	case r.QOS != "" && !market.Word(r.QOS):
		return market.Wrong("qos", "the name of one QOS: letters, digits, - _ and .")
	case r.Class < 0 || r.Class > 1<<20:
		return market.Wrong("class", upTo("0 or more", 1<<20))
	case r.Overrun != "" && r.Overrun != OverrunStop && r.Overrun != OverrunLate && r.Overrun != OverrunKill:
		return market.Wrong("overrun", "stop, late or kill")
	case len(r.Follows()) > MaxAfter:
		return market.Wrong("after", fmt.Sprintf("at most %d jobs", MaxAfter))
	case slices.ContainsFunc(r.AfterBegun, func(b Begun) bool { return b.DelayMS < 0 || b.DelayMS > MaxMS }):
		return market.Wrong("after_begun", upTo("a delay_ms of 0 or more", MaxMS))
	case len(r.Tags) > MaxTags || size(r.Tags) > 4096 || nul(r.Tags):
		return market.Wrong("tags", fmt.Sprintf("at most %d short words", MaxTags))
	case r.GraceMS < 0 || r.GraceMS > 600_000:
		return market.Wrong("grace_ms", "0 to 600000")
	}
	if err := r.validateOptional(); err != nil {
		return err
	}
	if _, err := market.ParseObjective(r.Wish); err != nil {
		return market.Wrong("wish", "cheapest or fastest")
	}
	if a := r.Array; a != nil {
		if r.Procs() > r.PerProgram() {
			return market.Wrong("processors", "none, or as many as threads: each element of an array is one program, on so many processors of one node; for more say so many threads")
		}
		return a.validate()
	}
	return nil
}

// Bounds of what can be asked for.
const (
	MaxMS     = bill.MaxMS
	maxMicros = int64(bill.MaxAmount)
	maxMB     = int64(1e12)
)

// upTo is what is wanted of a number, with the largest that is allowed.
func upTo(least string, most int64) string { return fmt.Sprintf("%s, at most %d", least, most) }

// Printable reports whether a text can be shown on one line and is not too long.
func Printable(text string, most int) bool {
	return len(text) <= most && !strings.ContainsFunc(text, control)
}

func control(r rune) bool { return r < ' ' || r == 0x7f }

func size(words []string) int {
	n := 0
	for _, w := range words {
		n += len(w) + 1
	}
	return n
}

func nul(words []string) bool {
	for _, w := range words {
		if strings.Contains(w, "\x00") {
			return true
		}
	}
	return false
}

func assignments(env []string) bool {
	for _, e := range env {
		if name, _, ok := strings.Cut(e, "="); !ok || name == "" {
			return false
		}
	}
	return true
}
