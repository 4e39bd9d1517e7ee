// Package sweep runs a grid of policies, values of parameters and seeds on one
// workload, and keeps the results as lines of a tidy CSV.
//
// A [Plan] lays out the runs in a fixed order, gives the sweep a name that hangs
// on everything its results hang on, and makes a line of each result. Shards of
// a sweep, run anywhere and in any order, are put together by [Merge]: byte for
// byte what a single run would have written. What an interrupted sweep has left
// is read back by [Plan.Resume].
//
// Read plan.go first, then file.go.
package sweep
