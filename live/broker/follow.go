package broker

import (
	"context"
	"fmt"
	"slices"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

// follow are the jobs that one waits for, by what has to come of them.
type follow struct {
	After  []int64    `json:"after,omitempty"`
	Any    []int64    `json:"any,omitempty"`
	Failed []int64    `json:"failed,omitempty"`
	Each   []int64    `json:"each,omitempty"`
	Begun  []v1.Begun `json:"begun,omitempty"`
	Parts  []v1.Ahead `json:"parts,omitempty"`
}

// followOf are those that a request names.
func followOf(r *v1.Request) follow {
	return follow{After: r.After, Any: r.AfterAny, Failed: r.AfterFailed, Each: r.AfterEach, Begun: r.AfterBegun, Parts: r.AfterElement}
}

// put has a request name them, and no others.
func (f *follow) put(r *v1.Request) {
	r.After, r.AfterAny, r.AfterFailed, r.AfterEach, r.AfterBegun, r.AfterElement = f.After, f.Any, f.Failed, f.Each, f.Begun, f.Parts
}

// any reports whether there are some.
func (f *follow) any() bool {
	return len(f.After)+len(f.Any)+len(f.Failed)+len(f.Each)+len(f.Begun)+len(f.Parts) > 0
}

// prepareFollow finds the jobs that must have begun or ended first. A cluster can wait for its own
// jobs alone, so those that have to be waited for must be at one.
func (b *Broker) prepareFollow(ctx context.Context, w *want) error {
	if w.request.BeginMS > 0 || w.request.Hold {
		return &trade.FieldError{Field: "begin_ms", Want: "nothing, and no hold: no cluster promises anything yet of a job that begins later, so a broker has nothing to choose by; hand it in when it may begin, or at a cluster itself (--server)"}
	}
	at := ""
	for _, kind := range []struct{ ask, into *[]int64 }{
		{&w.request.After, &w.follow.After}, {&w.request.AfterAny, &w.follow.Any}, {&w.request.AfterFailed, &w.follow.Failed}, {&w.request.AfterEach, &w.follow.Each},
	} {
		for _, id := range *kind.ask {
			remote, err := b.awaited(ctx, w, id, &at, kind.ask == &w.request.AfterEach, 0)
			if err != nil || w.broken != "" {
				return err
			}
			if remote != 0 {
				*kind.into = append(*kind.into, remote)
			}
		}
	}
	for _, begun := range w.request.AfterBegun {
		remote, err := b.awaited(ctx, w, begun.Job, &at, false, begun.DelayMS)
		if err != nil || w.broken != "" {
			return err
		}
		if remote != 0 {
			w.follow.Begun = append(w.follow.Begun, v1.Begun{Job: remote, DelayMS: begun.DelayMS})
		}
	}
	for _, part := range w.request.AfterElement {
		remote, err := b.awaited(ctx, w, part.Job, &at, true, 0)
		if err != nil || w.broken != "" {
			return err
		}
		if remote != 0 {
			w.follow.Parts = append(w.follow.Parts, v1.Ahead{Job: remote, Index: part.Index, Failed: part.Failed})
		}
	}
	if at == "" {
		return nil
	}
	w.logins = slices.DeleteFunc(slices.Clone(w.logins), func(l *login) bool { return l.seller.name != at })
	if len(w.logins) == 0 {
		return &trade.FieldError{Field: "after", Want: "jobs of a cluster that you may use"}
	}
	return nil
}

// awaited is the number, at its cluster, of a job that has to be waited for, or of which only the
// cluster can tell how it has ended element by element, or whether its time has come; 0: all
// that was to come of it has. Where that cannot come any more the want is broken.
func (b *Broker) awaited(ctx context.Context, w *want, id int64, at *string, each bool, delayMS int64) (remote int64, err error) {
	e, err := b.entry(ctx, id)
	if err != nil {
		return 0, fmt.Errorf("after: %w", err)
	}
	f := e.now()
	ended := f.Job.State.Final()
	if f.Job.Owner != w.by.User && w.by.Role != trade.RoleOwner {
		return 0, fmt.Errorf("after: job %d: %w", id, trade.ErrUnknown)
	}
	parts := slices.DeleteFunc(slices.Clone(w.request.AfterElement), func(p v1.Ahead) bool { return p.Job != id })
	known := each && (w.request.Array != nil || len(parts) > 0) && f.Job.Request.Array != nil // to the cluster alone
	if ended && !known {
		asks := trade.Request{After: w.request.After, AfterFailed: w.request.AfterFailed, AfterEach: w.request.AfterEach}
		for _, p := range parts {
			asks.AfterElement = append(asks.AfterElement, trade.Ahead(p))
		}
		if _, w.broken = asks.Follow(&trade.Settled{Job: id, State: trade.State(f.Job.State)}); w.broken != "" {
			return 0, nil
		}
	}
	switch {
	case ended && !known && (delayMS == 0 || f.Remote == 0):
		return 0, nil
	case f.Remote == 0:
		return 0, fmt.Errorf("%w: after: job %d is not placed yet", trade.ErrConflict, id)
	case *at != "" && *at != f.Cluster:
		return 0, &trade.FieldError{Field: "after", Want: fmt.Sprintf("jobs of one cluster: they are at %s and %s", *at, f.Cluster)}
	}
	*at = f.Cluster
	return f.Remote, nil
}
