package slurm

import (
	"cmp"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
)

// StandDown ends the stand-in of a job that waits no more, if it has one.
func (b *Backend) StandDown(job int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if in := b.standIns.of[job]; in != nil {
		b.endStandIn(in)
	}
}

// endStandIn forgets one; when it is listed next it is nobody's, and is cancelled: by then Slurm has
// just called the number ours, which it may have given to another meanwhile. The lock is held.
func (b *Backend) endStandIn(in *standIn) {
	if in.busy {
		return
	}
	in.busy = true
	b.going.Go(func() {
		defer b.atRest(in)
		if err := b.forget(b.ctx, in, nil); err != nil {
			b.cfg.Log.Warn("a stand-in is not ended", "job", in.job, "slurm", in.ID, "error", err)
			return // it is seen to again
		}
		b.pollSoon()
	})
}

// seeStandIns compares those that Slurm lists with those that are known. It takes their jobs out
// of the listing: they are no run's, and nobody's who has come with plain sbatch. The lock is held.
func (b *Backend) seeStandIns(jobs []client.Job, now time.Time) []client.Job {
	seen, left, runs := map[int64]bool{}, map[int64][]int{}, b.runsAs()
	others := slices.DeleteFunc(jobs, func(j client.Job) bool {
		if !b.isStandIn(j.Comment) {
			return false
		}
		id := cmp.Or(j.Array, j.ID) // elements that somebody has touched have numbers of their own
		job, known := b.standIns.job[id]
		in := b.standIns.of[job]
		switch {
		case known && in != nil && in.ID == id && in.Comment == j.Comment:
			seen[job] = true
			if j.ID != id && j.State == client.Cancelled {
				break // that one alone
			}
			left[job] = append(left[job], j.Elements...)
			b.seeStandIn(in, &j, runs[job])
		case !j.State.Over() && !b.comingAs(j.Comment) && b.standIns.gone[id].IsZero():
			b.endStray(&j, now, slog.LevelInfo) // as a rule its job has ended
		}
		return true
	})
	maps.DeleteFunc(b.standIns.gone, func(_ int64, at time.Time) bool { return now.Sub(at) >= quiet })
	for job, in := range b.standIns.of {
		if n := len(left[job]); n > 0 && n < in.Elements && !in.busy {
			b.takeOut(in, left[job])
		}
		if seen[job] || in.busy {
			in.missed = 0
		} else if in.missed++; in.missed > mostMissed {
			b.endStandIn(in) // Slurm has lost it: the job has another number when it begins
		}
	}
	b.askAfter(now)
	b.lineUpAnew()
	return others
}

// takeOut tells the market which elements of an array are left, whose user has cancelled others: it is
// priced without them. It is not called forward meanwhile. The lock is held.
func (b *Backend) takeOut(in *standIn, left []int) {
	in.busy = true
	b.going.Go(func() {
		defer b.atRest(in)
		b.standIns.exits <- struct{}{}
		err := b.cfg.Line.Only(b.ctx, in.job, in.User, left)
		<-b.standIns.exits
		if err != nil { // it is listed again
			b.cfg.Log.Warn("elements that were cancelled in Slurm while they waited", "job", in.job, "slurm", in.ID, "error", err)
			return
		}
		b.mu.Lock()
		in.Elements = len(left)
		b.mu.Unlock()
	})
}

// runsAs are the numbers of runs in Slurm, by job. The lock is held.
func (b *Backend) runsAs() map[int64]int64 {
	ids := map[int64]int64{}
	for key, r := range b.runs {
		if r.ID != 0 && !r.state.over() {
			ids[key.job] = r.ID
		}
	}
	return ids
}

// answersAgain has all who wait asked for a stand-in, once it is seen which ones Slurm has lost. The
// lock is held.
func (b *Backend) answersAgain() { b.standIns.due = mostMissed + 2 }

// lineUpAnew does that when it is due. The lock is held.
func (b *Backend) lineUpAnew() {
	if b.standIns.due == 0 {
		return
	}
	if b.standIns.due--; b.standIns.due == 0 && b.cfg.Line != nil {
		b.going.Go(func() { b.cfg.Line.LineUp(b.ctx) })
	}
}

// mostMissed is in how many listings Slurm may not have a stand-in that it has.
const mostMissed = 3

// comingAs reports whether a stand-in with such a comment is being handed in. The lock is held.
func (b *Backend) comingAs(comment string) bool {
	mark, _, _ := strings.Cut(comment, " ") // what follows is its user's
	return b.standIns.coming[mark]
}

// seeStandIn sees to one that Slurm lists, and whose job runs there as another or not at all (0).
// The lock is held.
func (b *Backend) seeStandIn(in *standIn, j *client.Job, runs int64) {
	switch {
	case in.busy:
	case runs != 0 && runs != in.ID: // it began before its stand-in was there
		b.endStandIn(in)
	case j.State == client.Cancelled:
		in.busy = true
		b.going.Go(func() {
			defer b.atRest(in)
			_ = b.withdraw(b.ctx, in) // it is said there
		})
	case j.State != client.Pending || !j.Held: // somebody has let it go, who was not to
		b.cfg.Log.Warn("a job that waits in the market was let go in Slurm, and is ended there", "job", in.job, "slurm", in.ID, "state", j.State)
		b.endStandIn(in)
	}
}

// How often the market is asked what has become of a job that waits, and of how many at a time.
const (
	askEach = 5 * time.Second
	askMost = 200
)

// askAfter ends those whose jobs have ended in the market, as where others that they wait for have
// failed. The lock is held.
func (b *Backend) askAfter(now time.Time) {
	if b.standIns.busy {
		return
	}
	var ask []*standIn
	for _, in := range b.standIns.of {
		if len(ask) < askMost && !in.busy && now.Sub(in.asked) >= askEach {
			in.asked = now
			ask = append(ask, in)
		}
	}
	if len(ask) == 0 {
		return
	}
	b.standIns.busy = true
	b.going.Go(func() {
		for _, in := range ask {
			if over, err := b.cfg.Line.Over(b.ctx, in.job); err == nil && over {
				b.StandDown(in.job)
			}
		}
		b.mu.Lock()
		b.standIns.busy = false
		b.mu.Unlock()
	})
}

// endStray ends a job of the market's that nobody wants. The lock is held.
func (b *Backend) endStray(j *client.Job, now time.Time, level slog.Level) {
	b.endOne(j, now, level, "a job in Slurm that nobody wants is cancelled")
}

func (b *Backend) endOne(j *client.Job, now time.Time, level slog.Level, why string) {
	if now.Sub(b.strays[j.ID]) < 5*again {
		return
	}
	b.strays[j.ID] = now
	b.cfg.Log.Log(b.ctx, level, why, "slurm", j.ID, "state", j.State, "comment", j.Comment)
	id := j.ID
	b.call(func() { _ = b.slurm.Cancel(b.ctx, id, true) }) // it is listed again if it did not help
}
