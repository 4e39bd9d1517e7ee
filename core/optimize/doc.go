// Package optimize finds the largest value of a function of several variables,
// each between zero and a bound of its own, all together below a common bound.
//
// The functions it is made for have many hills and sharp ridges: products of
// increasing terms, with max(0, ...) inside. So [Maximize] climbs from many
// fixed starting points with Newton's method, on a version of the function with
// its kinks rounded off over a width that goes to zero, and polishes the best
// summit on the function itself. [Search] is a second way to the same answer
// that shares nothing with the first but the problem: it only compares values.
//
// The package knows numbers and nothing else: no prices, no queues, no clock,
// no chance. The same problem always has the same answer, to the last bit.
//
// Read problem.go first (what is asked), then maximize.go (how it is answered).
package optimize
