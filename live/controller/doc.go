// Package controller runs a live market: it drives the exchange with the wall
// clock, writes down what was decided, and only then lets anybody know.
//
// One goroutine owns the exchange and takes what comes from one inbox; another
// writes batches to the store while the first goes on deciding, so many
// commands share one write (group commit). Answers, orders to nodes and notices
// go out when what they rest on is durable, never before. After a crash the
// state is a snapshot and the facts that the log holds after it, put in one after
// the other (recover.go): nothing is decided again, so it does not matter which
// version of the program decided it. Whether this one would decide the same is a
// question for a tool (strict.go). If the store cannot be written, nothing is
// acknowledged, and the state is read back from it.
//
// It decides nothing about jobs, prices or money. Read loop.go first.
package controller
