//go:build !race

package slurm

const raced = false
