package trade

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

// Optional is what a job may do beside what it must, until its deadline (003):
// it is paid for by what was executed. The deadline is then a hard one: what the
// job has when it comes is its result.
type Optional struct {
	WorkMS     int64    `json:"work_ms"`           // at most, on each processor, as the estimate counts
	RateMicros int64    `json:"rate_micros_per_s"` // for each second of it that was executed, on any processor
	Argv       []string `json:"argv,omitempty"`    // a program of its own; empty: the same one goes on
}

// validateOptional names what makes no sense of the terms of an optional part.
func (r *Request) validateOptional() error {
	o := r.Optional
	if o == nil {
		return nil
	}
	_, fits := bill.Pay(market.Money(o.RateMicros), o.WorkMS, r.Procs())
	switch {
	case o.WorkMS <= 0 || o.WorkMS > MaxMS:
		return market.Wrong("optional.work_ms", upTo("more than 0", MaxMS)+": the most that it may run beyond the estimate")
	case o.RateMicros < 0 || o.RateMicros > maxMicros:
		return market.Wrong("optional.rate_micros_per_s", upTo("0 or more", maxMicros))
	case !fits:
		return market.Wrong("optional.rate_micros_per_s", "no more than there is money")
	case r.DeadlineMS == 0:
		return market.Wrong("optional", "a deadline_ms with it: what is optional ends then")
	case r.Budget == nil:
		return market.Wrong("optional", "a budget_micros with it: what the mandatory part is worth")
	case r.Soft:
		return market.Wrong("soft", "a hard deadline with an optional part")
	case r.Array != nil:
		return market.Wrong("array", "processors instead: each of them runs both parts")
	}
	return nil
}

// validateProgram names what makes no sense of the program of an optional part.
func (o *Optional) validateProgram() error {
	switch {
	case o == nil:
		return nil
	case len(o.Argv) > 0 && o.Argv[0] == "":
		return market.Wrong("optional.argv", "a program, or none")
	case size(o.Argv) > MaxArgs:
		return market.Wrong("optional.argv", fmt.Sprintf("at most %d bytes", MaxArgs))
	case nul(o.Argv):
		return market.Wrong("optional.argv", "no NUL bytes")
	}
	return nil
}

// sameTerms reports whether two optional parts cost the same; and run the same,
// where the quoted one says what.
func (o *Optional) sameTerms(quoted *Optional) bool {
	return quoted != nil && o.WorkMS == quoted.WorkMS && o.RateMicros == quoted.RateMicros &&
		(len(quoted.Argv) == 0 || slices.Equal(o.Argv, quoted.Argv))
}
