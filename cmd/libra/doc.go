// Command libra is a market for compute, on the command line.
//
// Every command has one file, named after it: an options struct, its flags and
// a runX that does the work. Read main.go first, then root.go (the tree of
// commands and what counts as wrong usage), then simulate.go.
//
// The command line decides nothing about jobs. It reads files, puts the other
// packages together and prints what they say.
package main
