// Package cluster is the core of Libra: events in, events out.
//
// A Cluster keeps the book of one cluster and asks one policy. Whoever drives
// it, a simulator with virtual nodes or a controller with real ones, brings
// what happened at an instant and carries out what the cluster says: the same
// events in give the same events out. It has no clock, no goroutines and no
// files, and it cannot tell which driver it has.
//
// All that it will ever say depends on its nodes, its policy and its State:
// written down and restored it goes on where it was, with more nodes or under
// another policy if need be.
//
// Read Step first, then reserve.go and extend.go for what a live market asks
// beyond the simulated one.
package cluster
