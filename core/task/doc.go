// Package task is the words between the controller and the agents: what a node
// should run, and what became of it.
//
// The controller says what should be so (Desired: all of it, every time), never
// what to do next; an agent that was away reads one answer and is up to date.
// An agent says how each task stands (Report), and goes on saying how an ended
// one ended until it is told that this has been written down (Reply.Forget).
//
// The package holds plain data and decides nothing. Read desired.go first.
package task
