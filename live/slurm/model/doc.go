// Package model is a Slurm in memory, in the time of whoever runs it: for storms and for
// simulated worlds.
//
// It knows what a backend can ask for and what can go wrong with that: its controller
// dies and forgets, nodes fail, drain, or lose slurmd while their processes go on, calls
// hang or lose their answers. It decides nothing about the market. What is true of it is
// what was seen of a real Slurm (live/slurm/slurmtest).
package model
