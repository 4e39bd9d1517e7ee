package slurm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/limit"
)

// Licences are Slurm's, and a job has them from when it is promised to begin. One that is taken
// at once has them by its ticket; one that waited in the market is looked at when it is let go,
// and refused, owing nothing, if there are not enough left by then. To sbatch each element of an
// array is a job and has its own: where they are one job here, that has those of all that run at a time.

// licensesOf are those of a job that was looked at when it was handed in.
func licensesOf(env []string) map[string]int {
	some, err := task.LicensesOf(env)
	if err != nil {
		return nil
	}
	return some
}

// licensesFor are those of so many elements at a time; 0: it is no array, and has its own once.
func licensesFor(env []string, elements int) map[string]int {
	some := licensesOf(env)
	for name := range some {
		some[name] *= max(1, elements)
	}
	return some
}

// atATime is how many elements of an array a run has beside each other; 0: it is none.
func (r *run) atATime(spec *task.Spec) int {
	if spec.Len() == 0 {
		return 0
	}
	return r.size
}

// licensesInWords are those of a run as Slurm is asked for them. What was asked for once is asked
// for as it was said.
func licensesInWords(spec *task.Spec, elements int) string {
	said := valueOf(spec.Env, task.Licenses)
	if said == "" || elements <= 1 {
		return said
	}
	some := licensesFor(spec.Env, elements)
	words := make([]string, 0, len(some))
	for _, name := range slices.Sorted(maps.Keys(some)) {
		words = append(words, fmt.Sprintf("%s:%d", name, some[name]))
	}
	return strings.Join(words, ",")
}

// license gives a run that is about to be handed in its licences, or says why it cannot have
// them.
func (b *Backend) license(ctx context.Context, r *run, spec *task.Spec, partition string) string {
	some := licensesFor(spec.Env, r.atATime(spec))
	if len(some) == 0 {
		return ""
	}
	site := b.site(ctx, partition)
	b.mu.Lock()
	defer b.mu.Unlock()
	for t := range b.gate.tickets { // its own: one without a number may be another's, and it has its number in a moment
		if t.job == r.key.job && covers(t.use.Licenses, some) { // that of who waited has none
			r.licensed = true
			r.moved()
		}
	}
	if r.licensed {
		return ""
	}
	if e := site.CheckLicenses(some, b.books(partition, r)); e != nil {
		return e.Detail
	}
	r.licensed = true
	r.moved()
	return ""
}

// mayYetBe reports whether licences that a run could not have are looked for once more: those of
// a job that has just ended are free a moment later.
func (b *Backend) mayYetBe(r *run) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.cfg.Now()
	if r.short.IsZero() {
		r.short = now
	}
	r.tried = now
	return now.Sub(r.short) < unlicensed
}

// covers reports whether there are as many of each.
func covers(has, want map[string]int) bool {
	for name, n := range want {
		if has[name] < n {
			return false
		}
	}
	return true
}

// Licensed reports whether Slurm counts licences.
func (b *Backend) Licensed(ctx context.Context) bool {
	for _, partition := range b.partitions() {
		if b.site(ctx, partition).HasLicenses() {
			return true
		}
	}
	return false
}

// Recall keeps the licences of a job that was under way before this backend was, of an array with
// so many elements at a time: until its orders have come nobody else is promised them.
func (b *Backend) Recall(job int64, user string, env []string, elements int) {
	some := licensesFor(env, elements)
	if len(some) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.issue(&Ticket{user: user, job: job, at: b.cfg.Now(), use: limit.Use{Licenses: some}, recalled: true})
}

// Recalled are the jobs whose licences are kept since before their orders have come. Who knows that
// one has ended lets go of them.
func (b *Backend) Recalled() (jobs []int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.entries(b.partitions()[0], nil, func(*entry) {}) // drops those that have come
	for t := range b.gate.tickets {
		if t.recalled {
			jobs = append(jobs, t.job)
		}
	}
	slices.Sort(jobs)
	return jobs
}

// LetGo keeps the licences of a job no longer that has ended.
func (b *Backend) LetGo(job int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.gate.tickets, func(t *Ticket, _ bool) bool { return t.recalled && t.job == job })
}
