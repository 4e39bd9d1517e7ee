package broker

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/wish"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/wire"
)

// shelf is the owner under which quotes are kept among the answers: no user can
// have this name.
const shelf = "quote/"

// kept is a quote that somebody may come back to: the broker's, and what the
// cluster calls it.
type kept struct {
	Quote   v1.Quote `json:"quote"`
	Cluster string   `json:"cluster"`
	Remote  string   `json:"remote"`
	Account string   `json:"account,omitempty"` // at the cluster
}

// keep gives a quote of a cluster a name of the broker's.
func (b *Broker) keep(w *want, from *login, q *v1.Quote) (store.Reply, error) {
	k := kept{Quote: *q, Cluster: from.seller.name, Remote: q.ID, Account: w.account}
	q.ID = "b" + newNonce()[:12]
	w.dress(q)
	k.Quote = *q
	body, err := json.Marshal(&k)
	return store.Reply{Owner: shelf, Key: q.ID, Body: body, At: b.now()}, err
}

// dress shows a quote to the user who asked, with what the request said to the
// broker.
func (w *want) dress(q *v1.Quote) {
	q.Owner = w.by.User
	q.Request.Account, q.Request.Tags = w.request.Account, w.request.Tags
	asked := followOf(&w.request)
	asked.put(&q.Request)
	q.Formula, q.Policy = clipped(q.Formula), clipped(q.Policy)
}

// quoted finds a quote that is still good.
func (b *Broker) quoted(ctx context.Context, id string) (*kept, error) {
	reply, found, err := b.store.Reply(ctx, shelf, id)
	if err != nil {
		return nil, closed(err)
	}
	var k kept
	if found {
		if err := json.Unmarshal(reply.Body, &k); err != nil {
			return nil, fmt.Errorf("quote %s in the store: %w", id, err)
		}
	}
	if !found || k.Remote == "" || b.now() > k.Quote.ExpiresUS+clockSlack.Microseconds() {
		return nil, fmt.Errorf("quote %s: %w, or it has expired: ask for a new one", id, trade.ErrUnknown)
	}
	return &k, nil
}

// askQuote asks all clusters for a quote and keeps the best for the user.
func (b *Broker) askQuote(ctx context.Context, by trade.Identity, a *v1.QuoteRequest, key api.Key) (api.Outcome, error) {
	w, err := b.prepare(ctx, by, a.Request, false)
	if err != nil {
		return api.Outcome{}, err
	}
	if w.follow.any() {
		return api.Outcome{}, &trade.FieldError{Field: "after", Want: "none with a quote: it is for a job that can begin now"}
	}
	best, nos := b.best(ctx, w, true, w.binding(time.Duration(a.TTLMS)*time.Millisecond))
	var replies []store.Reply
	var out api.Outcome
	if best == nil {
		out.Refusal, replies = b.refusal(w, nos, true)
	} else {
		q := best.quote
		var one store.Reply
		if one, err = b.keep(w, best.from, &q); err != nil {
			return api.Outcome{}, err
		}
		out.Quote, replies = &q, []store.Reply{one}
	}
	mine, err := b.reply(key, &out)
	if err == nil {
		err = b.store.Append(context.WithoutCancel(ctx), store.Batch{Replies: append(replies, mine...)})
	}
	if err != nil {
		return api.Outcome{}, closed(err) // the quote expires by itself
	}
	return out, nil
}

// best asks as the objective says and gives back all quotes but the best, which is for
// the user to hold.
func (b *Broker) best(ctx context.Context, w *want, binding bool, call func(context.Context, *login) answer) (*bid, []no) {
	ask, nos := w.candidates(nil)
	rounds := [][]*login{ask}
	if w.order.wish == wish.First {
		rounds = slices.Collect(slices.Chunk(ask, 1))
	}
	for _, some := range rounds {
		bids, more := b.gather(ctx, some, binding, call)
		if len(bids) == 0 {
			nos = append(nos, more...)
			continue
		}
		rank(w.order.wish, bids)
		if binding {
			bids[0].from.release()
			b.release(bids[1:])
		}
		return &bids[0], nil
	}
	return nil, nos
}

// Preview answers with the best of the quotes that bind nobody.
func (b *Broker) Preview(ctx context.Context, by trade.Identity, r trade.Request) (api.Outcome, error) {
	w, err := b.prepare(ctx, by, wire.Request(&r), true)
	if err != nil {
		return api.Outcome{}, err
	}
	best, nos := b.best(ctx, w, false, w.preview)
	if best == nil {
		refusal, _ := b.refusal(w, nos, false)
		return api.Outcome{Refusal: refusal}, nil
	}
	w.dress(&best.quote)
	best.quote.ID = ""
	return api.Outcome{Quote: &best.quote}, nil
}

// Quote reads a quote, as its cluster has it if that answers.
func (b *Broker) Quote(ctx context.Context, id string) (v1.Quote, error) {
	k, err := b.quoted(ctx, id)
	if err != nil {
		return v1.Quote{}, err
	}
	l := b.at(k.Cluster, k.Quote.Owner)
	if l == nil {
		return k.Quote, nil
	}
	ctx, cancel := context.WithTimeout(ctx, b.options.Limit)
	defer cancel()
	if _, err = l.client.Quote(ctx, k.Remote); missing(err) {
		return v1.Quote{}, fmt.Errorf("quote %s: %w, or it has expired: ask for a new one", id, trade.ErrUnknown)
	}
	return k.Quote, nil
}

