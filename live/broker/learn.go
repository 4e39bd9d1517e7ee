package broker

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/store"
)

// refresh asks the cluster how a job is.
func (l *login) refresh(ctx context.Context, e *entry) {
	f := e.now()
	j, err := l.client.Job(ctx, f.Remote)
	if ctx.Err() == nil {
		l.seller.met(err)
	}
	switch {
	case err == nil && j.ID == f.Remote && !f.is(&j):
		err = l.deny(e, &f)
	case err == nil && j.ID == f.Remote:
		err = l.seller.b.learn(l, e, &j)
	case err == nil:
		l.seller.caught(fmt.Sprintf("job %d when asked for job %d", j.ID, f.Remote))
	case missing(err):
		err = l.deny(e, &f)
	case malformed(err):
		l.seller.caught("an answer that cannot be read")
		err = nil
	default:
		err = nil // it is away, and that is noted
	}
	if err != nil {
		l.seller.b.log.Warn("a job is not written", "job", e.id, "error", err)
	}
}

// learn takes in how a job is, and writes down what matters of it.
func (b *Broker) learn(l *login, e *entry, j *v1.Job) error {
	if !known(j.State) || j.Price < 0 || j.Price > mostMoney {
		l.seller.caught(fmt.Sprintf("job %d with impossible numbers", j.ID))
		return nil
	}
	ended, lost, moved := false, false, false
	var now facts
	err := b.change(e, func(f *facts) bool {
		if f.Remote != j.ID || f.Cluster != l.seller.name || f.Job.State.Final() || !f.is(j) {
			return false
		}
		if lost = j.State == v1.Lost && f.mayMove(); lost {
			now = *f
			return false
		}
		was := f.Job
		f.Job = b.translate(l.seller, f, j)
		moved = was.State != j.State || was.Share != j.Share || was.Work != j.Work || was.Penalty != j.Penalty
		now, ended = *f, j.State.Final()
		return was.State != j.State || was.StartedUS != j.StartedUS || was.Firm != j.Firm
	})
	switch {
	case err != nil:
		return err
	case lost:
		return b.move(e, &now, "lost by "+l.seller.name+": "+clipped(j.Detail))
	case ended:
		l.assess(&now, j)
	}
	if moved {
		b.publish(e)
	}
	return nil
}

// assess looks back at a job that has ended: at the promise, as it was when the
// job was accepted, and at the bill.
func (l *login) assess(f *facts, j *v1.Job) {
	if lie := billLie(f.Agreed, max(f.Optional, j.Optional), &f.Job.Request, j); lie != "" {
		l.seller.caught(lie)
	}
	ran := j.State == v1.Completed || j.State == v1.Failed || j.State == v1.Lost
	if f.Promised == 0 || !ran {
		return
	}
	l.seller.note(func(r *Record, _ int64) {
		if j.State != v1.Lost && j.EndedUS <= f.Promised+promiseSlack.Microseconds() {
			r.Kept++
		} else {
			r.Missed++
		}
	})
}

// promiseSlack is by how much a promise may be missed and count as kept: what a
// node needs to notice that a job has ended.
const promiseSlack = 2 * time.Second

// deny takes in that a cluster does not know a job that it took. It may be
// starting anew, so it is asked a few times before that is believed. What it was asked
// about may be elsewhere by then.
func (l *login) deny(e *entry, asked *facts) error {
	b := l.seller.b
	e.mu.Lock()
	if e.facts.Nonce != asked.Nonce {
		e.mu.Unlock()
		return nil
	}
	e.denied++
	denied, f := e.denied, e.facts
	e.mu.Unlock()
	if denied < denials || f.Job.State.Final() {
		return nil
	}
	l.seller.caught(fmt.Sprintf("it does not know job %d any more", f.Remote))
	if f.mayMove() {
		return b.move(e, &f, "not known to "+l.seller.name+" any more")
	}
	err := b.conclude(e, func(f *facts) ([]store.Reply, error) {
		f.Job.State, f.Job.Reason, f.Job.EndedUS = v1.Lost, reasonDenied, b.now()
		f.Job.Detail = l.seller.name + " took it and does not know it any more"
		return nil, nil
	})
	b.publish(e)
	return err
}

const denials = 3

// find looks for a job by the tag it was handed over with, among those that the
// cluster has taken since.
func (l *login) find(ctx context.Context, nonce string, sinceUS int64) (j v1.Job, found bool, err error) {
	ctx, stop := context.WithTimeout(ctx, callLimit)
	defer stop()
	q := v1.JobQuery{Limit: 500}
	for {
		var page v1.JobPage
		if page, err = l.client.Jobs(ctx, q); err != nil {
			return j, false, err
		}
		for i := range page.Jobs {
			switch one := &page.Jobs[i]; {
			case slices.Contains(one.Request.Tags, nonceTag+nonce):
				j, err = l.client.Job(ctx, one.ID)
				return j, err == nil, err
			case one.SubmittedUS < sinceUS-10*clockSlack.Microseconds():
				return j, false, nil
			}
		}
		if page.Next == 0 || q.Before != 0 && page.Next >= q.Before {
			return j, false, nil
		}
		q.Before = page.Next
	}
}
