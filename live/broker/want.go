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
	follow  follow   // jobs of the one cluster
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
	return w, b.prepareFollow(ctx, w)
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

// sent is the request as clusters get it, without what is said to the broker. The
// nonce is for jobs that are handed over, not for those that are asked about.
func (w *want) sent(nonce string) v1.Request {
	r := w.request
	r.Account, r.Tags = w.account, slices.Clone(w.order.tags)
	w.follow.put(&r)
	if nonce != "" {
		r.Tags = append(r.Tags, nonceTag+nonce)
	}
	return r
}
