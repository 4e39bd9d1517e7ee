package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/store"
)

// keeper keeps a market open for as long as it is asked to: it waits for the
// database where that is away, and for the lead where another has it, with the
// doors open and the reason on them; and begins to wait anew when either is lost.
type keeper struct {
	*doors

	config *config.Config
	log    *slog.Logger
	say    func(string)
	opened func(ctx context.Context, s *service, first bool) error // what is to be done when the market is open
	token  string                                                  // the file of the owner's token, if there is to be one
	secure *tls.Config
	shut   bool // the doors are not open yet: somebody else has the address
	led    bool // it has led before
}

// keepPause is how long after a failure it is tried again.
const keepPause = time.Second

func (k *keeper) keep(ctx context.Context) error {
	var err error
	if k.secure, err = k.certify(k.config.TLS.Cert, k.config.TLS.Key, k.config.TLS.ClientCA); err != nil {
		return err
	}
	err = k.listen(k.config.Listen, k.secure, socketOf(k.config))
	// A controller that waits may be there to have this very address next.
	if k.shut = errors.Is(err, syscall.EADDRINUSE); err != nil && !k.shut {
		return err
	}
	if !k.shut {
		k.begin()
	}
	watch := newWatchdog()
	watch.ready()
	defer watch.stop()
	for {
		err = k.once(ctx, watch)
		if ctx.Err() != nil {
			return k.hangUp()
		}
		if err = full(err, k.config.Store); !passing(err, k.config.Store, k.led) {
			return firstOf(err, k.hangUp())
		}
		k.wait(err)
		restFor(ctx, keepPause)
	}
}

// passing reports whether an error is one to wait for the end of. What is wrong
// with the address, the tables or the log does not go away by itself, nor do
// beginners want to wait for it.
func passing(err error, address string, led bool) bool {
	if errors.Is(err, store.ErrAway) || errors.Is(err, store.ErrTaken) || errors.Is(err, store.ErrDeposed) || errors.Is(err, store.ErrUncertain) || errors.Is(err, errLost) {
		return true
	}
	replica := errors.Is(err, store.ErrReadOnly) && strings.HasPrefix(address, "postgres") // that will be promoted
	return replica || noRoom(err, address) || led && errors.Is(err, trade.ErrUnavailable)
}

// noRoom reports whether an error says that a disk is full on which there is a store
// already: a market that ran there goes on when there is room.
func noRoom(err error, address string) bool {
	if !errors.Is(err, store.ErrFull) {
		return false
	}
	if strings.HasPrefix(address, "postgres") {
		return true
	}
	info, bad := os.Stat(strings.TrimPrefix(strings.TrimPrefix(address, "sqlite:"), "//"))
	return bad == nil && info.Size() > 0
}

// full says of an error what to do about a disk that is full.
func full(err error, address string) error {
	if !errors.Is(err, store.ErrFull) {
		return err
	}
	if noRoom(err, address) {
		return fmt.Errorf("%w: make room on its disk, and the market goes on", err)
	}
	return fmt.Errorf("%w: make room on its disk, and start it again", err)
}

// wait says on the doors why nothing is served.
func (k *keeper) wait(err error) {
	if k.desk.waitFor(err, "another controller leads") {
		k.say(fmt.Sprintf("waiting: %v", err))
	}
}

// once waits for the lead, opens the market, and keeps it until it ends.
func (k *keeper) once(ctx context.Context, watch *watchdog) (err error) {
	h, err := openHost(ctx, k.config.Store, k.doors)
	if err != nil {
		return err
	}
	s := &service{host: h}
	defer func() {
		switch {
		case ctx.Err() != nil: // nothing new comes in, and then what came in is written down
			err = firstOf(k.hangUp(), s.abdicate())
			return
		case errors.Is(err, errLost):
			k.wait(err)
		}
		if bad := s.abdicate(); bad != nil {
			k.log.Warn("the store was not closed in order", "error", bad)
		}
	}()
	err = s.lead(ctx, func() {
		k.say("another controller leads: waiting to take over")
		k.desk.wait(v1.Standing{Status: "standby", Ready: true, Reason: "another controller leads"})
		watch.status("waiting to take the lead over")
	})
	if err != nil {
		return err
	}
	if k.shut {
		if err = k.listen(k.config.Listen, k.secure, socketOf(k.config)); err != nil {
			return err
		}
		k.shut = false
	}
	if err = k.known(ctx, s.store); err != nil {
		return err
	}
	if err = s.start(ctx, k.config, k.log); err != nil {
		return err
	}
	if err = k.opened(ctx, s, !k.led); err != nil {
		return err
	}
	k.led = true
	watch.status("leading")
	defer watch.guard(nil)
	watch.guard(s.market.Healthy)
	return s.wait(ctx)
}

// known refuses a store that is empty where the token of an owner is left of a market:
// the store was emptied, or is another one, and a new market would begin in its place.
func (k *keeper) known(ctx context.Context, st store.Store) error {
	if _, err := os.Stat(k.token); k.token == "" || err != nil {
		return nil //nolint:nilerr // there is none, or it will be said what is wrong with it
	}
	_, found, err := st.Last(ctx)
	if err != nil || found {
		return err
	}
	if made, err := st.Tokens(ctx, ""); err != nil || len(made) > 0 {
		return err
	}
	return fmt.Errorf("%w: it is empty, and %s is the token of the owner of a market; %s. For a new market: remove %[2]s", store.ErrDamaged, k.token, store.Advice)
}

// restFor waits, or until ctx is done.
func restFor(ctx context.Context, long time.Duration) {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
