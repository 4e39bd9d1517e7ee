package broker

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

// no is why a cluster will not have a job.
type no struct {
	from   *login
	reason string // of a refusal; "": it did not even refuse
	detail string
	offers []v1.Offer // by the cluster's numbers
}

// answer is a quote or why there is none.
type answer struct {
	bid     *bid
	no      *no
	refused bool // the cluster said no itself
}

// count notes an answer that came in time.
func (a *answer) count(r *Record) {
	switch {
	case a.bid != nil:
		r.Answered++
		r.Slows = 0
	case a.refused:
		r.Answered++
		r.Refused++
		r.Slows = 0
	default:
		r.Away++
	}
}

// gathering is quotes that are being waited for.
type gathering struct {
	mu      sync.Mutex
	over    bool
	answers chan answer
}

// quoteLife is how long quotes bind that the broker asks for to choose among:
// long enough to come back after a crash, short enough not to be in the way.
const quoteLife = 30 * time.Second

// candidates are those who are worth asking, and why the others are not. Who was
// named by the user is asked whatever it has done, and who is only slow is better
// than nobody.
func (w *want) candidates(skip []string) (ask []*login, nos []no) {
	var slow []*login
	for _, l := range w.logins {
		out, lied := l.seller.out()
		switch {
		case slices.Contains(skip, l.seller.name):
			nos = append(nos, no{from: l, detail: "had it before"})
		case out == "" || w.named:
			ask = append(ask, l)
		case lied:
			nos = append(nos, no{from: l, detail: out})
		default:
			nos = append(nos, no{from: l, detail: out})
			slow = append(slow, l)
		}
	}
	if len(ask) > 0 || len(slow) == 0 {
		return ask, nos
	}
	return slow, slices.DeleteFunc(nos, func(n no) bool { return slices.Contains(slow, n.from) })
}

// gather asks clusters at the same time for what a call returns, and waits for
// all of them but no longer than the limit. A binding quote that comes later is
// given back; one that comes in time takes up a place of its login until it is
// given back or taken.
func (b *Broker) gather(ctx context.Context, logins []*login, binding bool, call func(context.Context, *login) answer) (bids []bid, nos []no) {
	g := &gathering{answers: make(chan answer, len(logins))}
	waiting := map[*login]bool{}
	entering, cancel := context.WithTimeout(ctx, b.options.Limit)
	defer cancel()
	for _, l := range logins {
		if binding && !l.acquire(entering) {
			nos = append(nos, no{from: l, detail: "was not asked, because too many of its quotes are open"})
			continue
		}
		waiting[l] = true
		b.done.Go(func() { b.askOne(g, l, binding, call) })
	}
	take := func(a answer) {
		if a.bid != nil {
			delete(waiting, a.bid.from)
			bids = append(bids, *a.bid)
		} else {
			delete(waiting, a.no.from)
			nos = append(nos, *a.no)
		}
	}
	limit := b.options.over()
	for over := false; !over && len(waiting) > 0; {
		select {
		case a := <-g.answers:
			take(a)
		case <-limit:
			over = true
		case <-ctx.Done():
			over = true
		}
	}
	for _, a := range g.close() { // they came at the last moment
		take(a)
	}
	for _, l := range logins {
		if !waiting[l] {
			continue
		}
		nos = append(nos, no{from: l, detail: fmt.Sprintf("no answer within %s", b.options.Limit)})
		if binding && ctx.Err() == nil {
			l.seller.note(func(r *Record, now int64) { r.slow(now) })
		}
	}
	return bids, nos
}

// askOne asks one cluster, however long it takes.
func (b *Broker) askOne(g *gathering, l *login, binding bool, call func(context.Context, *login) answer) {
	ctx, cancel := context.WithTimeout(b.ctx, callLimit)
	defer cancel()
	if binding {
		l.seller.note(func(r *Record, _ int64) { r.Asked++ })
	}
	a := call(ctx, l)
	inTime := g.deliver(a, func() {
		if binding && b.ctx.Err() == nil {
			l.seller.note(func(r *Record, _ int64) { a.count(r) })
		}
	})
	switch {
	case !binding || a.bid != nil && inTime:
	case a.bid != nil:
		b.release([]bid{*a.bid}) // with time of its own: it took nearly all there was
	default:
		l.release()
	}
}

// openQuotes is how many quotes the broker lets a login have open at a time: a
// cluster allows a user trade.MaxQuotes, and some are for the user to hold.
const openQuotes = trade.MaxQuotes - 4

// acquire takes a place for a quote.
func (l *login) acquire(ctx context.Context) bool {
	select {
	case l.quotes <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// release gives it back.
func (l *login) release() { <-l.quotes }

// deliver hands an answer in, if it is not too late.
func (g *gathering) deliver(a answer, first func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return false
	}
	first()
	g.answers <- a // there is room for one of each
	return true
}

func (g *gathering) close() (late []answer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = true
	for {
		select {
		case a := <-g.answers:
			late = append(late, a)
		default:
			return late
		}
	}
}

// binding asks one cluster for a quote that binds.
func (w *want) binding(life time.Duration) func(context.Context, *login) answer {
	r := w.sent("")
	return func(ctx context.Context, l *login) answer {
		q, err := l.client.AskQuote(ctx, r, life)
		return l.weigh(&r, q, err, true)
	}
}

// preview asks one cluster for a quote that does not.
func (w *want) preview(ctx context.Context, l *login) answer {
	r := w.sent("")
	q, err := l.client.Preview(ctx, r)
	return l.weigh(&r, q, err, false)
}

// weigh takes in what a cluster answered to a request for a quote.
func (l *login) weigh(r *v1.Request, q v1.Quote, err error, binding bool) answer {
	s := l.seller
	s.met(err)
	if err == nil {
		if lie := quoteLie(r, &q, binding, s.b.now()); lie != "" {
			s.caught(lie)
			return answer{no: &no{from: l, detail: "contradicts itself: " + lie}, refused: true}
		}
		return answer{bid: &bid{from: l, quote: q}}
	}
	if malformed(err) {
		s.caught("an answer that cannot be read")
	}
	p, refused := declined(err)
	n := &no{from: l, detail: why(err)}
	if refused && p.ExitCode() == refusedCode {
		n.reason, n.offers = p.Reason, l.offers(p)
	}
	return answer{no: n, refused: refused}
}

// refusedCode is the exit code of problems that are refusals of a market.
const refusedCode = 3

// maxOffers bounds what is taken of a cluster's counter-offers.
const maxOffers = 4

// offers are the counter-offers of a refusal that make sense.
func (l *login) offers(p *client.Problem) []v1.Offer {
	var good []v1.Offer
	for _, o := range p.Offers[:min(len(p.Offers), maxOffers)] {
		if lie := quoteLie(&o.Quote.Request, &o.Quote, false, l.seller.b.now()); lie != "" {
			l.seller.caught("an offer with " + lie)
			return nil
		}
		o.Change, o.Detail = clipped(o.Change), clipped(o.Detail)
		good = append(good, o)
	}
	return good
}

// giveBack takes a quote back that nobody will take, and leaves its place.
func (l *login) giveBack(ctx context.Context, id string) {
	defer l.release()
	// It expires soon by itself, so what comes of this does not matter.
	_ = l.client.DropQuote(ctx, id)
}

// release gives quotes back that were gathered.
func (b *Broker) release(bids []bid) {
	for _, one := range bids {
		b.done.Go(func() {
			ctx, cancel := context.WithTimeout(b.ctx, callLimit)
			defer cancel()
			one.from.giveBack(ctx, one.quote.ID)
		})
	}
}
