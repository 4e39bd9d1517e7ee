// Package slurmtest runs a real Slurm on this host for the length of a test: munged,
// slurmctld, a slurmd for each node, slurmrestd, with the plugins of this project.
//
// Read start.go first: [Start] is what tests call. [Up] is the same for whoever has
// no test; the command in dev uses it to give a person a Slurm to try things with,
// and the one in deadlines to hold the market against Slurm alone.
//
// All of it lives in one temporary directory, under node names that no other run has,
// because Slurm names its control groups after the nodes. There are a few such clusters
// on a host at a time, each at a place of its own (lock.go) with ports and a network that
// no other has: a lock on a file of the host sees to that, and whoever takes a place
// clears away what earlier holders left that were killed.
//
// The package touches no other Slurm and none of its files: neither /etc/slurm nor a
// service that the host may run.
package slurmtest
