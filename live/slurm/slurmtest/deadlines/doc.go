// Command deadlines runs the same jobs, each due at a time, on a Slurm of this host: by Slurm alone, and through
// a market under one policy after the other, and says how many were done in time. It takes minutes for each
// way, and wants root, as the tests on a real Slurm do.
//
//	go run ./live/slurm/slurmtest/deadlines -ways plain,edf,libra-plus,going-rate -seed 1
//
// Every node has a part of a processor of this host, by Slurm alone as through the market, so that jobs which
// compute take as long as if there were as many machines.
package main
