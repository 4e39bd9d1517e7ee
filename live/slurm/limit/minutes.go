package limit

import (
	"fmt"
	"time"
)

// Some limits are of the time that jobs have together. Of one that runs Slurm counts what is left of its time limit, so
// it begins none for which there is not that much.

// timed are the kinds of which time is counted.
func (a *Ask) timed() []string { return []string{"cpu", "mem", "node", gpu, a.ofKind(), billing} }

// minutes is what a job has of a kind, for as long as Slurm lets it run.
func (a *Ask) minutes(kind string) int64 { return a.amount(kind) * a.whole() }

// amount is what a job has of a kind.
func (a *Ask) amount(kind string) int64 {
	switch kind {
	case "cpu":
		return int64(a.Processors)
	case "mem":
		return a.MemoryMB * int64(a.Processors)
	case "node":
		return 1 // at least
	case billing:
		return a.bills()
	}
	return int64(a.GPUs)
}

// whole is how many minutes Slurm lets it run.
func (a *Ask) whole() int64 { return int64((a.Time + time.Minute - 1) / time.Minute) }

// checkMinutes holds the time that all have had, and may have yet, against limits of it.
func (r *record) checkMinutes(a *Ask, safe bool) *Excess {
	if wall := r.counts["GrpWall"]; wall.set && wall.used >= wall.most {
		return &Excess{
			Short:  fmt.Sprintf("GrpWall=%d of %s", wall.most, r.name()),
			Detail: fmt.Sprintf("Slurm lets those of %s run no more: GrpWall=%d is used up", r.name(), wall.most),
		}
	}
	for _, kind := range a.timed() {
		if a.amount(kind) == 0 {
			continue
		}
		if spent := r.tres["GrpTRESMins"][kind]; spent.set && spent.used >= spent.most {
			return &Excess{
				Short:  fmt.Sprintf("GrpTRESMins %s=%d of %s", kind, spent.most, r.name()),
				Detail: fmt.Sprintf("Slurm lets those of %s use no more: GrpTRESMins %s=%d is used up", r.name(), kind, spent.most),
			}
		}
		for _, limit := range r.timeOf(kind, safe, a.Later) {
			if e := r.overTime(a, kind, limit); e != nil {
				return e
			}
		}
	}
	return nil
}

// checkTime is the same of what each user of a QOS, and each account, may have yet.
func (r *rule) checkTime(a *Ask) *Excess {
	for _, kind := range a.timed() {
		if a.amount(kind) == 0 {
			continue
		}
		for _, each := range [...]*record{r.user, r.account} {
			for _, limit := range each.ownTime(kind, a.Later) {
				if e := each.overTime(a, kind, limit); e != nil {
					return e
				}
			}
		}
	}
	return nil
}

// timeLimit is a limit of time, by its name.
type timeLimit struct {
	name string
	value
}

// timeOf are the limits of the time that all have together of a kind.
func (r *record) timeOf(kind string, safe, later bool) (limits []timeLimit) {
	runs, spent := r.tres["GrpTRESRunMins"][kind], r.tres["GrpTRESMins"][kind]
	if later {
		runs.used = 0
	}
	if runs.set {
		limits = append(limits, timeLimit{"GrpTRESRunMins", runs})
	}
	if spent.set && safe {
		spent.used += runs.used
		limits = append(limits, timeLimit{"GrpTRESMins", spent})
	}
	return limits
}

// ownTime are those of a user, or an account, in a QOS.
func (r *record) ownTime(kind string, later bool) (limits []timeLimit) {
	if r == nil || r.qos == "" {
		return nil
	}
	for _, name := range [...]string{"MaxTRESRunMinsPU", "MaxTRESRunMinsPA"} {
		runs := r.tres[name][kind]
		if later {
			runs.used = 0
		}
		if runs.set {
			limits = append(limits, timeLimit{name, runs})
		}
	}
	return limits
}

// overTime holds the time that a job may take of a kind against a limit.
func (r *record) overTime(a *Ask, kind string, limit timeLimit) *Excess {
	need := a.minutes(kind)
	if limit.used+need <= limit.most {
		return nil
	}
	short := ""
	if need <= limit.most {
		short = fmt.Sprintf("%s %s=%d of %s", limit.name, kind, limit.most, r.name())
	}
	if a.Open {
		return &Excess{Short: short, Detail: fmt.Sprintf("Slurm counts the time for which a job may run (%s %s=%d of %s, of which %d are used), and without a deadline that is long: --deadline says how long it may", limit.name, kind, limit.most, r.name(), limit.used)}
	}
	e := &Excess{Short: short, Detail: fmt.Sprintf("Slurm would keep it waiting: %s %s=%d of %s, of which %d are used, and until its deadline this job may be %d more", limit.name, kind, limit.most, r.name(), limit.used, need)}
	if left := limit.most - limit.used; left > 0 {
		e.Field, e.Most = "deadline_ms", left*a.whole()/need*time.Minute.Milliseconds() // not in nanoseconds, of which there would be too many
	}
	return e
}

// RoomFor is for how long a job may run within what is left of the time that those
// may have together whose jobs count with it; 0: as long as it likes, or not at all.
func (s *Site) RoomFor(a Ask) time.Duration {
	own := s.association(a.User)
	if !s.enforced || own == nil {
		return 0
	}
	var room time.Duration
	a.weights = s.Partition.weights
	for _, r := range append(s.rules(own, a.QOS), s.above(own, a.QOS)...) {
		for _, kind := range a.timed() {
			limits := append(r.all.timeOf(kind, s.safe, false), append(r.user.ownTime(kind, false), r.account.ownTime(kind, false)...)...)
			for _, limit := range limits {
				each := a.amount(kind)
				if kind == "node" {
					each = int64(max(1, a.Programs))
				}
				if each == 0 {
					continue
				}
				if left := time.Duration(max(0, limit.most-limit.used)/each) * time.Minute; room == 0 || left < room {
					room = left
				}
			}
		}
	}
	return room
}
