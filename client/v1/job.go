package v1

import "strings"

// State is where a job is in its life. Every job ends in exactly one of the
// final ones.
type State string

// The states of a job.
const (
	Held      State = "held"      // waits for other jobs (After), for its time to begin or for its user
	Queued    State = "queued"    // waits for processors, nothing promised yet
	Running   State = "running"   // has its processors and its promise
	Stopping  State = "stopping"  // was told to end
	Completed State = "completed" // ran to its end, with success
	Failed    State = "failed"    // ran to its end, without
	Cancelled State = "cancelled" // by its user or the owner
	Rejected  State = "rejected"  // the market said no
	Stopped   State = "stopped"   // over-ran its estimate and could not go on
	Expired   State = "expired"   // waited in vain, with a penalty
	Lost      State = "lost"      // its node is gone and no other could take it
)

// Final reports whether nothing more will happen to the job.
func (s State) Final() bool {
	switch s {
	case Held, Queued, Running, Stopping:
		return false
	default:
		return true
	}
}

// Word is the state as people read it. To programs a job is rejected; people are refused, here as
// on every page and in every sentence.
func (s State) Word() string {
	if s == Rejected {
		return "refused"
	}
	return string(s)
}

// Starting is shown, in place of Running, of a job of which no node has said yet that
// it runs. It is no state: see Job.Starting.
const Starting = "starting"

// Suspended is shown, in place of Running, of a job that the batch system has suspended.
// It is no state either: see Job.Suspended.
const Suspended = "suspended"

// Shown is how a job stands, in a word for people: that of its state, Starting or Suspended.
func (j *Job) Shown() string {
	switch {
	case j.Starting:
		return Starting
	case j.Suspended && j.State == Running:
		return Suspended
	}
	return j.State.Word()
}

// Begun is when a job began to run, as far as that is known, 0: it has not. Where a batch
// system runs it that is when this began it, and StartedUS is when it was handed over.
func (j *Job) Begun() int64 {
	switch {
	case j.BegunUS != 0:
		return j.BegunUS
	case j.Batch != "" || j.Starting: // it may not have been handed on yet
		return 0
	}
	return j.StartedUS
}

// States lists all states, in the order of a life.
func States() []State {
	return []State{Held, Queued, Running, Stopping, Completed, Failed, Cancelled, Rejected, Stopped, Expired, Lost}
}

