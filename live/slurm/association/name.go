package association

import (
	"strings"

	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
)

// Named finds the account that Slurm calls by a name, of those that somebody is bound
// to: scripts say -A theory, whatever theory is below. It gives nobody anything: what
// they are not bound to is not looked at.
func Named(bound accounts.Bindings, under, name string) (path string, found bool) {
	if name == "" || strings.Contains(name, "/") || bound.May(name) {
		return "", false
	}
	for _, b := range bound {
		if strings.HasSuffix(b.Account, "/"+name) && ledger.Within(market.Account(b.Account), market.Account(under)) {
			if found {
				return "", false // which of them is not for us to say
			}
			path, found = b.Account, true
		}
	}
	return path, found
}
