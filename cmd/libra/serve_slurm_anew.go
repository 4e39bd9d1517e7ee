package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/wire"
)

// slurmAnew is where jobs are handed in anew that their users have put back into Slurm's queue.
type slurmAnew struct{ market onSlurm }

var _ slurm.Anew = (*slurmAnew)(nil)

// Anew hands a job in once more for its user, on the terms that it had. Its key is of the time that
// it was put back: asked again, the market answers what it has answered.
func (a *slurmAnew) Anew(ctx context.Context, r slurm.Return) (slurm.Renewed, error) {
	j, err := a.market.Market.Job(ctx, r.Job) // with its script
	switch {
	case err != nil:
		return slurm.Renewed{}, err
	case j.Attempt != r.Attempt || j.Archived != 0:
		return refusedAnew(fmt.Sprintf("job %d was begun anew meanwhile, or is in an archive", r.Job)), nil
	case !j.State.Final():
		return slurm.Renewed{}, slurm.ErrGoesOn
	case j.State == v1.Cancelled && !strings.HasSuffix(j.Detail, slurm.SaidPutBack): // asked for here, at the same moment
		return refusedAnew(fmt.Sprintf("job %d was %s", r.Job, j.Detail)), nil
	}
	by := trade.Identity{User: r.User, Role: trade.RoleUser}
	request, said := a.onItsTerms(ctx, by, &j, &r)
	key := fmt.Sprintf("slurm-put-back-%d-%d-%d", r.Number, r.Job, r.Count)
	o, _, err := a.market.sell(ctx, trade.Command{By: by, Submit: &trade.Submit{Request: request}}, api.Key{Owner: r.User, Key: key, Digest: []byte(key)})
	if err != nil && certain(err) {
		return refusedAnew(err.Error()), nil
	}
	if err != nil {
		return slurm.Renewed{}, err
	}
	n := slurm.Renewed{Refused: true}
	if o.Job != nil {
		n.Job, n.BornUS = o.Job.ID, o.Job.SubmittedUS
	}
	switch {
	case o.Refusal != nil:
		n.Said = "put back, and refused: " + o.Refusal.Detail
	case o.Job == nil:
		n.Said = "put back, and not bought"
	case inLine(o.Job.State):
		n.Said, n.Refused = fmt.Sprintf("put back, and waits as job %d%s", n.Job, said), false
	default:
		price := market.Money(o.Job.Price)
		n.Said, n.Refused = fmt.Sprintf("put back, and bought as job %d for %s %s%s", n.Job, price.Text(), a.market.Unit, said), false
	}
	return n, nil
}

// certain reports whether an error will be the same when it is asked again: also where the user has used the
// key of that time for something else, who can tell what it will be.
func certain(err error) bool {
	wrong := (*trade.FieldError)(nil)
	return errors.As(err, &wrong) || errors.Is(err, trade.ErrForbidden) || errors.Is(err, trade.ErrUnknown) || errors.Is(err, trade.ErrConflict) || errors.Is(err, trade.ErrKeyReused)
}

func refusedAnew(why string) slurm.Renewed {
	return slurm.Renewed{Refused: true, Said: "put back, and refused: " + why}
}

// onItsTerms is what a job asked for, and what is said of its deadline: that stays the point in time
// that it was where the market would still promise it, and is as long as it was at first otherwise.
func (a *slurmAnew) onItsTerms(ctx context.Context, by trade.Identity, j *v1.Job, r *slurm.Return) (trade.Request, string) {
	request := wire.ToRequest(&j.Request)
	request.After, request.AfterAny, request.AfterFailed, request.AfterBegun, request.AfterEach, request.AfterElement = nil, nil, nil, nil, nil, nil
	request.BeginMS, request.Hold = 0, r.OnHold
	first := r.Deadline
	if first == 0 {
		first = request.DeadlineMS
	}
	request.Env = slices.DeleteFunc(slices.Clone(request.Env), func(e string) bool { return strings.HasPrefix(e, task.PutBack+"=") })
	request.Env = append(request.Env, r.Env(first))
	if first == 0 || r.OnHold {
		request.DeadlineMS = first
		return request, ""
	}
	due := time.UnixMicro(j.DueUS)
	if left := due.Sub(wallClock()).Milliseconds(); left >= request.EstimateMS {
		request.DeadlineMS = left
		if o, err := a.market.Preview(ctx, by, request); err != nil || o.Refusal == nil {
			return request, ", with the deadline that it had"
		}
	}
	request.DeadlineMS = first
	length := time.Duration(first) * time.Millisecond
	return request, fmt.Sprintf(", with a deadline in %s, as when it was handed in first", length)
}