// at is who a user is at a cluster; nil: nobody.
func (b *Broker) at(cluster, user string) *login {
	if s := b.seller(cluster); s != nil {
		return s.login(user)
	}
	return nil
}

// dropQuote takes a quote back.
func (b *Broker) dropQuote(ctx context.Context, by trade.Identity, id string) (api.Outcome, error) {
	k, err := b.quoted(ctx, id)
	if err != nil {
		return api.Outcome{}, err
	}
	if by.Role != trade.RoleOwner && k.Quote.Owner != by.User {
		return api.Outcome{}, fmt.Errorf("quote %s: %w", id, trade.ErrUnknown)
	}
	if l := b.at(k.Cluster, k.Quote.Owner); l != nil {
		within, cancel := context.WithTimeout(ctx, b.options.Limit)
		_ = l.client.DropQuote(within, k.Remote) // where it is not told, it expires
		cancel()
	}
	gone := store.Reply{Owner: shelf, Key: id, Body: []byte("{}"), At: b.now()}
	return api.Outcome{Quote: &k.Quote}, closed(b.store.Append(ctx, store.Batch{Replies: []store.Reply{gone}}))
}

// submitOnQuote submits a job on a quote, or a counter-offer, that the broker gave.
func (t *trip) submitOnQuote(by trade.Identity, s v1.SubmitRequest) (api.Outcome, error) {
	k, err := t.b.quoted(t.b.ctx, s.Quote)
	if err == nil && k.Quote.Owner != by.User {
		err = fmt.Errorf("quote %s: %w, or it has expired: ask for a new one", s.Quote, trade.ErrUnknown)
	}
	if err != nil {
		return api.Outcome{}, err
	}
	r, err := merged(k.Quote.Request, &s.Request)
	if err == nil {
		err = wire.Validate(&r)
	}
	if err != nil {
		return api.Outcome{}, err
	}
	if t.w, err = t.b.prepare(t.b.ctx, by, r, false); err != nil {
		return api.Outcome{}, err
	}
	l := t.b.at(k.Cluster, by.User)
	if l == nil {
		return api.Outcome{}, fmt.Errorf("quote %s: %w: %s is not behind this broker any more", s.Quote, trade.ErrUnknown, k.Cluster)
	}
	t.quote, t.w.account = s.Quote, k.Account
	q := k.Quote
	q.ID = k.Remote
	taken, err := t.hand(&bid{from: l, quote: q})
	if taken || err != nil {
		return t.f.out, err
	}
	return t.refuse()
}

// merged puts a program to the terms of a quote. Terms that differ are refused:
// they are not what was quoted.
func merged(quoted v1.Request, given *v1.Request) (v1.Request, error) {
	r := quoted
	if given.HasProgram() {
		r.Argv, r.Script, r.Dir, r.Env, r.Output, r.Error = given.Argv, given.Script, given.Dir, given.Env, given.Output, given.Error
	}
	r.Name, r.Overrun, r.GraceMS = cmp.Or(given.Name, r.Name), cmp.Or(given.Overrun, r.Overrun), cmp.Or(given.GraceMS, r.GraceMS)
	r.NoRestart = r.NoRestart || given.NoRestart
	if len(given.Tags) > 0 {
		r.Tags = given.Tags
	}
	if given.Optional != nil && quoted.Optional != nil {
		r.Optional = given.Optional // its program; whether the terms are the same, the cluster says
	}
	want := *given
	want.Optional = cmp.Or(want.Optional, r.Optional)
	want.EstimateMS, want.DeadlineMS = cmp.Or(want.EstimateMS, r.EstimateMS), cmp.Or(want.DeadlineMS, r.DeadlineMS)
	want.PenaltyMicros, want.Processors = cmp.Or(want.PenaltyMicros, r.PenaltyMicros), cmp.Or(want.Processors, r.Processors)
	want.GPUs, want.GPUKind = cmp.Or(want.GPUs, r.GPUs), cmp.Or(want.GPUKind, r.GPUKind)
	want.Constraint, want.Partition = cmp.Or(want.Constraint, r.Constraint), cmp.Or(want.Partition, r.Partition)
	want.Reservation, want.QOS = cmp.Or(want.Reservation, r.Reservation), cmp.Or(want.QOS, r.QOS)
	if len(want.Nodelist) == 0 {
		want.Nodelist = r.Nodelist
	}
	if len(want.Exclude) == 0 {
		want.Exclude = r.Exclude
	}
	want.MemoryMB, want.DiskMB, want.Class = cmp.Or(want.MemoryMB, r.MemoryMB), cmp.Or(want.DiskMB, r.DiskMB), cmp.Or(want.Class, r.Class)
	want.Budget, want.Array, want.Soft = cmp.Or(want.Budget, r.Budget), cmp.Or(want.Array, r.Array), want.Soft || r.Soft
	switch {
	case given.Follows():
		return r, &trade.FieldError{Field: "after", Want: "none with a quote: it is for a job that can begin now"}
	case given.Account != "" && given.Account != quoted.Account:
		return r, &trade.FieldError{Field: "account", Want: "what the quote says, or nothing"}
	case given.Partition != "" && given.Partition != quoted.Partition: // else it would be passed over, and run as another
		return r, &trade.FieldError{Field: "partition", Want: "what the quote says, or nothing"}
	case given.QOS != "" && !strings.EqualFold(given.QOS, quoted.QOS):
		return r, &trade.FieldError{Field: "qos", Want: "what the quote says, or nothing"}
	case !sameTerms(&want, &r):
		return r, &trade.FieldError{Field: "quote", Want: "the terms that it names, or none beside it"}
	}
	return r, nil
}
