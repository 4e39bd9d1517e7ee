package world

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/libra-market/libra/client"
	v1 "github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/fair"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/store"
)

// seat is a machine on which a controller runs, or waits to lead.
type seat struct {
	w    *World
	host *host

	mu     sync.Mutex
	opened *door
	ctrl   *controller.Controller
	drive  *drive
	kill   func() // whatever runs here
	gone   chan struct{}
	starts int64
}

func (w *World) newSeat(i int) *seat {
	return &seat{w: w, host: &host{name: fmt.Sprintf("c%d", i+1)}}
}

// door is where it is spoken to; nil: nobody is there.
func (s *seat) door() *door {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// seat is one of the controllers, in turn.
func (w *World) seat(i int) *seat {
	if len(w.seats) == 0 {
		return nil
	}
	return w.seats[i%len(w.seats)]
}

// leader is the one that serves; the first if none does.
func (w *World) leader() *seat {
	for _, s := range w.seats {
		if s.door() != nil {
			return s
		}
	}
	return w.seats[0]
}

// rates are what a processor costs, in micro-units a second.
const rates = int64(market.Unit) / 100

// start begins a controller. While somebody puts a backup in the place of the store it
// does not: they do, when they are done.
func (s *seat) start() {
	if len(s.w.restoring) == 0 {
		s.begin()
	}
}

// begin lets a controller wait until it may lead, read the state back and serve. Where
// one runs already, begun by whoever else broke it, there is no other.
func (s *seat) begin() {
	s.mu.Lock()
	if s.gone != nil {
		select {
		case <-s.gone:
		default:
			s.mu.Unlock()
			return
		}
	}
	s.starts++
	n := s.starts
	ctx, cancel := context.WithCancel(s.w.alive)
	gone := make(chan struct{})
	s.kill, s.gone = cancel, gone
	s.mu.Unlock()
	s.w.running.Go(func() {
		defer close(gone)
		for turn := 1; ctx.Err() == nil; turn++ { // who has lost the lead waits for it again
			if err := s.turn(ctx, fmt.Sprintf("%s-%d-%d", s.host.name, n, turn)); err != nil {
				return
			}
		}
	})
}

// turn waits for the lead, and leads until it is over.
func (s *seat) turn(ctx context.Context, name string) error {
	disk := s.w.currentDisk()
	if err := disk.Sound(); err != nil {
		s.w.fail("the store of %s: %v", s.host.name, err)
	}
	d := &drive{Store: disk.Open(), w: s.w, on: s.host, name: name}
	s.mu.Lock()
	s.drive = d
	s.mu.Unlock()
	if ctx.Err() != nil { // it was killed just now
		return ctx.Err()
	}
	defer func() { _ = d.Close() }() // nothing is written then
	err := s.serve(ctx, d)
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrClosed) && !errors.Is(err, store.ErrDeposed) {
		s.w.fail("controller on %s: %v", s.host.name, err)
	}
	if errors.Is(err, store.ErrDeposed) {
		return nil
	}
	return err
}

