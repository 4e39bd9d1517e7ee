package web

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
)

const sessionsKey = "sessions"

// keptSession is a session as it is written down: no part of it opens anything.
type keptSession struct {
	Digest string     `json:"digest,omitempty"` // of its secret, if it outlives the server
	Carry  []byte     `json:"carry,omitempty"`  // verifier of the key to the next one, if it does not
	Halves []byte     `json:"halves,omitempty"` // digest of its secret, which then opens something for
	UID    *int       `json:"uid,omitempty"`    // one user of the system alone
	Line   string     `json:"line,omitempty"`   // of sessions that end together
	User   string     `json:"user"`
	Role   trade.Role `json:"role"`
	Token  []byte     `json:"token,omitempty"` // hash
	Made   time.Time  `json:"made"`
	Used   time.Time  `json:"used"`
}

// keepsSessions reports whether anything is known of sessions after a restart. With TLS
// they go on. Without it they must not: whoever has the port while the server is away is
// sent them by the browser; another follows each (carry.go, comeback.go).
func (h *Handler) keepsSessions() bool {
	return h.options.Secure && h.options.Memory != nil || h.carriesOver()
}

// keepSessions writes down who has signed in.
func (h *Handler) keepSessions(ctx context.Context) {
	if !h.keepsSessions() {
		return
	}
	list := h.sessions.kept(h.options.Secure)
	for _, one := range h.carries.all() {
		list = append(list, keptSession{Carry: one.verifier[:], Halves: halvesFor(one.uid, one.halves), UID: one.uid, Line: one.line, User: one.who.User, Role: one.who.Role, Token: one.token, Made: one.made, Used: one.used})
	}
	text, err := json.Marshal(list)
	if err == nil {
		err = h.options.Memory.PutNotes(ctx, []store.Note{{Kind: memoryKind, Key: sessionsKey, Body: text}})
	}
	if err != nil {
		h.options.Log.LogAttrs(ctx, slog.LevelWarn, "sessions of the page were not written down and end with the server", slog.String("error", err.Error()))
	}
}

// recallSessions lets those go on who had signed in before. Each token is looked up again
// when its session is used.
func (h *Handler) recallSessions(ctx context.Context) {
	if !h.keepsSessions() {
		return
	}
	note, found, err := h.options.Memory.Note(ctx, memoryKind, sessionsKey)
	if err == nil && found {
		err = h.recallAll(note.Body)
	}
	if err != nil {
		h.options.Log.LogAttrs(ctx, slog.LevelWarn, "who had signed in before has to do so again", slog.String("error", err.Error()))
	}
}

// kept are the sessions that are open, as they are written down: to go on, or to be
// followed by another.
func (s *sessions) kept(goOn bool) []keptSession {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []keptSession{}
	for key, one := range s.open {
		if one.over(now) {
			continue
		}
		k := keptSession{Line: one.line, User: one.who.User, Role: one.who.Role, Token: one.token, Made: one.made, Used: one.lastUsed()}
		if goOn {
			k.Digest = base64.StdEncoding.EncodeToString(key[:])
		} else {
			verifier := verifierOf(one.carry)
			k.Carry, k.Halves, k.UID = verifier[:], halvesFor(one.uid, key), one.uid
		}
		list = append(list, k)
	}
	return list
}

// halvesFor is what is kept of a session's secret for a user of the system, if one is known.
func halvesFor(uid *int, secret digest) []byte {
	if uid == nil {
		return nil
	}
	return secret[:]
}

// recallAll reads what was written down. What was kept under the other kind of server is
// left out.
func (h *Handler) recallAll(text []byte) error {
	var list []keptSession
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	for i := range list {
		k := &list[i]
		who := trade.Identity{User: k.User, Role: k.Role}
		switch {
		case !may(who, belongings{roles: people}):
		case h.options.Secure && k.Digest != "":
			h.sessions.recall(k, who)
		case !h.options.Secure && len(k.Carry) == len(digest{}):
			one := carried{verifier: digest(k.Carry), line: k.Line}
			if one.line == "" { // written down before there were any
				one.line = newSecret()
			}
			if len(k.Halves) == len(digest{}) {
				one.halves, one.uid = digest(k.Halves), k.UID
			}
			one.who, one.token, one.made, one.used = who, k.Token, k.Made, k.Used
			h.carries.put(one)
		}
	}
	return nil
}

func (s *sessions) recall(k *keptSession, who trade.Identity) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[digest]*session{}
	}
	key, err := base64.StdEncoding.DecodeString(k.Digest)
	one := &session{who: who, token: k.Token, made: k.Made, used: k.Used, line: k.Line}
	if err != nil || len(key) != len(digest{}) || len(s.open) >= mostOpen || one.over(now) {
		return
	}
	s.open[digest(key)] = one
}
