// Package reading runs libra and libra-plus under readings of their papers that
// are not settings of the policies: how a parallel job advances, what a job gets
// that has used up its estimate, and what counts as free.
//
// It decides nothing for anybody else. It is there so that the laboratory can say
// what would come of another reading without the policies of live markets having to
// know it. Under the usual reading it is the same as they are, job by job, and a test
// holds it to that.
//
// Read engine.go first, then admit.go; apart.go has what differs where the tasks
// of a job advance each on its own.
package reading
