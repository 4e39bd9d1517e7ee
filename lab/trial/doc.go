// Package trial puts one policy to one workload: it assembles the cluster, the
// jobs as the policy is to see them, and the folds that sum up what happened.
//
// Every simulated run of the house is a [Trial]: libra simulate, each cell of a
// sweep or of a paper's figure, each replay of the past. The package schedules
// nothing (core/policy), drives nothing (lab/sim) and counts nothing
// (lab/report); it only plugs these together, in one place.
package trial
