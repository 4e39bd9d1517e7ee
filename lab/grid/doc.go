// Package grid holds the imprecise-computation grid of 003: applications whose
// jobs have a mandatory part, which must be done by the deadline, and an
// optional part, which pays for as much of it as gets done; and sites that
// sell processor time to them.
//
// A [Site] answers what an application would add to its earnings ([Site.Ask],
// the pre-schedule of section 3.4), takes it on ([Site.Submit]) and tells what
// became of it ([Site.Follow]). It never chooses between sites: that is what
// package tender does.
//
// Why a site is not a cluster of package cluster: there, a job holds the
// processors it was given, one task to a processor, and policies promise from
// what is bound where. Here jobs are preempted at every event, move between
// processors for nothing, have two parts of different rank, and leave at their
// deadline with whatever they have got. So the state of a site is two ordered
// queues and a count of processors, and no book of who sits where. Time, work
// and price are market's: work is in million instructions (MI), which is work
// on a processor rated 1 MIPS.
//
// Nothing ticks: a running part is (left, speed, since), and the next event is
// the earliest completion or deadline. Time comes in with the call. The package
// reads no clock and no files, and draws no random number that does not follow
// from a seed.
//
// Read application.go first (what is sold), then policy.go (the five policies
// are one engine with different orders and terms), site.go (the door), engine.go
// (the events) and estimate.go (the pre-schedule). ranked.go and dealt.go are
// the two ways to give processors to parts. workload.go makes up the paper's
// applications; sites_csv.go and apps_csv.go read and write files.
package grid
