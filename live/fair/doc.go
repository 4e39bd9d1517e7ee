// Package fair keeps one party from taking what is everybody's: how often somebody
// may ask, how many calls, streams and bodies of theirs are under way, and whose
// turn it is.
//
// A [Gate] stands before the API and the pages; [Limits] are its settings. A
// [Queue] is the inbox of a controller: who floods it waits behind itself. A [Party]
// is a user, whatever tokens and pages they use, or a node; it travels with the
// context of a call. What is over a limit is an [Over], which says which limit, what
// to do, and when to come again.
//
// It decides nothing about jobs, prices or money. Read gate.go first.
package fair
