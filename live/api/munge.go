package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
)

// Who has no token, and is on a host from which the market's socket cannot be reached, can be
// let in by munge, where the site wants that: they sign a challenge, which is good once and
// for a minute, and what they get for it is good as long as it is used. Nothing of it is
// kept: who comes after a restart signs again.
const (
	challengeLife = time.Minute
	sessionRest   = 10 * time.Minute // that it may lie unused
	sessionLife   = 12 * time.Hour

	mostChallenges = 10_000
	mostSessions   = 50_000
	mungeRate      = 10.0 // a second, from one place
	mungeBurst     = 100.0
	mostUnmunge    = 4 // at a time
)

const tooMuchMunge = "too many want to be let in by munge from your address: wait a moment"

// lodge is who was let in by munge, and who is about to be.
type lodge struct {
	check func(ctx context.Context, challenge, credential string) (uid int, err error)
	now   func() time.Time
	many  *fair.Throttle
	turns chan struct{}

	mu         sync.Mutex
	challenges map[string]time.Time // until when they are good
	sessions   map[hash]*session
}

// session is somebody who was let in.
type session struct {
	user      string
	last, end time.Time // it was used, and ends in any case
}

func newLodge(o *Options) *lodge {
	return &lodge{
		check: o.Munge, now: o.Now, many: fair.NewThrottle("munge", mungeRate, mungeBurst, o.Now), turns: make(chan struct{}, mostUnmunge),
		challenges: map[string]time.Time{}, sessions: map[hash]*session{},
	}
}

// errNoMunge is for who comes by munge where nobody may.
var errNoMunge = &fault{kind: kindUnauthenticated, detail: "no token, and this market lets nobody in by munge (login.munge in its libra.yaml)"}

func challengeByMunge(c *call) error {
	l := c.h.lodge
	if l.check == nil {
		return errNoMunge
	}
	if err := l.many.Take(fair.Source(c.r.RemoteAddr), tooMuchMunge); err != nil {
		return err
	}
	text, until, err := l.challenge()
	if err != nil {
		return err
	}
	return c.answer(http.StatusCreated, v1.Challenge{Challenge: text, ExpiresUS: until.UnixMicro()})
}

// enterByMunge lets in who has signed a challenge.
func enterByMunge(c *call) error {
	l := c.h.lodge
	if l.check == nil {
		return errNoMunge
	}
	var login v1.MungeLogin
	if err := c.decode(&login); err != nil {
		return err
	}
	if !l.take(login.Challenge) {
		return &fault{kind: kindUnauthenticated, detail: "this challenge is none, was used, or is older than a minute: ask for another"}
	}
	select {
	case l.turns <- struct{}{}:
		defer func() { <-l.turns }()
	case <-c.r.Context().Done():
		return c.r.Context().Err()
	}
	uid, err := l.check(c.r.Context(), login.Challenge, login.Credential)
	if err != nil {
		return &fault{kind: kindUnauthenticated, detail: fmt.Sprintf("munge does not say who you are: %v", err)}
	}
	who, err := c.userOf(uid)
	if err != nil {
		return err
	}
	secret, end, err := l.open(who.User)
	if err != nil {
		return err
	}
	return c.answer(http.StatusCreated, v1.MungeSession{User: who.User, Session: secret, ExpiresUS: end.UnixMicro()})
}

// challenge draws one.
func (l *lodge) challenge() (text string, until time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if len(l.challenges) >= mostChallenges {
		maps.DeleteFunc(l.challenges, func(_ string, until time.Time) bool { return now.After(until) })
	}
	if len(l.challenges) >= mostChallenges {
		return "", until, fmt.Errorf("%w: too many want to be let in by munge", trade.ErrUnavailable)
	}
	text, until = rand.Text(), now.Add(challengeLife)
	l.challenges[text] = until
	return text, until, nil
}

// take uses a challenge up, and reports whether it was one.
func (l *lodge) take(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	until, there := l.challenges[text]
	delete(l.challenges, text)
	return there && !l.now().After(until)
}

// open lets a user in.
func (l *lodge) open(user string) (secret string, end time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if len(l.sessions) >= mostSessions {
		maps.DeleteFunc(l.sessions, func(_ hash, s *session) bool { return s.over(now) })
	}
	if len(l.sessions) >= mostSessions {
		return "", end, fmt.Errorf("%w: too many have been let in by munge", trade.ErrUnavailable)
	}
	secret, _ = NewSecret()
	end = now.Add(sessionLife)
	l.sessions[sha256.Sum256([]byte(secret))] = &session{user, now, end}
	return secret, end, nil
}

func (s *session) over(now time.Time) bool {
	return now.After(s.end) || now.After(s.last.Add(sessionRest))
}

// find is who was let in by a secret. It is found by its hash, so how long that takes says
// nothing about it.
func (l *lodge) find(secret string) (user string, err error) {
	sum := sha256.Sum256([]byte(secret))
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sessions[sum]
	now := l.now()
	if s == nil || s.over(now) {
		delete(l.sessions, sum)
		return "", &fault{kind: kindUnauthenticated, detail: "what munge said of you is over, or the market was started anew: say it again"}
	}
	s.last = now
	return s.user, nil
}
