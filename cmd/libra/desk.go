package main

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/store"
)

// desk says who answers at the doors: the market, as long as this controller
// leads, and else the lobby.
type desk struct {
	now   atomic.Pointer[reign]
	stand atomic.Pointer[v1.Standing] // while nobody reigns
	lobby http.Handler
}

// reign is a market from when it is opened until its lead is lost.
type reign struct {
	handler    http.Handler
	leads      func() error // why another could lead by now, if one could
	endStreams func()
	ended      context.Context
	end        context.CancelFunc
}

func newDesk() *desk {
	b := &desk{}
	b.wait(v1.Standing{Status: "starting", Reason: "it is starting"})
	b.lobby = api.Lobby(func() v1.Standing { return *b.stand.Load() })
	return b
}

// open has the market answer.
func (b *desk) open(r *reign) {
	r.ended, r.end = context.WithCancel(context.Background())
	b.now.Store(r)
}

// wait has the lobby answer, and say how things stand.
func (b *desk) wait(h v1.Standing) {
	h.Alive = true
	b.stand.Store(&h)
	if r := b.now.Swap(nil); r != nil {
		r.endStreams()
		r.end()
	}
}

// waitFor has the lobby answer with the reason of an error: another has what it takes to
// serve, which it says in the words given, or that is away. It reports whether that is
// news.
func (b *desk) waitFor(err error, taken string) (news bool) {
	h := v1.Standing{Status: "away", Reason: "it has lost the lead"}
	why, known := errors.AsType[*trade.Closed](err)
	switch {
	case errors.Is(err, store.ErrTaken):
		h.Status, h.Reason = "standby", taken
	case known:
		h.Reason = why.Why
	}
	news = b.now.Load() != nil || b.stand.Load().Reason != h.Reason
	b.wait(h)
	return news
}

func (b *desk) endStreams() {
	if r := b.now.Load(); r != nil {
		r.endStreams()
	}
}

// ServeHTTP lets nobody see a market that another may lead by now: a process that
// stood still does not know yet.
func (b *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := b.now.Load()
	if now == nil {
		b.lobby.ServeHTTP(w, r)
		return
	}
	if now.leads() != nil {
		api.Lobby(func() v1.Standing {
			return v1.Standing{Status: "standby", Alive: true, Reason: "another controller may lead by now"}
		}).ServeHTTP(w, r)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(now.ended, cancel)() // what waits for a database that is away waits no longer
	now.handler.ServeHTTP(w, r.WithContext(ctx))
}
