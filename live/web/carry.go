package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"sync"
	"time"

	"github.com/libra-market/libra/core/trade"
)

// Without TLS a session ends with the server: whoever has the port while it is away is
// sent both halves by the browser, and may leave scripts at its address. So the next start
// has another address, and the page goes there by itself, with a key that it has been
// given for that and told nobody. It asks for the address at the market's port, where
// anybody may answer, and believes who proves to know the key's hash; only then, and only
// at the address that the proof is about, it shows the key, which is a login link: it
// opens at once, in every tab, for the user of the system who had signed in, by whose
// connection it is (peer.go); where that is not known, once and after a click. What is
// written down is the hash, which opens nothing.

// carried is somebody who had signed in before the server was started.
type carried struct {
	verifier digest // of the key that their page has
	halves   digest // of their session's secret, with
	uid      *int   // the user of the system who may show it again; nil: nobody (comeback.go)
	line     string // of sessions that end together
	who      trade.Identity
	token    []byte
	made     time.Time
	used     time.Time
}

func (c *carried) over(now time.Time) bool {
	return now.Sub(c.made) >= fullLife || now.Sub(c.used) >= idleLife
}

// carries are those who have not come back yet, by the name of their key.
type carries struct {
	now  func() time.Time
	mu   sync.Mutex
	open map[string]carried
}

// verifierOf is what the market keeps of a key: enough to prove that it knows it, and
// to know it again.
func verifierOf(key string) digest { return sha256.Sum256([]byte("libra carry " + key)) }

// nameOf is what a page calls its key by, before whoever listens.
func nameOf(verifier digest) string {
	sum := sha256.Sum256(append([]byte("libra name "), verifier[:]...))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// proofOf says that the market that knows a verifier is at an address.
func proofOf(verifier digest, nonce, at string) string {
	mac := hmac.New(sha256.New, verifier[:])
	mac.Write([]byte("libra at " + nonce + " " + at))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// carriesOver reports whether pages are given a key for the next start.
func (h *Handler) carriesOver() bool {
	return !h.options.Secure && h.options.Memory != nil && h.options.Door != "" && h.options.URL != ""
}

func (s *carries) put(c carried) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]carried{}
	}
	if len(s.open) < mostOpen {
		s.open[nameOf(c.verifier)] = c
	}
}

func (s *carries) find(name string, take bool) (carried, bool) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.open[name]
	if take {
		delete(s.open, name)
	}
	return one, ok && !one.over(now)
}

// endLine forgets those whom somebody has signed out.
func (s *carries) endLine(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, one := range s.open {
		if one.line == line && line != "" {
			delete(s.open, name)
		}
	}
}

// byHalves finds a session by its secret.
func (s *carries) byHalves(of digest) (carried, bool) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.open {
		if one.uid != nil && one.halves == of {
			return one, !one.over(now)
		}
	}
	return carried{}, false
}

// all are those who may still come.
func (s *carries) all() (list []carried) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.open {
		if !one.over(now) {
			list = append(list, one)
		}
	}
	return list
}

// byKey is whom a key is of.
func (s *carries) byKey(key string, take bool) (invitation, bool) {
	one, ok := s.find(nameOf(verifierOf(key)), take)
	return invitation{who: one.who, token: one.token, since: one.made, uid: one.uid, line: one.line}, ok
}

// mostNonce is how long a nonce may be.
const mostNonce = 64

// whereabouts tells a page of before where the market is now, with a proof. It is asked
// from another address, without a cookie, and what it says opens nothing. Names cannot be
// guessed, so those that nobody has are not counted: all users of this machine come from one
// address, and one could keep the pages of the others away, and their sign-ins.
func whereabouts(c *call) error {
	q := c.r.URL.Query()
	name, nonce := q.Get("name"), q.Get("nonce")
	if !c.h.carriesOver() || name == "" || nonce == "" || len(nonce) > mostNonce {
		return errNotFound
	}
	c.w.Header().Set("Access-Control-Allow-Origin", "*")
	one, ok := c.h.carries.find(name, false)
	if !ok {
		return errNotFound
	}
	return c.json(map[string]any{"at": c.h.options.URL, "proof": proofOf(one.verifier, nonce, c.h.options.URL), "known": one.uid != nil})
}
