// Package survey looks at a Slurm cluster before a market opens on it: whether it
// answers, what the partition has, and which of Slurm's settings a market cannot work
// with. It changes nothing there; what it finds says what to do.
//
// Read survey.go first; settings.go knows Slurm's settings, partition.go those of the
// partition, and compare.go holds the nodes of a market against Slurm's.
package survey
