package webtest

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/wire"
)

// Root is the owner of the cluster.
var Root = trade.Identity{User: "root", Role: trade.RoleOwner}

// User is somebody with an account.
func User(name string) trade.Identity {
	return trade.Identity{User: name, Role: trade.RoleUser}
}

// Floor is a market that runs, with people and, as far as a test plays them,
// nodes.
type Floor struct {
	testing.TB
	Market api.Market
	Keys   *apitest.Keys
	Clock  *Clock

	secrets map[string]string
}

// Open runs a market in a directory of the test; how it is set at first can be
// changed.
func Open(t testing.TB, change ...func(*trade.Open)) *Floor {
	t.Helper()
	return OpenAt(t, time.Time{}, change...)
}

// OpenAt is Open with a clock that stands at a time.
func OpenAt(t testing.TB, at time.Time, change ...func(*trade.Open)) *Floor {
	t.Helper()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "libra.db"))
	if err != nil {
		t.Fatal(err)
	}
	f := &Floor{TB: t, Keys: &apitest.Keys{}, Clock: &Clock{}, secrets: map[string]string{}}
	f.Clock.Set(at)
	cfg := controller.Default()
	cfg.Version, cfg.Report, cfg.Lease, cfg.Now = "test", 200*time.Millisecond, 0, f.Clock.Now
	for _, c := range change {
		c(&cfg.Open)
	}
	ctx, stop := context.WithCancel(context.Background())
	c, err := controller.Start(ctx, st, cfg)
	if err != nil {
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		<-c.Done()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	f.Market = front.Market{Controller: c}
	return f
}

// Do carries out a command.
func (f *Floor) Do(c trade.Command) api.Outcome {
	f.Helper()
	o, _, err := f.Market.Do(context.Background(), c, api.Key{})
	if err != nil {
		f.Fatalf("%+v: %v", c, err)
	}
	return o
}

// People opens accounts with so much to spend, and makes tokens.
func (f *Floor) People(units int64, names ...string) {
	f.Helper()
	for _, name := range names {
		path := "lab/" + name
		for _, m := range []trade.MoneyCommand{
			{Op: "open", To: path, User: name, Below: true},
			{Op: "grant", To: path, Amount: units * int64(market.Unit), Memo: "to begin with"},
		} {
			f.Do(trade.Command{By: Root, Money: &m})
		}
		role := v1.RoleUser
		if name == Root.User {
			role = v1.RoleOwner
		}
		f.secrets[name] = f.Keys.Make(name, role)
	}
}

// Secret is the token of one of the people.
func (f *Floor) Secret(name string) string { return f.secrets[name] }

// Submit hands in a job in somebody's name.
func (f *Floor) Submit(name string, r v1.Request) api.Outcome {
	f.Helper()
	if !r.HasProgram() {
		r.Script = "#!/bin/sh\necho hello\n"
	}
	if r.Dir == "" {
		r.Dir = "/home/" + name
	}
	return f.Do(trade.Command{By: User(name), Submit: wire.ToSubmit(&v1.SubmitRequest{Request: r})})
}
