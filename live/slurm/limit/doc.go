// Package limit knows what a Slurm lets whom have: the limits of a partition, of
// associations and of qualities of service. What Slurm would keep waiting is known
// here before anything is promised.
//
// It decides nothing about a job in Slurm, and asks nobody: texts of Slurm's commands
// go in, and the first limit that a job would exceed comes out. What it cannot read it
// takes for no limit; a job that Slurm keeps waiting all the same is noticed elsewhere.
//
// Read check.go first (what is compared), then read.go (what Slurm says).
package limit