// Job is what there is to know of one job. Times are unix microseconds, 0
// where there is none; money is micro-units.
type Job struct {
	ID      int64   `json:"id"`
	Owner   string  `json:"owner"`
	Account string  `json:"account"`
	Name    string  `json:"name"`
	Program string  `json:"program,omitempty"` // what it runs, by a name under which its runs are alike; none of a script that was in no file
	State   State   `json:"state"`
	Reason  string  `json:"reason,omitempty"` // why it was refused or stopped: a word of a closed set
	Detail  string  `json:"detail,omitempty"` // the same for people
	Request Request `json:"request"`

	SubmittedUS int64 `json:"submitted_us"`
	QuotedUS    int64 `json:"quoted_us,omitempty"` // when the quote was made that it was submitted on
	StartedUS   int64 `json:"started_us,omitempty"`
	EndedUS     int64 `json:"ended_us,omitempty"`
	BeginUS     int64 `json:"begin_us,omitempty"`    // it begins no sooner
	OnHold      bool  `json:"on_hold,omitempty"`     // it waits until its user lets it begin
	DueUS       int64 `json:"due_us,omitempty"`      // deadline
	PromisedUS  int64 `json:"promised_us,omitempty"` // when it will be done at the latest, if that was promised
	Firm        bool  `json:"firm"`                  // the promise stands
	Starting    bool  `json:"starting,omitempty"`    // running, as the market has ordered, and no node has said so yet
	InTime      bool  `json:"in_time,omitempty"`     // it has ended by its deadline, as far as that can be measured

	Price   int64  `json:"price_micros"`              // as agreed
	Held    int64  `json:"held_micros"`               // kept of the account now
	Charged int64  `json:"charged_micros"`            // at the end
	CostNow int64  `json:"cost_now_micros,omitempty"` // of one under way: what it would owe if it ended now
	Penalty int64  `json:"penalty_micros"`            // paid to the user at the end; while it runs, what it has come to
	Work    int64  `json:"work_ms"`                   // done so far, of EstimateMS, on each processor
	Extra   int64  `json:"extra_ms,omitempty"`        // granted beyond the estimate
	Width   int    `json:"width"`                     // processors
	Attempt int    `json:"attempt,omitempty"`         // how often it was started anew
	Policy  string `json:"policy"`

	// Of a job with an optional part: which part it is with, when its mandatory
	// part was done, how much of the optional one was executed on all its
	// processors, and what that is worth. Work above is that of the mandatory part.
	// Its end is not after its deadline if its mandatory part was in time: what it
	// takes to wind up is not the market's.
	Part        Part  `json:"part,omitempty"`
	MandatoryUS int64 `json:"mandatory_us,omitempty"`
	OptionalMS  int64 `json:"optional_ms,omitempty"`
	Optional    int64 `json:"optional_micros,omitempty"`

	TakenOut []int `json:"taken_out,omitempty"` // elements of an array that were cancelled while it waited, in order: it was priced without them

	Storage *Storage `json:"storage,omitempty"` // memory and disk, where the market sells them by the time they are held

	Share  float64 `json:"share"`            // of each processor, now
	Places []Place `json:"places,omitempty"` // where it runs or ran

	Tasks      []TaskStatus `json:"tasks,omitempty"` // how each rank ended or stands
	Extensions []Extension  `json:"extensions,omitempty"`
	Timeline   []Point      `json:"timeline,omitempty"`
	Receipt    *Receipt     `json:"receipt,omitempty"`
	Quote      string       `json:"quote,omitempty"` // the quote it was submitted on

	// Batch is what the batch system that runs it calls the job, in its latest attempt:
	// Slurm's number. "": nothing runs it but agents, or it has not been handed on yet.
	Batch string `json:"batch,omitempty"`

	// BegunUS is when the batch system began it, in its latest attempt: StartedUS is when it
	// was given processors and handed over. 0: it has not, or nothing runs it but agents.
	BegunUS int64 `json:"begun_us,omitempty"`

	// Suspended says that the batch system has suspended it: it keeps its processors and its
	// promise, has no progress and uses nothing up.
	Suspended bool `json:"suspended,omitempty"`

	// Elements are those of an array, in order, where one job is asked for: of a very
	// large array those of which something is known.
	Elements []Element `json:"elements,omitempty"`

	// Archived is the entry of the log that has its program, where that is in an archive
	// file that the market cannot read.
	Archived int64 `json:"archived,omitempty"`
}

// Element is how an element of an array stands.
type Element struct {
	Index     int          `json:"index"`
	State     ElementState `json:"state"`
	Exit      *int         `json:"exit,omitempty"`   // of one that has ended by itself
	Signal    string       `json:"signal,omitempty"` // that ended it
	Error     string       `json:"error,omitempty"`  // why it never began
	StartedUS int64        `json:"started_us,omitempty"`
	EndedUS   int64        `json:"ended_us,omitempty"`
	Node      string       `json:"node,omitempty"`
	Rank      int          `json:"rank"`
	Output    string       `json:"output,omitempty"` // file, on its node
}

// ElementState is where an element of an array is in its life.
type ElementState string

// The states of an element.
const (
	ElementWaiting   ElementState = "waiting"
	ElementRunning   ElementState = "running"
	ElementUnderway  ElementState = "under way" // its task runs, and nobody says how far it is: a batch system, or an older agent
	ElementCompleted ElementState = "completed"
	ElementFailed    ElementState = "failed"
	ElementNotRun    ElementState = "not run"   // the job ended first
	ElementCancelled ElementState = "cancelled" // by its user, while the array waited
)

