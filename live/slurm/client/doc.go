// Package client speaks to Slurm: over HTTP to slurmrestd, or by Slurm's commands.
//
// [Open] finds out which of the two is there and in which version. Both are the same
// [Slurm] to callers, and one suite of tests holds both to it. Read words.go first
// (what can be asked and told), then rest.go and commands.go (the two ways).
//
// The package decides what an answer of Slurm means: a refusal, an accident after
// which nobody knows, a note beside a success. It decides nothing about jobs, keeps
// no state of them beyond one listing, and repeats no call by itself. What users can
// write into Slurm (names, comments, scripts) is never taken for anything else.
package client
