package trade

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// maxQuotedEnv is how many bytes of environment are kept with a quote that names no program:
// licences and the like. The rest comes with the program, when it is taken.
const maxQuotedEnv = 4096

// ValidateQuoted names the first thing about what a quote is to run that makes no sense; also of
// one that does not say yet, for a quote is kept with all that it was asked for with.
func ValidateQuoted(r *Request) error {
	if !r.HasProgram() && size(r.Env) > maxQuotedEnv {
		return market.Wrong("env", fmt.Sprintf("at most %d bytes where no program is named: it is given with the program, when the quote is taken", maxQuotedEnv))
	}
	named := r.WithProgram()
	return named.ValidateProgram()
}
