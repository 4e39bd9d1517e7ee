//go:build race

package slurm

// raced: tests run under the race detector.
const raced = true
