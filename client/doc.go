// Package client speaks to a market over the network: one method for every
// route of package api, in the words of exchange, task and ledger.
//
// It sends again what can safely be sent again, and nothing else: calls that
// only read, and calls that change something under an idempotency key, which
// it draws itself unless the caller names one ([WithKey]). A refusal comes back
// as a *[Problem] that errors.As finds. It decides nothing.
//
// Read client.go first.
package client
