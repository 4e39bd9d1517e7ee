// Command mutants changes one thing at a time in a package of the core and looks
// whether a test notices: an operator, a condition, a number, a statement left
// out. What no test notices is listed, with a score.
//
//	go run ./lab/mutants [flags] core/exchange core/ledger ...
//
// It is our own because the tools for Go test a mutant with its own package's
// tests, and build them anew for every mutant: our policies are tested by plays
// in lab/sim, and a thousand builds take hours. Here all mutants of a package are
// compiled into one program, in which a variable of the environment says which of
// them is alive (mutant schemata, Untch, Offutt and Harrold 1993): a mutant costs
// one run of the tests.
//
// Nothing is written beside the tree but for what go test itself writes: the
// changed sources reach the compiler as an overlay. What was found is kept in the
// directory of -out, and is not tried again as long as the source stays as it is.
//
// Read mutate.go for what is changed, then run.go for who is asked.
package main
