// Package market holds the words of Libra: what a job, a promise, a node and
// a price are, and what can happen to them.
//
// It decides nothing. Every other package speaks in these words, and this one
// imports only the standard library. Read job.go first (what a user asks for),
// then event.go (what can happen), then units.go (how numbers compare).
package market
