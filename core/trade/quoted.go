package trade

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// What is kept with a quote, for which nobody pays while it is open, is bounded.
const (
	// Of a program that is not named: licences and the like. The rest comes with the program, when it
	// is taken.
	maxQuotedEnv  = 4096 // bytes of environment
	maxQuotedArgs = 4096 // bytes of the program of an optional part

	maxQuotedNames = 1 << 14 // bytes of names of nodes, of each list
	maxQuotedList  = 2048    // indexes of an array that goes by no rule
)

// ValidateQuoted names the first thing about what a quote is to run that makes no sense; also of
// one that does not say yet, for a quote is kept with all that it was asked for with. One that was
// given before keeps what was allowed then.
func ValidateQuoted(r *Request, before bool) error {
	if before && !r.HasProgram() {
		return nil
	}
	if !before {
		if err := boundQuoted(r); err != nil {
			return err
		}
	}
	named := r.WithProgram()
	return named.ValidateProgram()
}

// boundQuoted names the first thing that is too long to be kept with a quote.
func boundQuoted(r *Request) error {
	const later = "at most %d bytes where no program is named: it is given with the program, when the quote is taken"
	switch unnamed := !r.HasProgram(); {
	case unnamed && size(r.Env) > maxQuotedEnv:
		return market.Wrong("env", fmt.Sprintf(later, maxQuotedEnv))
	case unnamed && r.Optional != nil && size(r.Optional.Argv) > maxQuotedArgs:
		return market.Wrong("optional.argv", fmt.Sprintf(later, maxQuotedArgs))
	case size(r.Nodelist) > maxQuotedNames:
		return market.Wrong("nodelist", fmt.Sprintf("at most %d bytes with a quote, which is kept: name what the nodes are (constraint), or hand the job in without a quote", maxQuotedNames))
	case size(r.Exclude) > maxQuotedNames:
		return market.Wrong("exclude", fmt.Sprintf("at most %d bytes with a quote, which is kept: name what the nodes are (constraint), or hand the job in without a quote", maxQuotedNames))
	case r.Array != nil && len(r.Array.List) > maxQuotedList:
		return market.Wrong("array.list", fmt.Sprintf("at most %d indexes with a quote, which is kept: name them as first to last by step, or hand the job in without a quote", maxQuotedList))
	}
	return nil
}
