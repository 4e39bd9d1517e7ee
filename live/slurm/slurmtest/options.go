package slurmtest

import "time"

// The partitions of every cluster, on the same nodes.
const (
	// Partition time-shares its nodes and is Libra's.
	Partition = "libra"
	// PlainPartition is one that Libra has nothing to do with.
	PlainPartition = "plain"
)

// Options says what Slurm should be like. What is zero is chosen.
type Options struct {
	Nodes    int // 4
	CPUs     int // of each node, 1
	MemoryMB int // of each node, 8192

	// GPUs are those of each node, with no device behind them: "2", "a100:2".
	GPUs []string

	// Door puts the project's job_submit.lua before the partition. DoorHolds
	// says that it holds jobs that did not come through Libra, where it would
	// refuse them.
	Door      bool
	DoorHolds bool
	// DoorOffers says that it holds them until they are bought.
	DoorOffers bool

	// PlainDefault makes the other partition the one of jobs that name none.
	PlainDefault bool

	// Hosts gives every slurmd a network namespace of its own, so that a node
	// can be cut off. slurmctld stays on this machine's network.
	Hosts bool

	// NoPlugin leaves the SPANK plugin out, as on a site that will not have it.
	NoPlugin bool
	// PluginArgs are what plugstack.conf tells the SPANK plugin.
	PluginArgs string
	// NoRest leaves slurmrestd out.
	NoRest bool

	// Backup adds a second slurmctld, "slurmctld backup", that takes over when the first
	// has been silent for some seconds.
	Backup bool

	// Accounting adds slurmdbd and a database for it. Enforce is what
	// AccountingStorageEnforce says then.
	Accounting bool
	Enforce    string

	// Containers is what oci.conf says: how containers are run. Empty: they are not.
	Containers string

	MinJobAge   time.Duration // ended jobs are shown for so long, 10 minutes
	NodeTimeout time.Duration // of silence before a node is down: 30 seconds, between hosts 10

	// Places is how many jobs may share a processor of the partition, 64.
	Places int
}

func (o Options) chosen() Options {
	orElse := func(n *int, other int) {
		if *n == 0 {
			*n = other
		}
	}
	orElse(&o.Nodes, 4)
	orElse(&o.CPUs, 1)
	orElse(&o.MemoryMB, 8192)
	orElse(&o.Places, 64)
	if o.MinJobAge == 0 {
		o.MinJobAge = 10 * time.Minute
	}
	if o.NodeTimeout == 0 {
		o.NodeTimeout = 30 * time.Second
		if o.Hosts { // tests cut them off
			o.NodeTimeout = 10 * time.Second
		}
	}
	return o
}