// serve is the life of a controller.
func (s *seat) serve(ctx context.Context, d *drive) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	lost, release, err := d.Lead(ctx)
	if err != nil {
		return err
	}
	defer release()
	cfg := controller.Default()
	cfg.Version, cfg.Now, cfg.Logger = fmt.Sprint("world-", s.w.builds.Load()), s.host.now, s.w.log
	cfg.Lease, cfg.Report, cfg.SnapshotEvery = s.w.day.Lease, s.w.day.Report, s.w.day.Snapshot
	cfg.Unsaid = epoch.LiveSettings()
	cfg.Unsaid["reporting"] = market.Money(s.w.day.Report.Microseconds()).String()
	cfg.Elapsed, cfg.Turn = s.w.at, turn
	if cfg.Term, err = d.Leads(); err != nil {
		return err
	}
	cfg.Leads = func() error { _, deposed := d.Leads(); return deposed }
	cfg.Limits = fair.Default()
	cfg.Open = trade.Open{Policy: s.w.day.Policy, Rates: trade.Rates{Processor: rates}}
	c, err := controller.Start(ctx, d, cfg)
	if err != nil {
		return err
	}
	s.w.note("%s leads", s.host.name)
	if s.w.slurm != nil {
		ended, err := s.w.slurm.serve(ctx, c, d, cfg.Leads, s.host)
		if err != nil {
			end()
			<-c.Done()
			return err
		}
		defer func() { end(); <-ended }()
	}
	handler := api.New(front.Market{Controller: c}, front.Keyring{Kept: d}, api.Options{Now: s.host.now, Log: s.w.log, Gate: fair.NewGate(cfg.Limits, s.host.now)})
	s.mu.Lock()
	s.opened, s.ctrl = &door{handler: handler, alive: ctx}, c
	s.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-lost:
		s.w.note("%s does not lead any more", s.host.name)
		end()
	}
	s.mu.Lock()
	s.opened, s.ctrl = nil, nil
	s.mu.Unlock()
	handler.Close()
	<-c.Done()
	return nil
}

// kills tells the controller to stop.
func (s *seat) kills() (gone <-chan struct{}) {
	s.mu.Lock()
	kill, gone := s.kill, s.gone
	s.mu.Unlock()
	if kill == nil {
		return nil
	}
	kill()
	return gone
}

// end tells the controller to stop, and waits until it has.
func (s *seat) end() {
	if gone := s.kills(); gone != nil {
		<-gone
	}
}

// crash kills it: what it has not written by now it never will.
func (s *seat) crash() {
	s.mu.Lock()
	d := s.drive
	s.mu.Unlock()
	if d != nil {
		_ = d.Store.Close() // it has no part in the store any more
	}
	s.end()
}

// secret is the token of a party.
func (w *World) secret(who string) string {
	var raw [32]byte
	r := w.chance("secret " + who)
	for i := 0; i < len(raw); i += 8 {
		binary.LittleEndian.PutUint64(raw[i:], r.Uint64())
	}
	return "libra_" + base64.RawURLEncoding.EncodeToString(raw[:])
}

// addTokens lets everybody in.
func (w *World) addTokens() {
	k := front.Keyring{Kept: w.disk.Open()}
	add := func(user string, role v1.Role) {
		if err := k.AddToken(w.alive, api.HashSecret(w.secret(user)), v1.Token{ID: "id-" + user, User: user, Role: role}); err != nil {
			w.fail("token of %s: %v", user, err)
		}
	}
	add("root", v1.RoleOwner)
	for _, u := range users {
		add(u, v1.RoleUser)
	}
	for i := range w.day.Nodes {
		add(fmt.Sprintf("n%d", i+1), v1.RoleNode)
	}
}

// client is somebody's, over a line of their own.
func (w *World) client(user string, from *host) *client.Client {
	c, err := client.New("http://market", w.secret(user), client.Options{Way: w.newLine(from), Retries: -1, Timeout: 20 * time.Second})
	if err != nil {
		w.fail("client of %s: %v", user, err)
	}
	return c
}

// purse is what every user has at first.
const purse = 1000 * int64(market.Unit)

// fund gives everybody money.
func (w *World) fund() {
	c := w.client("root", &host{name: "desk"})
	for i, u := range users {
		w.insist("open "+u, func(ctx context.Context) error {
			_, err := c.ChangeAccount(client.WithKey(ctx, fmt.Sprintf("open-%d", i)), v1.AccountChange{Op: "open", Account: u, User: u, First: true})
			return err
		})
		w.insist("grant "+u, func(ctx context.Context) error {
			_, err := c.Grant(client.WithKey(ctx, fmt.Sprintf("grant-%d", i)), v1.Grant{To: u, Amount: purse})
			return err
		})
	}
}
