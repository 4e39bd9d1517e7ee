package trade

import "github.com/libra-market/libra/core/task"

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
	Reason  string  `json:"reason,omitempty"` // why it was refused or stopped: market.Reason, or one of this package's
	Detail  string  `json:"detail,omitempty"` // the same for people
	Request Request `json:"request,omitzero"` // a log says it once

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
	Part        task.Part `json:"part,omitempty"`
	MandatoryUS int64     `json:"mandatory_us,omitempty"`
	OptionalMS  int64     `json:"optional_ms,omitempty"`
	Optional    int64     `json:"optional_micros,omitempty"`

	TakenOut []int `json:"taken_out,omitempty"` // elements of an array that were cancelled while it waited, in order: it was priced without them

	Storage *Storage `json:"storage,omitempty"` // memory and disk, where the market sells them by the time they are held

	Share  float64 `json:"share"`            // of each processor, now
	Places []Place `json:"places,omitempty"` // where it runs or ran

	Tasks      []task.Status `json:"tasks,omitempty"` // how each rank ended or stands
	Extensions []Extension   `json:"extensions,omitempty"`
	Timeline   []Point       `json:"timeline,omitempty"`
	Receipt    *Receipt      `json:"receipt,omitempty"`
	Quote      string        `json:"quote,omitempty"` // the quote it was submitted on

	// Archived is the entry of the log that has its program, where that is in an archive
	// file that cannot be read here.
	Archived int64 `json:"archived,omitempty"`
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
