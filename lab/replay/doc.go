// Package replay runs the jobs of the past under other policies and prices, and
// says what would have changed: revenue, satisfied users, who gains and who
// loses.
//
// A [Course] is a history under one policy, job by job; [History.Run] makes one by
// simulation, [Table.Told] from a job table that says what was. [Compare] sets two
// against each other. [History.Tune] looks for the value of a setting that earns most.
// [History.Foresee] answers the owner of a running market who asks what other levers
// would have brought.
//
// Where the jobs come from is the caller's affair: a log, a table, or the
// history of a live market in the form of the wire, which [Remember] makes a
// workload of. Read course.go first.
package replay
