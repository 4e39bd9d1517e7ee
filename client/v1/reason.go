package v1

// Why a job was refused or stopped. The set is closed: programs switch on it,
// people read the detail beside it.
const (
	ReasonResources  = "cannot_meet_resources" // no such cluster could ever hold it
	ReasonDeadline   = "cannot_meet_deadline"  // not in time
	ReasonBudget     = "cannot_meet_budget"    // not for this money
	ReasonNotWorthIt = "not_worth_it"          // it would lower what the cluster earns
	ReasonAdmission  = "not_admitted"          // the admission control said no
	ReasonNodeLost   = "node_lost"             // a node it ran on is gone and no other can take it in time
	ReasonByUser     = "by_user"               // its user cancelled it
	ReasonPatience   = "out_of_patience"       // it waited until its limit
	ReasonNotFirm    = "not_firm"              // nothing firm could be promised, and only that can be kept
	ReasonFunds      = "insufficient_funds"
	ReasonLimit      = "over_limit"
	ReasonAccount    = "no_such_account" // to give to, or to change
	ReasonDependency = "dependency_failed"
	ReasonOverrun    = "overrun"
	ReasonQuoteGone  = "quote_expired"
	ReasonRefused    = "node_refused" // the node could not start it
	ReasonDraining   = "draining"
	ReasonOOM        = "out_of_memory"
	ReasonOutput     = "output_limit" // it wrote more than a job may
	ReasonDisk       = "disk_limit"   // it has more on disk than it asked for
	ReasonTime       = "time_limit"   // it ran as long as the batch system lets it
	ReasonExit       = "exit_status"
	ReasonSignal     = "signal"
	ReasonLease      = "lease_ran_out"
	ReasonVoided     = "voided"            // by the owner of the market: nothing is owed
	ReasonPenalty    = "penalty_not_sold"  // the penalty asked for is too high, or none are sold at the moment
	ReasonImprecise  = "no_optional_parts" // the policy, or a node, knows none
)

// Reasons lists all of them.
func Reasons() []string {
	return []string{
		ReasonResources, ReasonDeadline, ReasonBudget, ReasonNotWorthIt, ReasonAdmission, ReasonNodeLost, ReasonByUser,
		ReasonPatience, ReasonNotFirm, ReasonFunds, ReasonLimit, ReasonDependency, ReasonOverrun, ReasonQuoteGone,
		ReasonRefused, ReasonDraining, ReasonOOM, ReasonExit, ReasonSignal, ReasonLease, ReasonImprecise, ReasonVoided, ReasonPenalty,
		ReasonOutput, ReasonDisk, ReasonTime, ReasonAccount,
	}
}