// Programs counts the programs of the job that have a place.
func (j *Job) Programs() int { return len(j.Places) / j.Request.threads() }

// Agreed reports whether a price was agreed on: not with one that the market did not take,
// nor with one that was kept back, and ended so. It may be nothing.
func (j *Job) Agreed() bool {
	return j.State != Rejected && j.State != Held && (j.Price != 0 || j.StartedUS != 0 || !j.State.Final())
}

// Cluster is which market behind a broker has taken the job: the broker says it before the
// name of each node. "": there is no broker, or it has not been taken yet.
func (j *Job) Cluster() string {
	if len(j.Places) == 0 {
		return ""
	}
	cluster, _, of := strings.Cut(j.Places[0].Node, "/")
	if !of {
		return ""
	}
	return cluster
}

// NodeOf is the node of a program.
func (j *Job) NodeOf(program int) string { return j.Places[program*j.Request.threads()].Node }

// AskedMS is the work that Work is a part of: the estimate, of an array that of all its
// elements, on each processor, with what was granted beyond it.
func (j *Job) AskedMS() int64 {
	ms := j.Request.EstimateMS
	if a := j.Request.Array; a != nil {
		ms = max(1, ms*int64(a.Len())/int64(max(1, j.Width)))
	}
	return ms + j.Extra
}

// Done is the part of it that is done: all of it when the job is, however little that
// took.
func (j *Job) Done() float64 {
	asked := j.AskedMS()
	switch {
	case j.State == Completed || j.MandatoryUS != 0:
		return 1
	case asked <= 0:
		return 0
	}
	return min(1, max(0, float64(j.Work)/float64(asked)))
}

// Storage is what is agreed on the memory, the disk and the GPUs of a job: a part of its
// price.
type Storage struct {
	Price  int64 `json:"price_micros"`               // for all of that time
	GPUs   int64 `json:"gpu_price_micros,omitempty"` // of that, what is for GPUs
	TimeMS int64 `json:"time_ms"`                    // the longest for which it may hold them
	MoreMS int64 `json:"more_ms,omitempty"`          // sold beyond it, at the same price
}

// Place is a processor of a node.
type Place struct {
	Node      string `json:"node"`
	Processor int    `json:"processor"`
}

// Point is a share from a time on.
type Point struct {
	AtUS  int64   `json:"at_us"`
	Share float64 `json:"share"`
}

// Extension is work granted beyond the estimate, at the price of that moment.
type Extension struct {
	AtUS   int64 `json:"at_us"`
	WorkMS int64 `json:"work_ms"`
	Price  int64 `json:"price_micros"` // for all of it; what is not used is not charged
	UsedMS int64 `json:"used_ms"`      // so far
}

// Explanation says how a job stands, in words and in numbers.
type Explanation struct {
	Job         int64    `json:"job"`
	State       State    `json:"state"`
	Summary     string   `json:"summary"`
	Because     []string `json:"because"`
	Share       float64  `json:"share"`
	Need        float64  `json:"need"` // the share it must have to be in time
	PredictedUS int64    `json:"predicted_us,omitempty"`
	DueUS       int64    `json:"due_us,omitempty"`
	Odds        float64  `json:"odds"`
	OddsFrom    string   `json:"odds_from"` // what the odds are reckoned from
	Ahead       int      `json:"ahead"`     // jobs before it in the queue
	PenaltyNow  int64    `json:"penalty_micros"`
	CostNow     int64    `json:"cost_micros"`             // if it ended now, by itself or as it was told to
	CancelNow   *int64   `json:"cancel_micros,omitempty"` // if it were cancelled now; markets of the first version do not say

	Part       Part  `json:"part,omitempty"`            // of a job that has two: the one it is with
	OptionalMS int64 `json:"optional_ms,omitempty"`     // executed of the optional part so far, on all processors
	Optional   int64 `json:"optional_micros,omitempty"` // what that is worth; part of the cost
}
