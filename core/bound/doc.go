// Package bound says what no policy can exceed: the most that any choice of jobs,
// made by somebody who knows the future, could bring on a cluster.
//
// The bound is a Lagrangian dual. Let jobs be fluid: work may be cut, moved,
// preempted and shared at will, as long as no job goes faster than on the fastest
// processors it may hold, and all together no faster than the cluster. Put a price on
// every processor-second of every stretch of time. A job then brings its worth less
// what the cheapest sufficient seconds of its window cost, or nothing, and all
// processor-seconds bring their price. Whatever the prices, the sum of both is at
// least the worth of any choice of jobs that fits: each job of the choice pays for seconds
// that it really takes, and there are no more of them than are counted. So every
// set of prices gives a bound, and a search for good prices may stop at any time.
//
// Prices of nothing give what all jobs together are worth. One price for all times gives the
// knapsack: the work that pays best first, until the processors are full. Both are where
// the search starts, so the bound is never above either.
//
// What it leaves out makes it generous, never too small: memory, disk and threads, nodes
// that fail, jobs that must not be moved or stopped, the width of gangs beside one another, and
// not knowing the future.
//
// Read offer.go first (what is asked), then dual.go (what prices answer) and
// search.go (how good ones are found).
package bound
