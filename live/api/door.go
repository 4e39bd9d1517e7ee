package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
)

// roles is a set of roles.
type roles uint8

// Who may call a route.
const (
	everyone roles = 0 // without a token too
	users    roles = 1 << iota
	owners
	nodes

	people = users | owners
	known  = people | nodes
)

func roleSet(r v1.Role) roles {
	switch r {
	case v1.RoleUser:
		return users
	case v1.RoleOwner:
		return owners
	case v1.RoleNode:
		return nodes
	default:
		return everyone
	}
}

// words lists the roles for people.
func (s roles) words() string {
	var out []string
	for _, r := range []v1.Role{v1.RoleUser, v1.RoleOwner, v1.RoleNode} {
		if s&roleSet(r) != 0 {
			out = append(out, string(r))
		}
	}
	return strings.Join(out, " or ")
}

// enter finds out who calls, and whether the route is for them.
func (c *call) enter() error {
	if c.route.roles == everyone {
		return nil
	}
	if err := c.identify(); err != nil {
		return err
	}
	if c.r.URL.RawQuery != "" && len(c.route.params) == 0 {
		return malformed("this takes no parameters")
	}
	if c.route.roles&roleSet(v1.Role(c.who.Role)) == 0 {
		return &fault{kind: kindForbidden, detail: fmt.Sprintf("this is for the role %s, not %s", c.route.roles.words(), c.who.Role)}
	}
	if c.route.roles == nodes && c.r.PathValue("node") != c.who.User {
		return notFound("node " + c.r.PathValue("node"))
	}
	return nil
}

// identify goes by the token, and without one by the certificate, if it makes a
// node: its common name is the node's.
func (c *call) identify() error {
	given := c.r.Header["Authorization"]
	switch {
	case len(given) == 1:
		return c.present(given[0])
	case len(given) > 1:
		return malformed("Authorization: want one")
	}
	if t := c.r.TLS; t != nil && len(t.VerifiedChains) > 0 {
		if name, is := nodeOf(t.PeerCertificates[0], c.h.options.CertificateNodes); is {
			c.who = trade.Identity{User: name, Role: trade.RoleNode}
			return nil
		}
		return &fault{kind: kindUnauthenticated, detail: "this certificate does not say that it is a node's: it wants the organisational unit " + NodeUnit +
			", or its name in tls.nodes of the controller"}
	}
	return c.local()
}

// byMunge is how who was let in by munge shows it.
const byMunge = "Munge"

func (c *call) present(authorization string) error {
	scheme, secret, _ := strings.Cut(authorization, " ")
	if strings.EqualFold(scheme, byMunge) {
		user, err := c.h.lodge.find(secret)
		c.who = trade.Identity{User: user, Role: trade.RoleUser}
		return err
	}
	if !strings.EqualFold(scheme, "Bearer") {
		return &fault{kind: kindUnauthenticated, detail: "want Authorization: Bearer libra_..."}
	}
	t, err := c.h.door.open(c.r.Context(), secret, fair.Source(c.r.RemoteAddr))
	if err != nil {
		return err
	}
	c.token, c.who = t, trade.Identity{User: t.User, Role: trade.Role(t.Role)}
	return nil
}

// stillGood reports whether the caller would be let in again. Streams ask, so
// that they do not outlive their token.
func (c *call) stillGood() bool {
	scheme, secret, ok := strings.Cut(c.r.Header.Get("Authorization"), " ")
	if !ok {
		return true // a certificate
	}
	if strings.EqualFold(scheme, byMunge) {
		_, err := c.h.lodge.find(secret)
		return err == nil
	}
	_, err := c.h.door.open(c.r.Context(), secret, fair.Source(c.r.RemoteAddr))
	return err == nil || errors.Is(err, trade.ErrUnavailable)
}

// door knows tokens. It remembers for a moment which ones are good, because
// asking the store for every call would cost more than the calls.
type door struct {
	keys  Keys
	now   func() time.Time
	lasts time.Duration  // negative: it remembers nothing
	wrong *fair.Throttle // tokens that nobody has, by where they come from

	mu    sync.RWMutex
	known map[hash]seen
	met   map[hash]struct{} // tokens that the store had at some time: to look for them is never one too many
	turn  int               // grows when something is revoked: what was read before may not be remembered after
}

// Each wrong token asks the store. So many at once from one place, and so many a
// second, is more than mistakes come to, and costs little.
const (
	wrongRate  = 20.0
	wrongBurst = 200.0
)

const tooManyWrong = "too many tokens that nobody has came from your address: wait, and see which token your programs send"

func newDoor(k Keys, o *Options) door {
	return door{keys: k, now: o.Now, lasts: o.TokenCache, wrong: fair.NewThrottle("wrong_tokens", wrongRate, wrongBurst, o.Now)}
}

type hash = [sha256.Size]byte

// seen is a token as the store had it at a time.
type seen struct {
	token *v1.Token
	at    time.Time
}

// maxSeen bounds what a door remembers.
const maxSeen = 10_000

// open finds the token of a secret that comes from somewhere. It is found by its
// hash, so how long that takes says nothing about the secret.
func (d *door) open(ctx context.Context, secret, source string) (*v1.Token, error) {
	if !wellFormed(secret) {
		return nil, &fault{kind: kindUnauthenticated, detail: "this is not a token of a libra"}
	}
	sum, now := sha256.Sum256([]byte(secret)), d.now()
	d.mu.RLock()
	s, turn := d.known[sum], d.turn
	_, met := d.met[sum]
	d.mu.RUnlock()
	t := s.token
	if t == nil || now.Sub(s.at) >= d.lasts {
		if err := d.wrong.Check(source, tooManyWrong); err != nil && !met {
			return nil, err
		}
		found, ok, err := d.keys.Token(ctx, sum[:])
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, fmt.Errorf("%w: look up a token: %w", trade.ErrUnavailable, err)
		case !ok:
			if err := d.wrong.Take(source, tooManyWrong); err != nil {
				return nil, err
			}
			return nil, &fault{kind: kindUnauthenticated, detail: "nobody has this token"}
		}
		t = &found
		d.remember(sum, seen{t, now}, turn)
	}
	switch {
	case t.RevokedUS != 0:
		return nil, &fault{kind: kindUnauthenticated, detail: "this token was revoked"}
	case !t.Good(now.UnixMicro()):
		return nil, &fault{kind: kindUnauthenticated, detail: "this token has expired"}
	}
	return t, nil
}

func (d *door) remember(sum hash, s seen, turn int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.met == nil || len(d.met) >= maxSeen {
		d.met = map[hash]struct{}{}
	}
	d.met[sum] = struct{}{}
	if d.lasts < 0 || d.turn != turn {
		return
	}
	if d.known == nil || len(d.known) >= maxSeen {
		d.known = map[hash]seen{}
	}
	d.known[sum] = s
}

// forget makes the door ask for every token anew.
func (d *door) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known, d.turn = nil, d.turn+1
}

var _ http.Handler = (*Handler)(nil)
