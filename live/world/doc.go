// Package world is a whole market in one process, under one seed and in virtual
// time: controllers, agents, users, the store, the network and the clocks between
// them, and everything that goes wrong with them.
//
// What runs in it is the real thing: the controller, the exchange, the ledger, the
// API's handlers, the client and the agent. What is made up is what lies under them:
// the disk (drive.go, over store.Memory), the line (line.go), the clocks (clock.go),
// and the machines of the nodes with their processors and processes (node.go,
// shepherd.go), or a Slurm (slurm.go, over live/slurm/model). A Day (day.go) says who does what when, and what breaks when; it is
// drawn from a seed, and plain data, so that one that fails can be made smaller
// (shrink.go). After each restart and at the end of the day it is asked whether
// everything is as it must be (oracle.go).
//
// The same day gives the same run, to the byte. Nothing is left to how goroutines
// are scheduled: everything that happens has an instant of its own, because what is
// sent, written or begun takes a time that is drawn by the seed from what it is, and
// never from whose turn it was.
//
// It decides nothing that a real market decides. Read world.go first. Its bubbles
// are those of testing/synctest, so only tests can run it.
package world
