package broker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

// want is a request made ready for the clusters.
type want struct {
	by      trade.Identity
	request v1.Request // as the user sent it
	order   order
	logins  []*login // whom to ask, in the order of the file
	named   bool     // by the account: nobody else may have it
	account string   // at the one cluster; "": the user's own
	below   string   // the same as it is called here, below USER/CLUSTER
	after   []int64  // jobs of the one cluster
	broken  string   // a job that it was to follow did not succeed
}

// prepare finds out who may be asked for what. Who only looks, and runs the
// broker, may look with what it has.
func (b *Broker) prepare(ctx context.Context, by trade.Identity, r v1.Request, looking bool) (*want, error) {
	w := &want{by: by, request: r, logins: b.markets(by.User)}
	var err error
	if w.order, err = orderOf(&r, b.options.Wish); err != nil {
		return nil, err
	}
	if len(w.logins) == 0 && looking && by.Role == trade.RoleOwner {
		for _, s := range b.sellers {
			w.logins = append(w.logins, s.any())
		}
	}
	if len(w.logins) == 0 {
		return nil, fmt.Errorf("%w: no cluster behind this broker knows %s", trade.ErrConflict, by.User)
	}
	if err := b.prepareAccount(ctx, w); err != nil {
		return nil, err
	}
	return w, b.prepareAfter(ctx, w)
}

// prepareAccount reads the account that pays: everybody's own, or USER/CLUSTER,
// which names the cluster, or one below that.
func (b *Broker) prepareAccount(ctx context.Context, w *want) error {
	path := w.request.Account
	if path == "" || path == w.by.User {
		return nil
	}
	rest, own := strings.CutPrefix(path, w.by.User+"/")
	cluster, below, _ := strings.Cut(rest, "/")
	i := slices.IndexFunc(w.logins, func(l *login) bool { return l.seller.name == cluster })
	if !own || i < 0 {
		return fmt.Errorf("account %s: %w", path, trade.ErrUnknown)
	}
	l := w.logins[i]
	w.logins, w.named = []*login{l}, true
	if below == "" {
		return nil
	}
	if l.user == "" { // everybody's: what is below it is nobody's in particular
		return fmt.Errorf("account %s: %w", path, trade.ErrUnknown)
	}
	home, err := l.home(ctx)
	if err != nil {
		return fmt.Errorf("%w: %s %s", trade.ErrConflict, cluster, why(err))
	}
	w.account, w.below = home+"/"+below, "/"+below
	return nil
}

// prepareAfter finds the jobs that must have succeeded first. A cluster can wait
// for its own jobs alone, so those that have not ended must be at one.
func (b *Broker) prepareAfter(ctx context.Context, w *want) error {
	if len(w.request.AfterAny)+len(w.request.AfterFailed)+len(w.request.AfterBegun)+len(w.request.AfterEach) > 0 {
		return &trade.FieldError{Field: "after_any", Want: "nothing: behind a broker a job waits for the success of others alone (after)"}
	}
	if w.request.BeginMS > 0 || w.request.Hold {
		return &trade.FieldError{Field: "begin_ms", Want: "nothing, and no hold: behind a broker a job begins when it can, or after others"}
	}
	at := ""
	for _, id := range w.request.After {
		e, err := b.entry(ctx, id)
		if err != nil {
			return fmt.Errorf("after: %w", err)
		}
		f := e.now()
		switch {
		case f.Job.Owner != w.by.User && w.by.Role != trade.RoleOwner:
			return fmt.Errorf("after: job %d: %w", id, trade.ErrUnknown)
		case f.Job.State == v1.Completed:
			continue
		case f.Job.State.Final():
			w.broken = fmt.Sprintf("job %d, which it was to follow, is %s", id, f.Job.State.Word())
			return nil
		case f.Remote == 0:
			return fmt.Errorf("%w: after: job %d is not placed yet", trade.ErrConflict, id)
		case at != "" && at != f.Cluster:
			return &trade.FieldError{Field: "after", Want: fmt.Sprintf("jobs of one cluster: they are at %s and %s", at, f.Cluster)}
		}
		at = f.Cluster
		w.after = append(w.after, f.Remote)
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

// sent is the request as clusters get it, without what is said to the broker. The
// nonce is for jobs that are handed over, not for those that are asked about.
func (w *want) sent(nonce string) v1.Request {
	r := w.request
	r.Account, r.After, r.Tags = w.account, w.after, slices.Clone(w.order.tags)
	if nonce != "" {
		r.Tags = append(r.Tags, nonceTag+nonce)
	}
	return r
}
