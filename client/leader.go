package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// A market may have several controllers. One leads; one that waits says so (503),
// one that is gone does not answer, and one that stands still takes calls and
// never answers: then the others are asked whether one of them leads.

const (
	// hesitate is how long a call may go unanswered before the others are asked.
	hesitate = 2 * time.Second
	// askWait is how long they may take.
	askWait = 2 * time.Second
	// takeOver is how long a call waits, all in all, for one of several to lead.
	takeOver = 20 * time.Second
)

// errMoved says that another controller leads, and that it will be asked next.
var errMoved = errors.New("another controller leads now")

// current is who is asked, and what is closed when that changes.
func (c *Client) current() (*server, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.servers[c.now.Load()], c.moved
}

// Server is the address that is asked at the moment.
func (c *Client) Server() string {
	s, _ := c.current()
	return s.base
}

// Elsewhere asks the next address from now on.
func (c *Client) Elsewhere() {
	s, _ := c.current()
	c.leave(s)
}

// leave asks the one after a server from now on, if that is the one asked.
func (c *Client) leave(s *server) {
	for i, one := range c.servers {
		if one == s {
			c.turn(int64(i), int64((i+1)%len(c.servers)))
		}
	}
}

func (c *Client) turn(from, to int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if from != to && c.now.CompareAndSwap(from, to) {
		close(c.moved)
		c.moved = make(chan struct{})
	}
}

// watch gives a call up when another server is asked from now on, and asks the
// others, if it is told to, whether one of them leads. It is over when stop is
// called.
func (c *Client) watch(ctx context.Context, s *server, moved <-chan struct{}, ask bool, giveUp context.CancelCauseFunc) (stop func()) {
	if len(c.servers) == 1 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(hesitate)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-moved:
				giveUp(errMoved)
				return
			case <-tick.C:
				if ask {
					c.seek(ctx, s)
				}
			}
		}
	}()
	return cancel
}

// seek asks the others whether one of them leads, and turns to it.
func (c *Client) seek(ctx context.Context, s *server) {
	from, to, best := int64(-1), int64(-1), int64(-1)
	for i, one := range c.servers {
		if one == s {
			from = int64(i)
			continue
		}
		if h, err := c.look(ctx, one); err == nil && h.Leading && h.Term > best {
			to, best = int64(i), h.Term
		}
	}
	if to >= 0 {
		c.turn(from, to)
	}
}

// look asks a server how it stands. No token goes with it.
func (c *Client) look(ctx context.Context, s *server) (h v1.Standing, err error) {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/livez", http.NoBody)
	if err != nil {
		return h, err
	}
	r.Header.Set("User-Agent", c.agent)
	res, err := s.http.Do(r)
	if err != nil {
		return h, err
	}
	defer res.Body.Close()
	err = json.NewDecoder(io.LimitReader(res.Body, 1<<16)).Decode(&h)
	return h, err
}

// unserved reports whether a server did not do what it was asked because it is
// not the one that leads, or not there.
func unserved(err error) bool {
	p, ok := errors.AsType[*Problem](err)
	if !ok {
		return true // no answer, or half of one
	}
	return p.Status == http.StatusServiceUnavailable || p.Status == http.StatusBadGateway || p.Status == http.StatusGatewayTimeout
}
