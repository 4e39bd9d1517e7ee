// Package controller runs a live market: it drives the exchange with the wall
// clock, writes down what was decided, and only then lets anybody know.
//
// One goroutine owns the exchange and takes what comes from one inbox; another
// writes batches to the store while the first goes on deciding, so many
// commands share one write (group commit). Answers, orders to nodes and notices
// go out when what they rest on is durable, never before. After a crash the
// state is a snapshot and the commands after it, carried out again: they must
// give what the log says they gave. If the store cannot be written, nothing is
// acknowledged, and the state is read back from it.
//
// It decides nothing about jobs, prices or money. Read loop.go first.
package controller
