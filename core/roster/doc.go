// Package roster is the nodes of a live market: which have joined, in what shape,
// which of them are up, and what an owner lets them announce.
//
// A node is a party that may lie: what it says of itself is held against an
// [Allowance] before anything is promised on it. The package knows no jobs but by
// their numbers, and no prices.
package roster
