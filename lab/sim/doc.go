// Package sim drives a cluster from a workload in virtual time.
//
// It stands where the controller stands in a live system: it brings what
// happened and carries out what the cluster says, on virtual nodes that know
// how long each job really runs. Its clock is the earliest thing that will
// happen; progress is computed, never ticked. A run is a pure function of the
// workload, the cluster and the policy.
//
// Read Run first, then nodes.go; sites.go is a world of several clusters.
package sim
