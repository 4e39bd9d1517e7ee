package market

import "fmt"

// JobID numbers jobs in the order of their submission, from 0. Between jobs
// that tie on everything else, the smaller ID goes first.
type JobID int64

// Account names who pays.
type Account string

// Job is what a user asks for. It says nothing of how long the job will really
// run: no policy can know more than a real scheduler could.
type Job struct {
	ID        JobID     `json:"id"`
	Submit    Time      `json:"submit"`
	Estimate  Work      `json:"estimate"`           // mandatory work on each processor, as the user estimates it
	Optional  Work      `json:"optional,omitempty"` // further work on each processor that adds value but may be cut short
	SLA                 // what the job is worth and when it must be done
	Memory    int64     `json:"memory,omitempty"`  // MB on each processor it holds
	Disk      int64     `json:"disk,omitempty"`    // MB on each processor it holds
	Width     int32     `json:"width"`             // processors
	Threads   int32     `json:"threads,omitempty"` // processors of each of its programs, which must be of one node; 0 and 1: any will do
	Spread    bool      `json:"spread,omitempty"`  // each of its programs is on a node of its own
	GPUs      int32     `json:"gpus,omitempty"`    // whole ones of each of its programs, which it holds as long as it runs
	Class     int32     `json:"class,omitempty"`   // class of service, where a policy knows classes
	Objective Objective `json:"wish,omitempty"`    // what to optimise among acceptable placements
	Owner     Account   `json:"owner,omitempty"`
	Name      string    `json:"name,omitempty"`
	GPUKind   string    `json:"gpu_kind,omitempty"` // "": any will do
	Where     *Where    `json:"where,omitempty"`    // nil: on any node
}

// SLA is the agreement about one job (001, section 3).
type SLA struct {
	Deadline Time  `json:"deadline"`          // period from submission; Never: none
	Budget   Price `json:"budget"`            // Unlimited: none
	Penalty  Price `json:"penalty,omitempty"` // taken off the budget for each second after the deadline
	Bonus    Price `json:"bonus,omitempty"`   // paid beside the budget for each second of optional work (003)
	Soft     bool  `json:"soft,omitempty"`    // the user can bear a delay, for that penalty
}

// Due is the instant at which the job must be finished.
func (j *Job) Due() Time { return j.Submit + j.SLA.Deadline }

// Whole is how many of so many processors of one node are of use to the job: as many
// as make whole sets of its threads, and one set where its programs are apart.
func (j *Job) Whole(processors int) int {
	if j.Spread {
		processors = min(processors, int(max(1, j.Threads)))
	}
	if j.Threads > 1 {
		processors -= processors % int(j.Threads)
	}
	return processors
}

// Utility is what finishing at the given time is worth: equation (1) of 001.
func (j *Job) Utility(finish Time) Price {
	late := max(0, finish-j.Due())
	if late == 0 {
		return j.SLA.Budget
	}
	return j.SLA.Budget - Price(float64(late)*float64(j.SLA.Penalty))
}

// Objective is the QoS optimisation of a job (000, section IV): which of several
// acceptable placements its user prefers.
type Objective uint8

// The objectives a user can have.
const (
	NoObjective Objective = iota // whatever suits the cluster
	Cheapest                     // the lowest cost
	Fastest                      // the earliest finish
)

var objectives = [...]string{"", "cheapest", "fastest"}

func (o Objective) String() string { return objectives[o] }

// ParseObjective reads an objective as users write it, who call it a wish.
func ParseObjective(text string) (Objective, error) {
	for i, name := range objectives {
		if text == name {
			return Objective(Uint8(i)), nil
		}
	}
	return NoObjective, fmt.Errorf("unknown wish %q (want cheapest or fastest)", text)
}

// Limits on what a job may ask. They keep every sum in the core far from the
// edge of its type; a job beyond them is a mistake.
const (
	MaxWidth         = 1 << 24
	maxSpan  float64 = 1e15 // seconds, processor-seconds, MB, units of currency
)

// Validate names the first field that makes no sense.
func (j *Job) Validate() error {
	switch {
	case j.Width < 1 || j.Width > MaxWidth:
		return fieldError("procs", float64(j.Width), "at least 1")
	case j.Threads < 0 || j.Threads > 1 && j.Width%j.Threads != 0:
		return fieldError("threads", float64(j.Threads), "as many as divide the processors")
	case !between(float64(j.Submit), -maxSpan):
		return fieldError("submit", float64(j.Submit), "a time")
	case !between(float64(j.Estimate), 0):
		return fieldError("estimate", float64(j.Estimate), "0 or more")
	case !between(float64(j.Optional), 0):
		return fieldError("optional", float64(j.Optional), "0 or more")
	case j.SLA.Deadline != Never && !between(float64(j.SLA.Deadline), 0):
		return fieldError("deadline", float64(j.SLA.Deadline), "0 or more, or none")
	case j.SLA.Budget.Limited() && !between(float64(j.SLA.Budget), 0):
		return fieldError("budget", float64(j.SLA.Budget), "0 or more, or none")
	case !between(float64(j.SLA.Penalty), 0):
		return fieldError("penalty_rate", float64(j.SLA.Penalty), "0 or more")
	case !between(float64(j.SLA.Bonus), 0):
		return fieldError("optional_rate", float64(j.SLA.Bonus), "0 or more")
	case !between(float64(j.Memory), 0):
		return fieldError("memory_mb", float64(j.Memory), "0 or more")
	case !between(float64(j.Disk), 0):
		return fieldError("disk_mb", float64(j.Disk), "0 or more")
	case j.GPUs < 0 || j.GPUs > MaxGPUs:
		return fieldError("gpus", float64(j.GPUs), "0 to 32768")
	}
	return nil
}

// FieldError says which field of a job, or of a request, makes no sense, and what
// would. Readers add the place.
type FieldError struct {
	Field string
	Value any // nil: what it is says nothing, or too much
	Want  string
}

func (e *FieldError) Error() string {
	if e.Value == nil {
		return e.Field + ": want " + e.Want
	}
	return fmt.Sprintf("%s: %v makes no sense (want %s)", e.Field, e.Value, e.Want)
}

// Wrong is a FieldError without the value: what it is says nothing, or too much.
func Wrong(field, want string) error { return &FieldError{Field: field, Want: want} }

func fieldError(field string, value float64, want string) error {
	return &FieldError{Field: field, Value: value, Want: want}
}

// between is false of NaN, which is neither more nor less than anything.
func between(x, least float64) bool { return x >= least && x <= maxSpan }
