package ledger

import (
	"fmt"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// The accounts that are always there. No one spends from them.
const (
	// Mint is where grants come from. It alone may go below zero without
	// limit: how far it is below is how much money there is.
	Mint market.Account = "@mint"
	// Owner is the provider: it earns the charges and pays the penalties. It
	// may go below zero too, but only by penalties and refunds, because a
	// promise must be paid; [Account.Overdrawn] says by how much.
	Owner market.Account = "@owner"
	// Allowances is where allowances come from. It is there once one was paid, and
	// goes below zero without limit: how far it is below is what was paid.
	Allowances market.Account = "@allowance"
)

const (
	maxDepth = 8  // parts of a path
	maxPart  = 64 // bytes of a part
)

// CheckPath says what is wrong with the path of an account: one to eight parts
// with slashes between them, each a lower-case letter or digit followed by at
// most 63 of those, dots, underscores and hyphens. The system accounts are
// no such paths.
func CheckPath(path market.Account) error {
	parts := 0
	for rest, more := string(path), true; more; parts++ {
		var part string
		part, rest, more = strings.Cut(rest, "/")
		if part == "" || len(part) > maxPart {
			return fmt.Errorf("%w: %q (want parts of 1 to %d characters)", ErrPath, path, maxPart)
		}
		for i := range len(part) {
			if c := part[i]; !lowerOrDigit(c) && (i == 0 || c != '.' && c != '_' && c != '-') {
				return fmt.Errorf("%w: %q (want a-z and 0-9, and after the first also . _ -)", ErrPath, path)
			}
		}
	}
	if parts > maxDepth {
		return fmt.Errorf("%w: %q has %d parts (want at most %d)", ErrPath, path, parts, maxDepth)
	}
	return nil
}

func lowerOrDigit(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// Within reports whether the path is the root or lies below it.
func Within(path, root market.Account) bool {
	if len(path) <= len(root) {
		return path == root
	}
	return path[:len(root)] == root && path[len(root)] == '/'
}

// parent is the path one step up; at the top there is none.
func parent(path market.Account) (market.Account, bool) {
	slash := strings.LastIndexByte(string(path), '/')
	if slash < 0 {
		return "", false
	}
	return path[:slash], true
}

// top is the first part of the path.
func top(path market.Account) market.Account {
	first, _, _ := strings.Cut(string(path), "/")
	return market.Account(first)
}

// System reports whether an account is the market's own.
func System(path market.Account) bool { return system(path) }

func system(path market.Account) bool { return path == Mint || path == Owner || path == Allowances }
