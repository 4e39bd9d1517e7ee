// Package client speaks to a market over the network: one method for every
// route that people use, in the wire form (package v1).
//
// It imports that and the standard library, and so does whoever imports it: no
// policy, no solver, no database (a test sees to that). Agents, which speak of
// tasks, have package link.
//
// It sends again what can safely be sent again, and nothing else: calls that
// only read, and calls that change something under an idempotency key, which
// it draws itself unless the caller names one ([WithKey]). A refusal comes back
// as a *[Problem] that errors.As finds. It decides nothing.
//
// Read client.go first.
package client
