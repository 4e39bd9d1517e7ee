package web

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"sync"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
)

const (
	idleLife = 12 * time.Hour     // of a session that nobody uses
	fullLife = 7 * 24 * time.Hour // of any session
	recheck  = 5 * time.Second    // how long a token counts as good without asking again
	mostOpen = 10_000             // sessions, of all users together
	secretOf = 32                 // bytes of a secret
	inForm   = "csrf"             // field with the token against forged requests
	inHeader = "X-Csrf"           // header with it, where a script asks
	linkLife = 10 * time.Minute   // of a login link that nobody follows
	mostLink = 1000               // login links at a time
)

// digest is what is kept of a secret.
type digest = [sha256.Size]byte

func newSecret() string {
	var random [secretOf]byte
	rand.Read(random[:]) // it never returns an error: without randomness the program ends
	return base64.RawURLEncoding.EncodeToString(random[:])
}

// session is somebody who has signed in. It ends with the server, unless that is
// reached by TLS; then another may follow it (carry.go, comeback.go).
type session struct {
	who   trade.Identity
	token []byte // hash of the token they came with, by a link too; nil: the server itself made the link
	made  time.Time
	carry string // key to another session after a restart; none in one that outlives it
	uid   *int   // of the user of the system who signed in; nil: not known
	line  string // shared with those that follow it, and that it follows: who signs out ends them all

	mu      sync.Mutex
	used    time.Time
	checked time.Time // when the token was last found good

	asking sync.Mutex // one preview at a time
}

// sessions knows who has signed in. Of a cookie only its hash is kept.
type sessions struct {
	now  func() time.Time
	mu   sync.Mutex
	open map[digest]*session
}

// begin signs somebody in and returns the secret of the session: what is in its
// addresses, a dot, and what is in its cookie.
func (s *sessions) begin(as *invitation, uid *int) string {
	secret, now := newSecret()+"."+newSecret(), s.now()
	since, line := as.since, as.line
	if since.IsZero() {
		since = now
	}
	if line == "" {
		line = newSecret()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[digest]*session{}
	}
	if len(s.open) >= mostOpen {
		s.sweep(now)
	}
	s.open[sha256.Sum256([]byte(secret))] = &session{who: as.who, token: as.token, made: since, used: now, checked: now, carry: newSecret(), uid: uid, line: line}
	return secret
}

// sweep makes room: what is over goes, and if that is not enough the one that
// was not used for longest.
func (s *sessions) sweep(now time.Time) {
	var oldest digest
	first := now
	for key, one := range s.open {
		used := one.lastUsed()
		if one.over(now) {
			delete(s.open, key)
		} else if !used.After(first) {
			oldest, first = key, used
		}
	}
	if len(s.open) >= mostOpen {
		delete(s.open, oldest)
	}
}

func (s *session) lastUsed() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

func (s *session) over(now time.Time) bool {
	return now.Sub(s.made) >= fullLife || now.Sub(s.lastUsed()) >= idleLife
}

// find is the session of a cookie, if it is not over.
func (s *sessions) find(secret string) *session {
	now := s.now()
	s.mu.Lock()
	one := s.open[sha256.Sum256([]byte(secret))]
	s.mu.Unlock()
	if one == nil || one.over(now) {
		return nil
	}
	one.mu.Lock()
	one.used = now
	one.mu.Unlock()
	return one
}

func (s *sessions) end(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, sha256.Sum256([]byte(secret)))
}

// endLine ends the sessions that follow one another, and each other in several tabs.
func (s *sessions) endLine(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, one := range s.open {
		if one.line == line && line != "" {
			delete(s.open, key)
		}
	}
}

// identify finds out who asks. Nobody is no error.
func (c *call) identify() error {
	secret, ok := c.presented()
	if !ok {
		return nil
	}
	s := c.h.sessions.find(secret)
	if s == nil {
		return nil
	}
	good, err := c.h.stillGood(c.r.Context(), s)
	if err != nil {
		return err
	}
	if !good {
		c.h.sessions.end(secret)
		return nil
	}
	c.session, c.secret, c.who = s, secret, s.who
	return nil
}

// stillGood reports whether the token of a session still opens something: who
// revokes a token ends what was begun with it.
func (h *Handler) stillGood(ctx context.Context, s *session) (bool, error) {
	if s.token == nil {
		return true, nil
	}
	now := h.now()
	s.mu.Lock()
	fresh := now.Sub(s.checked) < recheck
	s.mu.Unlock()
	if fresh {
		return true, nil
	}
	t, found, err := h.keys.Token(ctx, s.token)
	if err != nil {
		return false, fmt.Errorf("%w: look up a token: %w", trade.ErrUnavailable, err)
	}
	if !found || !t.Good(now.UnixMicro()) {
		return false, nil
	}
	s.mu.Lock()
	s.checked = now
	s.mu.Unlock()
	return true, nil
}

