// Package oracle is a second, independent reading of docs/semantics.md
// (sections 0 to 3), for tests only: the fast policies are compared with it job
// by job.
//
// It shares no code with the rest of the repository and is written to be
// checked against the text by eye: floats, plain loops, everything recomputed
// at every event, nothing cached. Where speed and plainness disagree,
// plainness wins; a few hundred jobs is the size it is meant for.
//
//		rows, err := oracle.Run(jobs, oracle.Options{Nodes: 4, Policy: "libra"})
//
//	  - spaceshared.go: section 1 (fifo, fcfs-bf, sjf-bf, edf-bf)
//	  - libra.go:       section 2 (libra, libra-plus)
//	  - librasla.go:    section 3 (libra-sla)
//	  - firstprice.go, firstreward.go, bidshare.go, qops.go: the baselines that
//	    the papers cite, as each file states them (section 6 says what was settled)
//	  - makeway.go:     make-way (section 6): what happens; makeway_line.go: who goes
//	    first and for how long; makeway_room.go: who makes way; makeway_price.go
//	  - generate.go:    small random workloads rich in ties and exact fits,
//	    and Minimize, which cuts a workload on which two readings differ
//
// Inputs the text does not cover (a job without a deadline under a time-shared
// policy, without a budget or a runtime under libra-sla) are errors, not
// guesses. Readings chosen where the text is open carry the word "Reading" in
// a comment.
package oracle
