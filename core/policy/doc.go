// Package policy decides: which jobs are taken in, on what terms, on which
// processors, and how fast each of them advances.
//
// A policy is asked two things. Admit answers one job at the door and changes
// nothing, so that a quote is the same code as the real thing. Plan says what
// should hold from now on; it is asked again whenever something happened.
// Policies keep scratch space but no memory: all they know is in the view, so
// the same view always gets the same answer, in a simulated cluster, a live
// one, or one that has just recovered from its log.
//
// Read policy.go first, then easy.go for queues and libra.go for shares. The
// rules are those of the papers; where these leave things open ARCHITECTURE.md
// says what was chosen.
package policy
