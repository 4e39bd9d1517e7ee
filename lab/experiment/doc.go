// Package experiment repeats the evaluations of the papers and says what came
// of it: figures with confidence intervals, and a verdict on every statement
// that a paper makes about its results.
//
// A run is single-threaded and a pure function of its [Cell]; many run side by
// side, and what comes out does not depend on how many. Policies that are
// compared are shown the same jobs (common random numbers). Verdicts are
// reached by code on the measured figures, never written by hand: a statement
// that does not hold says so, with the numbers.
//
// The package schedules nothing and prices nothing: it drives cluster and sim
// as any other caller does. It never prints; progress is a callback.
//
// Read cell.go first (what one run is), then grid.go (runs to series),
// libraplus.go (a paper as data) and claim.go (how a verdict is reached).
// paper.go has the registry: a new paper is one more value in it. report.go
// writes it all into a directory.
package experiment
