package market

import "fmt"

// Reason says why a job was refused or stopped. The set is closed: programs
// switch on it, people read the detail beside it.
type Reason uint8

// The reasons.
const (
	NoReason            Reason = iota
	CannotMeetResources        // no such cluster could ever hold it
	CannotMeetDeadline         // not in time
	CannotMeetBudget           // not for this money
	NotWorthIt                 // it would lower what the cluster earns (001)
	NotAdmitted                // the admission probability said no (004)
	NodeLost                   // a node it ran on is gone and no other can take it in time
	ByUser                     // its user cancelled it
	OutOfPatience              // it waited until its limit (004)
	NotFirm                    // nothing firm could be promised, and only that can be kept
)

var reasons = [...]string{
	"", "cannot_meet_resources", "cannot_meet_deadline", "cannot_meet_budget", "not_worth_it", "not_admitted",
	"node_lost", "by_user", "out_of_patience", "not_firm",
}

func (r Reason) String() string { return reasons[r] }

// ReasonOf is the reason of a name; NoReason where there is none.
func ReasonOf(name string) Reason {
	for r := range Reason(len(reasons)) {
		if reasons[r] == name {
			return r
		}
	}
	return NoReason
}

// Rejection is the answer no: an error value, and a perfectly good answer.
type Rejection struct {
	Reason Reason
	Detail string
}

func (r *Rejection) Error() string {
	if r.Detail == "" {
		return r.Reason.String()
	}
	return fmt.Sprintf("%s: %s", r.Reason, r.Detail)
}

// Quote is the answer yes: what it costs and when it will be done. A quote
// that is not firm promises nothing until the job starts.
type Quote struct {
	Price  Price
	Finish Time
	Firm   bool
	// Passing is a quote that holds now and cannot be kept for later.
	Passing bool
	Procs   Procs // where it would run, if that is decided now

	// Where the policy knows optional parts (003): what the cluster expects to
	// earn with the job less what it does without, and when its mandatory part
	// would be done if nothing else arrived.
	Gain     Price
	Expected Time
}
