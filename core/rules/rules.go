package rules

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// Rules are how a market trades.
type Rules struct {
	// Endings is by which table a job is billed.
	Endings Endings
	// Unused is what work costs that was reserved and not used, as a part of its
	// price.
	Unused Part
	// PenaltyCap is the most that is paid for lateness, as a multiple of what the
	// job is charged. None: without end.
	PenaltyCap Part
	// PenaltyLimit is the highest rate of penalty that may be asked for: a second of
	// delay may cost so many times what a second of the estimate does. None: any.
	PenaltyLimit Part
	// OwnerFloor is how low the owner's account may fall by penalties: what could
	// fall below it is not promised. NoFloor: any.
	OwnerFloor market.Money
	// LossLimit is what the jobs that are lost on one node may cost the owner within an
	// hour, in penalties. NoFloor: any.
	LossLimit market.Money
	// Tolerance is the part of its estimate that a job may decline, of time it was
	// offered, and be paid for lateness all the same. None: any.
	Tolerance Part
	// Reporting is how often nodes report: what is later than due by no more is in
	// time, for nobody can have measured it.
	Reporting Part // seconds

	// Limit is who sees to it that a job takes no more than was sold to it.
	Limit Limit

	// Rounding is what becomes of a part of the smallest unit of money on a bill.
	Rounding Rounding

	// Least is the least work that is sold, in milliseconds on each processor: what a
	// node can tell apart. To begin and to be ended takes some. 0: any.
	Least Part

	// Optional is what an optional part pays for.
	Optional Optional

	// Storage is by whom memory and disk are sold, and for which time.
	Storage Storage

	// Unasked is the memory, in megabytes on each processor, that a job is sold which
	// asks for none, where memory has a price of its own. 0: none; it has what is left,
	// for nothing.
	Unasked Part

	// QuoteHold says that a binding quote holds its price.
	QuoteHold bool
	// QuoteShare is what all open quotes of one user may keep, as a part of the
	// cluster's processors. None: all of it.
	QuoteShare Part
	// QuoteAll is what the open quotes of all users together may keep, as a part of the
	// cluster's processors, and one processor at the least. None: all of it.
	QuoteAll Part
	// QuoteRent is what a quote costs that is not taken, as a part of its price for
	// each minute that it kept room.
	QuoteRent Part
	// QuoteLimit is how many quotes one user may have open. None: any number.
	QuoteLimit Part
}

// Endings is a table of what the endings of jobs owe.
type Endings string

// The tables.
const (
	// EndingsPapers: who ran to the end owes the price, whatever was used of it; who
	// was cancelled, what was had; and what was not foreseen is the owner's.
	EndingsPapers Endings = "papers"
	// EndingsUsed: however it ends, a job that began owes what it used, a part of
	// what it reserved and did not use, and what it took beyond its estimate; one
	// that never began, or was lost, owes nothing.
	EndingsUsed Endings = "used"
)

// Limit is who holds jobs to what was sold to them.
type Limit string

// Who does.
const (
	// LimitReport: the market, when it has heard of it. What a job takes until then is
	// held beside the price, and charged.
	LimitReport Limit = "report"
	// LimitNode: the node, at that very moment. Nothing is held beside the price, and
	// nothing charged beyond a budget, where all nodes can.
	LimitNode Limit = "node"
)

// Storage is how memory and disk are sold.
type Storage string

// How they are.
const (
	// StoragePolicy: by the policy, as a part of its price, for the estimate or for no
	// time at all.
	StoragePolicy Storage = "policy"
	// StorageHeld: by the market, under every policy, at its rates: agreed for the
	// longest time for which a job may hold them, and owed for that in which it does.
	StorageHeld Storage = "held"
)

// Rounding is where an amount goes that is no whole number of the smallest unit.
type Rounding string

// Where it goes.
const (
	// RoundingDown: in favour of who pays. At a rate of next to nothing much is free.
	RoundingDown Rounding = "down"
	// RoundingUp: nothing that was used is free. What is paid out is rounded down.
	RoundingUp Rounding = "up"
)

// Optional is what an optional part has executed of the time that it was granted.
type Optional string

// What it has.
const (
	// OptionalUsed: what it used, as in the papers. One that sleeps keeps its processors
	// from others for nothing.
	OptionalUsed Optional = "used"
	// OptionalGranted: what it used and what it declined, as of a mandatory part.
	OptionalGranted Optional = "granted"
)

// Part is a part or a multiple of something, in millionths.
type Part int64

const (
	// Whole is all of it.
	Whole Part = 1_000_000
	// None is without a bound.
	None Part = -1
)

// NoFloor is an account that may fall as low as it does.
const NoFloor = market.Money(math.MinInt64)

// Papers are the rules of the papers.
func Papers() Rules {
	return Rules{
		Endings: EndingsPapers, Unused: Whole, PenaltyCap: None, PenaltyLimit: None, OwnerFloor: NoFloor,
		LossLimit: NoFloor, Tolerance: None, Limit: LimitReport, Rounding: RoundingDown, Optional: OptionalUsed, Storage: StoragePolicy, QuoteShare: None, QuoteAll: None, QuoteLimit: None,
	}
}

// Live are the rules with which a live market begins.
func Live() Rules {
	return Rules{
		Endings: EndingsUsed, Unused: Whole / 4, PenaltyCap: Whole, PenaltyLimit: 10 * Whole, OwnerFloor: -1_000_000 * market.Unit,
		LossLimit: 10 * market.Unit, Tolerance: Whole / 20, Reporting: Whole, Limit: LimitNode, Rounding: RoundingUp, Least: 100 * Whole, Optional: OptionalGranted, Storage: StorageHeld, Unasked: 512 * Whole,
		QuoteHold: true, QuoteShare: Whole / 10, QuoteAll: Whole / 2, QuoteRent: Whole / 100, QuoteLimit: 16 * Whole,
	}
}

// Paid reports whether jobs pay by what they use.
func (r *Rules) Paid() bool { return r.Endings == EndingsUsed }

// Held reports whether nodes hold jobs to what was sold to them, where they can.
func (r *Rules) Held() bool { return r.Paid() && r.Limit == LimitNode }

// Stores reports whether the market sells memory and disk by the time for which they
// are held.
func (r *Rules) Stores() bool { return r.Paid() && r.Storage == StorageHeld }

// Up reports whether what is owed is rounded up.
func (r *Rules) Up() bool { return r.Rounding == RoundingUp }

// Granted reports whether an optional part pays for what it declines too.
func (r *Rules) Granted() bool { return r.Paid() && r.Optional == OptionalGranted }

// Of is a part of an amount, rounded down, and false where there is no bound.
func (p Part) Of(amount float64) (float64, bool) {
	return amount * float64(p) / float64(Whole), p != None
}

// Count is a part that counts things.
func (p Part) Count() (int64, bool) { return int64(p / Whole), p != None }
