package slurm

import (
	"time"

	"github.com/libra-market/libra/core/task"
)

// Where only Slurm looks at its watch, nobody can tell a script that took long on a
// busy machine to find that there is no program from a program that ran and says that
// it never did: both are of one user, and end alike. So it is not decided by how long
// one took. Whoever claims it is believed, for so much processor time in an hour
// altogether: an honest user makes few mistakes, and to claim it falsely brings no more
// than that. A moment in which Slurm's watch happens to tick is a second to it, so runs
// of one second have an allowance of their own, of as many as never begin before their
// user is asked to wait (fair.Limits). The first mistake of the hour is believed for a
// few seconds however wide the run is, and one within a second of Slurm's always.
const (
	claimMost   = 30  // seconds of one run, of those that Slurm counts
	claimFirst  = 5   // of one that is the first
	claimsMost  = 60  // of a processor, of all runs of a user
	momentsMost = 200 // of a processor, of all that took one second
	claimsFor   = time.Hour
)

// claims are what users were believed lately, by user.
type claims map[string][]claim

type claim struct {
	at     time.Time
	cost   int64 // seconds of a processor
	moment bool  // it took one second
}

// believe reports whether a user is believed another claim, of a run of so many
// processors, and notes it.
func (c claims) believe(user string, seconds, processors int64, now time.Time) bool {
	next := claim{at: now, cost: seconds * processors, moment: seconds <= littleWait}
	sum, most, kept := next.cost, int64(claimsMost), c[user][:0]
	if next.moment {
		most = momentsMost
	}
	for _, one := range c[user] {
		if now.Sub(one.at) < claimsFor {
			kept = append(kept, one)
			if one.moment == next.moment {
				sum += one.cost
			}
		}
	}
	c[user] = kept
	if len(kept) == 0 {
		delete(c, user)
	}
	first := len(kept) == 0 && seconds <= claimFirst
	if seconds > claimMost || sum > most && !first {
		return false
	}
	c[user] = append(kept, next)
	return true
}

// weigh decides once whether a run is believed that says that it never began, and took
// time by Slurm's watch.
func (b *Backend) weigh(r *run) {
	e := r.end
	if b.cfg.Control != None || e.weighed || e.cause == 0 && e.state != task.Refused {
		return
	}
	e.weighed = true
	if took := e.ended - e.started; e.started > 0 && took > 0 {
		spec := r.orders[r.anyRank()].Spec
		e.believed = b.claims.believe(spec.User, took, int64(max(1, r.size)*spec.Processors()), b.cfg.Now())
	}
}

// anyRank is a task of the run that is wanted: all are of one user.
func (r *run) anyRank() int {
	for rank := range r.orders {
		return rank
	}
	return 0
}
