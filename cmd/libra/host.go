package main

import (
	"context"
	"errors"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/web"
)

// host is what every daemon that serves an API has: a store that it alone leads,
// and doors at which it serves the API and the pages.
type host struct {
	*doors

	store   store.Store
	lost    <-chan struct{} // another may lead now
	release func()
}

// openHost opens the store for who serves at some doors.
func openHost(ctx context.Context, address string, at *doors) (host, error) {
	if err := store.BeforeUpgrade(ctx, address, controller.Readable); err != nil {
		return host{doors: at}, err
	}
	st, err := store.Open(ctx, address)
	return host{doors: at, store: st}, err
}

// lead makes sure that nobody else writes to the store. Who is not to wait until
// the other has gone is told who it is.
func (h *host) lead(ctx context.Context, waiting func()) error {
	var taken *store.Taken
	lost, release, err := h.store.TryLead(ctx)
	if errors.As(err, &taken) && waiting != nil {
		waiting()
		lost, release, err = h.store.Lead(ctx)
	}
	if err != nil {
		return err
	}
	h.lost, h.release = lost, release
	return nil
}

// releaseStore gives the store up.
func (h *host) releaseStore() error {
	if h.release != nil {
		h.release()
	}
	if h.store == nil {
		return nil
	}
	return h.store.Close()
}

// serve answers whoever comes, with the API or a page, as long as this host leads.
func (h *host) serve(handler *api.Handler, pages *web.Handler) {
	h.desk.open(&reign{
		handler: web.Join(handler, pages), leads: h.leads,
		endStreams: func() { handler.Close(); pages.Close() },
	})
	h.answerAt(pages.Before())
	h.begin()
}

// leads says why another could lead, if one could.
func (h *host) leads() error {
	_, err := h.store.Leads()
	return err
}

// connect speaks to the market that was started here, as nobody else could be
// taken for it: by its socket.
func (h *host) connect(token string) (*client.Client, error) {
	return client.New("unix:"+h.local, token, client.Options{Agent: "libra"})
}

// makeToken makes a token that is good for ever and returns the secret, which is
// kept nowhere.
func (h *host) makeToken(ctx context.Context, user string, role v1.Role, name string) (string, error) {
	return addToken(ctx, h.store, user, role, name, 0)
}

// addToken makes a token in a store and returns the secret. Without a life it is
// good for ever.
func addToken(ctx context.Context, st store.Tokens, user string, role v1.Role, name string, life time.Duration) (string, error) {
	secret, hash := api.NewSecret()
	t := v1.Token{ID: api.NewTokenID(), User: user, Role: role, Name: name, MadeUS: time.Now().UnixMicro()}
	if life > 0 {
		t.ExpiresUS = t.MadeUS + life.Microseconds()
	}
	return secret, front.Keyring{Kept: st}.AddToken(ctx, hash, t)
}
