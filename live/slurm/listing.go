package slurm

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
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

// mostText is how much of a user's own comment goes along: Slurm takes 1024 bytes in all.
const mostText = 900

// withText is a comment with what the user of a job says of it, on one line.
func withText(comment, text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), mostText)], "")), " ")
	if text == "" {
		return comment
	}
	return comment + " " + text
}

// parseComment reads a comment. What comes after a space is its user's.
func (b *Backend) parseComment(comment string) (key runKey, nonce string, ok bool) {
	rest, found := strings.CutPrefix(comment, "libra:")
	rest, found2 := strings.CutPrefix(rest, b.Mark)
	rest, found3 := strings.CutPrefix(rest, ":")
	if !found || !found2 || !found3 { // most of what Slurm lists may be others', and is listed time and again
		return runKey{}, "", false
	}
	rest, _, _ = strings.Cut(rest, " ")
	name, nonce, found := strings.Cut(rest, ":")
	key, err := parseRunKey(name)
	return key, nonce, found && err == nil && nonce != ""
}

// applyListing compares what Slurm lists with what is known. The lock is held.
func (b *Backend) applyListing(began time.Time, jobs []client.Job) {
	now := b.cfg.Now()
	b.listed = began
	b.listings++
	b.seePutBacks(jobs)
	jobs = b.foldArrays(b.seeStandIns(jobs, now), began.Unix())
	b.lookAtGuests(jobs)
	if b.good.IsZero() {
		b.good = began
	}
	listed := make(map[*run]bool, len(b.runs))
	for _, j := range byNumber(jobs) {
		r := b.runOf(j)
		if r != nil {
			listed[r] = true
			if !r.acted.After(began) {
				r.observeJob(j, began)
				r.vouched = now
			}
			continue
		}
		if _, _, mine := b.parseComment(j.Comment); mine && !j.State.Over() && b.allNodesKnown() && b.putBacks[j.ID] == nil && !b.backSince[j.ID].After(began) {
			b.cancelStray(j, now)
		}
	}
	maps.DeleteFunc(b.backSince, func(_ int64, at time.Time) bool { return began.After(at) })
	for _, r := range b.runs {
		if r.state.inSlurm() && !listed[r] && !r.acted.After(began) {
			r.job = nil
			if r.misses++; r.missing.IsZero() {
				r.missing = now
			}
		}
		b.dirty[r] = true
	}
	b.noteSuspended()
	b.countOthers()
}

// byNumber is a listing in the order of numbers in Slurm: jobs are large, and are not moved for it.
func byNumber(jobs []client.Job) []*client.Job {
	order := make([]*client.Job, len(jobs))
	for i := range jobs {
		order[i] = &jobs[i]
	}
	slices.SortFunc(order, func(x, y *client.Job) int { return cmp.Compare(x.ID, y.ID) })
	return order
}

// allNodesKnown reports whether the market has said what it wants of every node of the
// partition: before that, nobody knows what it does not want.
func (b *Backend) allNodesKnown() bool {
	for _, n := range b.nodes {
		if !n.attention.informed() {
			return false
		}
	}
	return b.knows
}

// runOf finds the run that a Slurm job was made for.
func (b *Backend) runOf(j *client.Job) *run {
	// The number alone says nothing: it may have been given out again. The
	// time of submission does, and the nonce: Slurm counts the time anew for
	// what is put back into its queue.
	r := b.byBatch[j.ID]
	if r != nil && r.Submitted == j.Submitted {
		return r
	}
	key, nonce, mine := b.parseComment(j.Comment)
	if r != nil && mine && r.key == key && r.nonce == nonce {
		return r
	}
	r = b.runs[key]
	if !mine || r == nil || r.nonce != nonce || !r.adoptable() || r.User != j.User || b.numbers.spent(j.ID, key, j.Submitted) && !r.cameBackAs(j.ID) || b.occupied(j.ID, r) {
		return nil
	}
	// Submitted, and the answer was lost.
	b.assignID(r, j.ID)
	r.array = array{is: j.Array != 0, waiting: j.Elements} // it may be let go before it is listed again
	r.moved()
	if r.array.is && j.State.Over() {
		j.State = client.Completing // how it ended is known when it is listed as this one's
	}
	return r
}

// adoptable reports whether a run is looking for its job in Slurm. One that was
// never handed in by us has to be ordered whole first: else it would seem to be
// taken back.
func (r *run) adoptable() bool {
	return !r.busy && !r.state.inSlurm() && !r.state.over() && (r.state != ordered || r.complete())
}

// assignID gives a run its number in Slurm.
func (b *Backend) assignID(r *run, id int64) {
	r.on(numbered)
	r.ID, r.vouched = id, b.cfg.Now()
	b.byBatch[id] = r
	b.refresh(r)
}

// releaseID takes it away.
func (b *Backend) releaseID(id int64, r *run) {
	if b.byBatch[id] == r {
		delete(b.byBatch, id)
	}
	b.refresh(r)
}

// observeJob notes how a job stands in Slurm.
func (r *run) observeJob(j *client.Job, asOf time.Time) {
	r.job, r.asOf, r.Submitted = j, asOf, j.Submitted
	r.missing, r.misses = time.Time{}, 0
	if r.first == 0 && (j.State == client.Running || j.State == client.Suspended) {
		r.first = j.Started
	}
}

// cancelStray ends a job of ours that nobody wants: of a submission whose answer
// came too late, or of a market that has been set back.
func (b *Backend) cancelStray(j *client.Job, now time.Time) {
	key, nonce, _ := b.parseComment(j.Comment)
	if r := b.runs[key]; r != nil && r.nonce == nonce && (r.busy || r.state == ordered) {
		return // perhaps it is just being submitted, or its orders are on their way
	}
	b.endStray(j, now, slog.LevelWarn)
}
