package slurm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
)

// commentOf is by what a Slurm job is known again as that of a run: users cannot
// guess it, so nobody can pass another job off as one of ours.
func (b *Backend) commentOf(r *run) string {
	return fmt.Sprintf("libra:%s:%s:%s", b.Mark, r.key, r.nonce)
}

// ours reads a comment.
func (b *Backend) ours(comment string) (key runKey, nonce string, ok bool) {
	rest, found := strings.CutPrefix(comment, "libra:"+b.Mark+":")
	name, nonce, found2 := strings.Cut(rest, ":")
	key, err := parseRunKey(name)
	return key, nonce, found && found2 && err == nil && nonce != ""
}

// takeIn compares what Slurm lists with what is known. The lock is held.
func (b *Backend) takeIn(began time.Time, jobs []client.Job) {
	now := b.cfg.Now()
	b.listed = began
	b.listings++
	if b.good.IsZero() {
		b.good = began
	}
	slices.SortFunc(jobs, func(x, y client.Job) int { return cmp.Compare(x.ID, y.ID) })
	listed := map[*run]bool{}
	for i := range jobs {
		j := &jobs[i]
		r := b.runOf(j)
		if r != nil {
			listed[r] = true
			if !r.acted.After(began) {
				r.seen(j, began)
			}
			continue
		}
		if _, _, mine := b.ours(j.Comment); mine && !j.State.Over() && b.heardAll() {
			b.stray(j, now)
		}
	}
	for _, r := range b.runs {
		if r.ID != 0 && !listed[r] && !r.acted.After(began) && r.end == nil {
			r.job = nil
			if r.misses++; r.missing.IsZero() {
				r.missing = now
			}
		}
		b.dirty[r] = true
	}
}

// heardAll reports whether the market has said what it wants of every node of the
// partition: before that, nobody knows what it does not want.
func (b *Backend) heardAll() bool {
	for _, n := range b.nodes {
		if !n.fresh {
			return false
		}
	}
	return b.knows
}

// runOf finds the run that a Slurm job was made for.
func (b *Backend) runOf(j *client.Job) *run {
	key, nonce, mine := b.ours(j.Comment)
	if r := b.byBatch[j.ID]; r != nil {
		// The number alone says nothing: it may have been given out again. The
		// time of submission does, and until that is known the nonce.
		if r.Submitted == j.Submitted || r.Submitted == 0 && mine && r.key == key && r.nonce == nonce {
			return r
		}
	}
	r := b.runs[key]
	if !mine || r == nil || r.nonce != nonce || r.ID != 0 || r.busy || r.end != nil || r.User != j.User {
		return nil
	}
	// Submitted, and the answer was lost.
	b.number(r, j.ID)
	return r
}

// number gives a run its number in Slurm.
func (b *Backend) number(r *run, id int64) {
	r.ID, r.unsure = id, time.Time{}
	b.byBatch[id] = r
	b.refresh(r)
}

// unnumber takes it away.
func (b *Backend) unnumber(id int64, r *run) {
	if b.byBatch[id] == r {
		delete(b.byBatch, id)
	}
	b.refresh(r)
}

// seen notes how a job stands in Slurm.
func (r *run) seen(j *client.Job, asOf time.Time) {
	r.job, r.asOf, r.Submitted = j, asOf, j.Submitted
	r.missing, r.misses = time.Time{}, 0
}

// stray is a job of ours that nobody wants: of a submission whose answer came
// too late, or of a market that has been set back. It is ended.
func (b *Backend) stray(j *client.Job, now time.Time) {
	if key, nonce, _ := b.ours(j.Comment); b.runs[key] != nil && b.runs[key].busy && b.runs[key].nonce == nonce {
		return // perhaps it is just being submitted
	}
	if now.Sub(b.strays[j.ID]) < 5*again {
		return
	}
	b.strays[j.ID] = now
	b.cfg.Log.Warn("a job in Slurm that nobody wants is cancelled", "slurm", j.ID, "state", j.State, "comment", j.Comment)
	id := j.ID
	b.call(func() { _ = b.slurm.Cancel(b.ctx, id, true) }) // it is listed again if it did not help
}
