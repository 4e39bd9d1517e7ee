// Package workload decides what work arrives: it reads job logs (SWF, CSV, sacct),
// reshapes them, gives them the agreements the papers' experiments assume, and
// makes up workloads where there is no log.
//
// It is the only place that knows how long a job will really run
// ([Arrival.Actual]); policies are shown [Arrival.Job] alone. It never
// schedules, never reads a clock and never draws a random number that does not
// follow from a seed: the same files, parameters and seed give the same
// arrivals.
//
// Everything is a [Source], read one arrival at a time. Read arrival.go first,
// then swf.go, csv.go and sacct.go (the formats), then sla.go (the papers' two
// classes of urgency). open.go puts the formats behind one door.
package workload
