package broker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
)

// deliver hands the job over, as often as it takes to know whether it arrived.
// The first attempt after a start is not the first: the one before may have
// arrived.
func (t *trip) deliver(to *login, resumed bool) (taken bool, err error) {
	known := t.e.now()
	request := t.w.sent(known.Nonce)
	// A call can hang: those who wait are told in time.
	patience := time.AfterFunc(t.b.options.Patience, func() { t.f.doubt(t.e) })
	defer patience.Stop()
	for try := 0; ; try++ {
		var j v1.Job
		found, sent, wrote := false, false, false
		err = nil
		if resumed || try > 0 {
			j, found, err = to.find(t.b.ctx, known.Nonce, known.HandedUS)
		}
		if !found && err == nil {
			sent = true
			j, wrote, err = to.handOver(t.b.ctx, &request, known.Quote, known.Nonce)
		}
		if t.b.ctx.Err() != nil {
			return false, t.b.ctx.Err()
		}
		to.seller.met(err)
		if t.over() {
			return t.givenUp()
		}
		if found && j.State == v1.Rejected { // a refusal whose answer was lost
			t.nos = append(t.nos, no{from: to, reason: clipped(j.Reason), detail: clipped(j.Detail)})
			return false, nil
		}
		if err == nil {
			settled := false
			if settled, taken, err = t.taken(to, &known, &j); settled && err == nil {
				return taken, nil
			}
			sent = false
		}
		// Only who was handed the job, and knows by whom, can decline it: a token
		// that is not taken any more says nothing about what was handed over before
		// (and a broken connection makes net/http send a keyed request again by
		// itself).
		if p, certain := declined(err); certain && sent && p.Status != http.StatusUnauthorized && p.Status != http.StatusForbidden {
			t.declinedBy(to, p)
			return false, nil
		}
		if sent && !wrote && try == 0 && !resumed {
			t.nos = append(t.nos, no{from: to, detail: why(err)})
			return false, nil
		}
		if malformed(err) {
			to.seller.caught("an answer that cannot be read")
		}
		if end := t.wait(to, try, &known, err); end != nil {
			return t.abandon(end)
		}
	}
}

// errUntrue says that the answer of a cluster cannot be what it says.
var errUntrue = errors.New("the answer contradicts itself")

// handOver submits the job once, and reports whether anything of it left this
// machine.
func (l *login) handOver(ctx context.Context, r *v1.Request, quote, nonce string) (j v1.Job, wrote bool, err error) {
	var left atomic.Bool
	ctx = httptrace.WithClientTrace(client.WithKey(ctx, nonce), &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }})
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	j, err = l.client.Submit(ctx, *r, quote)
	return j, left.Load(), err
}

// taken takes in that a cluster has the job. Nothing is settled where that cannot
// be true, and nothing is taken where it is not what was agreed.
func (t *trip) taken(to *login, agreed *facts, j *v1.Job) (settled, taken bool, err error) {
	lie := jobLie(agreed.Quoted, j)
	if lie == "" && !agreed.is(j) {
		lie = "another job than the one that was submitted"
	}
	if lie != "" {
		to.seller.caught(lie)
		if j.ID <= 0 || !known(j.State) || !agreed.is(j) {
			return false, false, errUntrue
		}
		if t.callOff(to, j) {
			t.nos = append(t.nos, no{from: to, detail: "contradicts itself: " + lie})
			return true, false, nil
		}
	}
	err = t.confirm(to, agreed, j)
	return true, err == nil, err
}

// callOff cancels a job that was taken on other terms than agreed.
func (t *trip) callOff(to *login, j *v1.Job) bool {
	if j.State.Final() {
		return true
	}
	ctx, cancel := context.WithTimeout(t.b.ctx, callLimit)
	defer cancel()
	_, err := to.client.Cancel(ctx, j.ID)
	return err == nil || missing(err)
}

// confirm writes down that a cluster has the job, together with the answer.
func (t *trip) confirm(to *login, agreed *facts, j *v1.Job) error {
	next := *agreed
	next.Remote, next.Agreed, next.Promised = j.ID, j.Price, 0
	if j.Firm {
		next.Promised = j.PromisedUS
	}
	next.Job = t.b.translate(to.seller, &next, j)
	view := next.Job
	out := api.Outcome{Job: &view}
	replies, err := t.b.reply(t.key, &out)
	if err != nil {
		return err
	}
	cancelled := false
	err = t.b.change(t.e, func(f *facts) bool {
		if cancelled = f.Job.State.Final(); cancelled { // in between: what is left behind is taken back
			return false
		}
		*f = next
		return true
	}, replies...)
	if err != nil {
		return closed(err)
	}
	if cancelled {
		_, err := t.givenUp()
		return err
	}
	to.seller.note(func(r *Record, _ int64) { r.Won++ })
	if j.State.Final() { // it was found when all was over
		to.assess(&next, j)
	}
	t.f.out = out
	t.b.publish(t.e)
	t.b.follow(t.e)
	return nil
}

// declinedBy notes that a cluster will not have the job although it quoted it.
func (t *trip) declinedBy(to *login, p *client.Problem) {
	n := no{from: to, detail: why(p)}
	if p.ExitCode() == refusedCode {
		n.reason, n.offers = p.Reason, to.offers(p)
	}
	t.nos = append(t.nos, n)
	to.seller.note(func(r *Record, _ int64) { r.Refused++ })
}

var (
	errPointless = errors.New("its deadline has passed while nobody knew whether it was taken")
	errCancelled = errors.New("it was cancelled")
)

// wait lets some time pass before a cluster is asked again, and tells those who
// wait that it may take long. It fails when there is no more use in it.
func (t *trip) wait(to *login, try int, known *facts, err error) error {
	t.waited = true
	if try == 0 {
		t.b.log.Warn("a cluster does not say whether it has a job", "cluster", to.seller.name, "job", t.e.id, "why", why(err))
		t.f.doubt(t.e)
		t.b.publish(t.e)
	}
	pause := time.NewTimer(doubled(t.b.options.Retry, 10*t.b.options.Retry, try))
	defer pause.Stop()
	select {
	case <-t.b.ctx.Done():
		return t.b.ctx.Err()
	case <-pause.C:
	}
	if t.over() {
		return errCancelled
	}
	if known.Job.DueUS != 0 && t.b.now() > known.Job.DueUS {
		return errPointless
	}
	return nil
}

// abandon ends a trip that leads nowhere. Where the job may be there after all,
// it is taken back as soon as its cluster answers.
func (t *trip) abandon(why error) (taken bool, err error) {
	switch {
	case errors.Is(why, errCancelled):
		return t.givenUp()
	case errors.Is(why, errPointless):
		known := t.e.now()
		if known.mayMove() {
			if err = t.b.move(t.e, &known, "its deadline passed there"); err != nil {
				return false, err
			}
			return t.givenUp()
		}
		t.f.out, err = t.lose(fmt.Sprintf("%s has not answered, and %v", known.Cluster, errPointless))
		return true, err
	}
	return false, why
}

// newNonce draws the key of a job at a cluster.
func newNonce() string {
	var random [12]byte
	rand.Read(random[:]) // it never returns an error: without randomness the program ends
	return hex.EncodeToString(random[:])
}
