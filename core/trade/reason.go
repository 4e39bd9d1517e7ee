package trade

import "github.com/libra-market/libra/core/market"

// Reasons of this package, beside those of market.Reason.
const (
	ReasonFunds      = "insufficient_funds"
	ReasonLimit      = "over_limit"
	ReasonAccount    = "no_such_account"
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
	ReasonPenalty    = "penalty_not_sold"  // the rate asked for is too high, or the owner can promise no more
	ReasonImprecise  = "no_optional_parts" // the policy, or a node, knows none
)

// TooDear is said to who names no budget where no budget would do.
const TooDear = "it costs more than anybody can bid"

// RefusalText says in a sentence why the market said no.
func RefusalText(r market.Reason) string {
	switch r {
	case market.CannotMeetResources:
		return "no node of this cluster could ever hold it"
	case market.CannotMeetDeadline:
		return "it cannot be done by its deadline beside what has been promised to others"
	case market.CannotMeetBudget:
		return "it costs more than its budget"
	case market.NotWorthIt:
		return "it would cost the owner more, in what others pay or are paid, than it brings"
	case market.NotAdmitted:
		return "jobs of its class are not being admitted at the moment"
	case market.NodeLost:
		return "its node is gone and no other can take it in time"
	case market.ByUser:
		return "cancelled"
	case market.OutOfPatience:
		return "it waited until its limit"
	case market.NotFirm:
		return "nothing can be promised to it now, so there is no binding quote"
	case market.NoReason:
	}
	return ""
}
