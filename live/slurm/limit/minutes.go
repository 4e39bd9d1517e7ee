package limit

import (
	"fmt"
	"time"
)

// Some limits are of the time that jobs have together. Of one that runs Slurm counts what is left of its time limit, so
// it begins none for which there is not that much.

// minutes is what a job has of a kind, for as long as Slurm lets it run.
func (a *Ask) minutes(kind string) int64 {
	each := map[string]int64{"cpu": int64(a.Processors), "mem": a.MemoryMB * int64(a.Processors), "node": 1, gpu: int64(a.GPUs), a.ofKind(): int64(a.GPUs)}[kind]
	return each * a.whole()
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
	for _, kind := range []string{"cpu", "mem", "node", gpu, a.ofKind()} {
		need, runs, spent := a.minutes(kind), r.tres["GrpTRESRunMins"][kind], r.tres["GrpTRESMins"][kind]
		if need == 0 {
			continue
		}
		if spent.set && spent.used >= spent.most {
			return &Excess{
				Short:  fmt.Sprintf("GrpTRESMins %s=%d of %s", kind, spent.most, r.name()),
				Detail: fmt.Sprintf("Slurm lets those of %s use no more: GrpTRESMins %s=%d is used up", r.name(), kind, spent.most),
			}
		}
		if a.Later {
			runs.used = 0
		}
		for i, limit := range []value{runs, {set: spent.set && safe, most: spent.most, used: spent.used + runs.used}} {
			name := [...]string{"GrpTRESRunMins", "GrpTRESMins"}[i]
			if !limit.set || limit.used+need <= limit.most {
				continue
			}
			short := ""
			if need <= limit.most {
				short = fmt.Sprintf("%s %s=%d of %s", name, kind, limit.most, r.name())
			}
			if a.Open {
				return &Excess{Short: short, Detail: fmt.Sprintf("Slurm counts the time for which a job may run (%s %s=%d of %s, of which %d are used), and without a deadline that is long: --deadline says how long it may", name, kind, limit.most, r.name(), limit.used)}
			}
			e := &Excess{Short: short, Detail: fmt.Sprintf("Slurm would keep it waiting: %s %s=%d of %s, of which %d are used, and until its deadline this job may be %d more", name, kind, limit.most, r.name(), limit.used, need)}
			if left := limit.most - limit.used; left > 0 {
				e.Field, e.Most = "deadline_ms", left*a.whole()/need*time.Minute.Milliseconds() // not in nanoseconds, of which there would be too many
			}
			return e
		}
	}
	return nil
}

// RoomFor is for how long a job that needs so many processors may run within what is left of the time that those
// may have together whose jobs count with it; 0: as long as it likes, or not at all.
func (s *Site) RoomFor(user, named string, processors int) time.Duration {
	own := s.association(user)
	if !s.enforced || own == nil {
		return 0
	}
	var room time.Duration
	for _, r := range append(s.rules(own, named), s.above(own, named)...) {
		runs, spent := r.all.tres["GrpTRESRunMins"]["cpu"], r.all.tres["GrpTRESMins"]["cpu"]
		for _, limit := range []value{runs, {set: spent.set && s.safe, most: spent.most, used: spent.used + runs.used}} {
			if !limit.set {
				continue
			}
			if left := time.Duration(max(0, limit.most-limit.used)/int64(max(1, processors))) * time.Minute; room == 0 || left < room {
				room = left
			}
		}
	}
	return room
}
