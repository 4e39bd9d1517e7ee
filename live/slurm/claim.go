package slurm

import (
	"time"

	"github.com/libra-market/libra/core/task"
)

// Where only Slurm looks at its watch, nobody can tell a script that took long on a
// busy machine to find that there is no program from a program that ran and says that
// it never did: both are of one user, and end alike. So it is not decided by how long
// one took. Whoever claims it is believed, for so long in an hour altogether: an honest
// user makes few mistakes, and to claim it falsely brings no more than that.
const (
	claimMost  = 30 // seconds of one run, of those that Slurm counts
	claimsMost = 60 // of all runs of a user
	claimsFor  = time.Hour
)

// claims are what users were believed lately, by user.
type claims map[string][]claim

type claim struct {
	at      time.Time
	seconds int64
}

// believe reports whether a user is believed another claim, and notes it.
func (c claims) believe(user string, seconds int64, now time.Time) bool {
	sum, kept := seconds, c[user][:0]
	for _, one := range c[user] {
		if now.Sub(one.at) < claimsFor {
			kept = append(kept, one)
			sum += one.seconds
		}
	}
	c[user] = kept
	if len(kept) == 0 {
		delete(c, user)
	}
	if seconds > claimMost || sum > claimsMost {
		return false
	}
	c[user] = append(kept, claim{now, seconds})
	return true
}

// weigh decides once whether a run is believed that says that it never began, and took
// longer than that takes on an idle machine.
func (b *Backend) weigh(r *run) {
	e := r.end
	if b.cfg.Control != None || e.weighed || e.cause == 0 && e.state != task.Refused {
		return
	}
	e.weighed = true
	if took := e.ended - e.started; e.started > 0 && took > littleWait {
		e.believed = b.claims.believe(r.orders[r.anyRank()].Spec.User, took, b.cfg.Now())
	}
}

// anyRank is a task of the run that is wanted: all are of one user.
func (r *run) anyRank() int {
	for rank := range r.orders {
		return rank
	}
	return 0
}
