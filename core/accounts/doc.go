// Package accounts says whose money is whose: which users may spend from which
// accounts, and which of them pays when a user names none.
//
// A user is bound to an account by somebody who says so, and by nothing else: no
// name is ever looked for in a path. A binding is to one account, or to one and
// all below it; a user may be bound to several accounts, and several users to one.
// The first that is open pays, so that opening another account moves nobody's
// money.
//
// It knows nothing of balances (package ledger) and nothing of jobs. [ByName] is
// the rule of the first versions, kept for what they wrote: it is asked once, when
// such a market is opened, and what it says is written down.
//
// Read register.go.
package accounts