// stamp is the token that every form of a session carries. It is made of the
// cookie, so a page elsewhere, which cannot read the cookie, cannot make it.
func stamp(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("libra form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// stamped reports whether a request carries the token of its session.
func (c *call) stamped() bool {
	given := c.r.Header.Get(inHeader)
	if given == "" {
		given = c.r.PostFormValue(inForm)
	}
	return hmac.Equal([]byte(given), []byte(stamp(c.secret)))
}

// links are login links that nobody has followed yet.
type links struct {
	now  func() time.Time
	mu   sync.Mutex
	open map[digest]invitation
}

type invitation struct {
	who   trade.Identity
	token []byte // hash of the token that it was made with; nil: with none
	until time.Time
	since time.Time // when they had signed in before; zero: they had not

	// Of who comes back: the session that is followed, by its name where that is looked up
	// again, the user of the system who had it, and whom to end it with.
	follows string
	uid     *int
	line    string
}

// LoginLink is a path under which somebody can sign in once, within ten minutes,
// until the server ends. A node has no pages and gets none.
func (h *Handler) LoginLink(user trade.Identity) string {
	if !may(user, belongings{roles: people}) {
		return "/login"
	}
	return "/login?key=" + h.links.make(user, nil)
}

// TokenLink is a LoginLink for whoever has a token. The link and the session that
// is begun with it end when the token does. If the token opens no pages there is
// none.
func (h *Handler) TokenLink(ctx context.Context, secret string) (path string, who trade.Identity, ok bool, err error) {
	t, hash, ok, err := h.tokenOf(ctx, secret)
	if err != nil || !ok {
		return "", trade.Identity{}, false, err
	}
	return h.tokenLink(&t, hash), trade.Identity{User: t.User, Role: trade.Role(t.Role)}, true, nil
}

func (h *Handler) tokenLink(t *v1.Token, hash []byte) string {
	return "/login?key=" + h.links.make(trade.Identity{User: t.User, Role: trade.Role(t.Role)}, hash)
}

func (l *links) make(who trade.Identity, token []byte) string {
	return l.put(invitation{who: who, token: token})
}

func (l *links) put(one invitation) string {
	key, now := newSecret(), l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[digest]invitation{}
	}
	for k, one := range l.open {
		if !now.Before(one.until) {
			delete(l.open, k)
		}
	}
	for _, back := range []bool{true, false} { // who comes back only has to do so again
		for k, one := range l.open {
			if len(l.open) >= mostLink && (one.follows != "" || !back) {
				delete(l.open, k)
			}
		}
	}
	one.until = now.Add(linkLife)
	l.open[sha256.Sum256([]byte(key))] = one
	return key
}

// invited finds whom a link is for, if its token is still good; take uses it up.
func (c *call) invited(key string, take bool) (invitation, bool, error) {
	h := c.h
	one, ok := h.links.find(key, false)
	switch {
	case ok && one.follows != "" && !c.isPeer(one.uid):
		ok = false
	case ok && take:
		if one, ok = h.links.find(key, true); one.follows != "" {
			_, still := h.carries.find(one.follows, false)
			ok = ok && still
		}
	case !ok: // who had it goes on with it in every tab; anybody else once
		if one, ok = h.carries.byKey(key, false); ok && take && !c.isPeer(one.uid) {
			one, ok = h.carries.byKey(key, true)
		}
	}
	if !ok {
		return one, false, nil
	}
	good, err := h.stillGood(c.r.Context(), &session{token: one.token})
	return one, good, err
}

func (l *links) find(key string, take bool) (invitation, bool) {
	sum := sha256.Sum256([]byte(key))
	l.mu.Lock()
	defer l.mu.Unlock()
	one, ok := l.open[sum]
	if take {
		delete(l.open, sum)
	}
	return one, ok && l.now().Before(one.until)
}

// tokenOf finds the token of a secret, if it opens these pages.
func (h *Handler) tokenOf(ctx context.Context, secret string) (t v1.Token, hash []byte, ok bool, err error) {
	hash = api.HashSecret(secret)
	t, found, err := h.keys.Token(ctx, hash)
	if err != nil {
		return t, nil, false, fmt.Errorf("%w: look up a token: %w", trade.ErrUnavailable, err)
	}
	who := trade.Identity{User: t.User, Role: trade.Role(t.Role)}
	return t, hash, found && t.Good(h.now().UnixMicro()) && may(who, belongings{roles: people}), nil
}
