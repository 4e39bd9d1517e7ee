package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// An element of an array that was handed in with --requeue may be put back into Slurm's queue by its
// user, like a job of one task (putback.go). What was sold is the lane, and not the element: so that
// is no end, and nothing is handed in anew. The element has its turn in its lane once more, what it
// takes there is measured and paid for with the rest of the array, and those behind it wait for it.
//
// Slurm would begin it by itself after two minutes, also where nothing of its array is left in the
// market. So its script asks as that of a job does (guard), and the market notes with it that it may.

// elementsReturn reports whether the elements of a task may be put back here.
func (b *Backend) elementsReturn(s *task.Spec) bool {
	if s.Len() == 0 {
		return false
	}
	one := elementOf(*s)
	return b.mayRequeue(&one)
}

// returned notes that the elements of a row were put back, or run, and says since when one of them had
// run before; 0: it was not put back.
func (r *run) returned(j *client.Job) (since int64) {
	a := &r.array
	if !r.Returns {
		return 0
	}
	for _, e := range j.Elements {
		began, ran := a.last[e]
		switch {
		case j.State == client.Running || j.State == client.Suspended || j.State == client.Completing:
			if a.last == nil {
				a.last = map[int]int64{}
			}
			a.last[e] = j.Started
		case j.State == client.Pending && j.PutBack(), j.Held && ran:
			a.back[e] = true
			since = cmp.Or(began, r.startedAt(), r.Submitted, j.Submitted)
		case j.State == client.Requeued, j.State == client.Pending && ran, j.Held && r.used():
			since = cmp.Or(began, r.startedAt(), r.Submitted, j.Submitted)
		}
	}
	return since
}

// errBegunAnew says that an array is begun anew as a whole.
var errBegunAnew = errors.New("it is begun anew")

// mayReturn notes with the elements of an array that were put back that they may begin once more. Where
// they were not put back by their user the array is begun anew, as a job is.
func (b *Backend) mayReturn(ctx context.Context, r *run, id int64) error {
	slurm := b.slurm.(client.Requeues) //nolint:forcetypeassert // mayRequeue has seen it
	all, err := slurm.Returns(ctx, id)
	if err != nil {
		return err
	}
	b.mu.Lock()
	fresh := map[int]client.Return{}
	for _, e := range slices.Concat(slices.Collect(maps.Keys(r.array.back)), r.array.waiting) {
		one, listed := all[e]
		_, ran := r.array.last[e]
		switch {
		case !listed: // it was cancelled meanwhile
		case one.Restarts == 0 && ran && r.lost == "":
			r.lost = "Slurm forgot that it had started"
		case one.Restarts > 0 && !strings.HasPrefix(one.Remark, mayBegin(one.Restarts)):
			fresh[e] = one
		}
	}
	lost, job := r.lost, r.key.job
	b.mu.Unlock()
	switch {
	case lost != "":
		return errBegunAnew
	case len(fresh) == 0:
		return nil
	}
	nodes, err := b.slurm.Nodes(ctx, b.cfg.Partition)
	if err != nil {
		return err
	}
	b.mu.Lock()
	gone := b.nodeGone(r, nodes)
	for _, one := range fresh {
		if gone == "" && strings.HasPrefix(one.Remark, byAdministrator) {
			gone = "an administrator put an element back into the queue of Slurm"
		}
	}
	r.lost = gone
	b.mu.Unlock()
	if gone != "" {
		return errBegunAnew
	}
	for _, e := range slices.Sorted(maps.Keys(fresh)) {
		b.cfg.Log.Info("an element was put back into Slurm's queue by its user", "run", r.key, "slurm", id, "element", e, "restarts", fresh[e].Restarts)
		if err = slurm.RemarkElement(ctx, id, e, mayBegin(fresh[e].Restarts)+fmt.Sprintf("(job %d)", job)); err != nil {
			return err
		}
	}
	return nil
}
