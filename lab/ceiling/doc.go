// Package ceiling says what nobody could exceed on the grid of 003 (package grid): what
// the applications that a site has taken could pay for optional work at most, under any
// order of it, and what all applications together could pay at most, whoever chooses among
// them and sends them wherever he likes. All of it for somebody who knows the
// future.
//
// [Kept] is the best order among those that keep all mandatory parts, and [First] the best
// among those that let mandatory parts go first, by deadline, as every policy of
// 003 does. Neither is a relaxation. Jobs are stopped and moved for nothing, and the
// first m MI of a job are its mandatory part whenever they are done; so a schedule is how much
// of each job is done between two events, and a job no faster than one processor and all
// together no faster than the site is all that there is to say (McNaughton 1959). What
// can be done of all jobs is then a flow, such amounts are a polymatroid, and who
// gives to the best-paying work first as much as fits beside what was given
// before, moving but never taking, has the best (Edmonds 1970). Where a budget does not
// get flatter as more of it is done, the least function above it that does stands for
// it, and the best becomes a bound.
//
// [Profit] is a bound. Every processor-second of every site has a price; an application
// goes where it brings most after paying for the cheapest sufficient seconds of its window, or
// nowhere; any prices give a bound, and package bound searches for good ones, first among
// those that are the same for an instruction at every site.
//
// Read pieces.go first (what is paid for), flow.go (who gets what), kept.go and first.go,
// and dual.go with profit.go.
package ceiling
