// Package underway is the jobs of a live market that have not ended: what is known of
// each ([Job]), how it stands with each of its tasks ([Rank]), and who waits for whom
// ([Book]).
//
// What can be said of one job by itself is here: its share and how that went, what was
// measured of it, how it fared, what its nodes are told to run. What it costs and
// whether it goes on is decided elsewhere (exchange). The fields with names in JSON are
// what a log and a snapshot hold; the others are worked out again.
//
// Read job.go first.
package underway
