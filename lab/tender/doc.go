// Package tender is the one door to several sellers of processor time (003,
// section 3.1): it asks each of them what an application would add to its
// earnings, and submits the application to the one that gains most.
//
// A [Seller] is anything that can be asked, be given work, and tell what became
// of it: a simulated site of package grid, or a cluster far away. The broker
// knows no more of them than that, schedules nothing, and keeps no memory
// between two applications.
//
// Read seller.go first, then broker.go (the choice), then run.go (a whole
// workload) and outcome.go (what is reported of it).
package tender
