// Command deadlines runs the same jobs, each due at a time, on a Slurm of this host: by Slurm alone, and through
// a market under one policy after the other, and says how many were done in time. It takes minutes for each
// way, and wants root, as the tests on a real Slurm do.
//
//	go run ./live/slurm/slurmtest/deadlines -ways plain,edf,libra-plus,going-rate:further=0.4 -seed 1 -short 0.5
//
// Every node has a part of a processor of this host, by Slurm alone as through the market, so that jobs which
// compute take as long as if there were as many machines.
//
// What the market says of each job (that it is done, and when, what it is charged and why, what is paid for its
// delay) is held to what the job did and to what Slurm says, and what cannot be true is printed. Read jobs.go first.
package main
