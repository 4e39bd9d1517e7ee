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
	Digest string     `json:"digest"` // of its secret
	User   string     `json:"user"`
	Role   trade.Role `json:"role"`
	Token  []byte     `json:"token,omitempty"` // hash
	Made   time.Time  `json:"made"`
	Used   time.Time  `json:"used"`
}

// keepsSessions reports whether sessions outlive the server. Without TLS they must not:
// whoever has the port while the server is away is sent them by the browser.
func (h *Handler) keepsSessions() bool { return h.options.Secure && h.options.Memory != nil }

// keepSessions writes down who has signed in.
func (h *Handler) keepSessions(ctx context.Context) {
	if !h.keepsSessions() {
		return
	}
	text, err := json.Marshal(h.sessions.kept())
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
		err = h.sessions.recall(note.Body)
	}
	if err != nil {
		h.options.Log.LogAttrs(ctx, slog.LevelWarn, "who had signed in before has to do so again", slog.String("error", err.Error()))
	}
}

func (s *sessions) kept() []keptSession {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []keptSession{}
	for key, one := range s.open {
		if one.over(now) {
			continue
		}
		list = append(list, keptSession{
			Digest: base64.StdEncoding.EncodeToString(key[:]), User: one.who.User, Role: one.who.Role, Token: one.token, Made: one.made, Used: one.lastUsed(),
		})
	}
	return list
}

func (s *sessions) recall(text []byte) error {
	var list []keptSession
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = map[digest]*session{}
	for i := range list {
		k := &list[i]
		key, err := base64.StdEncoding.DecodeString(k.Digest)
		one := &session{who: trade.Identity{User: k.User, Role: k.Role}, token: k.Token, made: k.Made, used: k.Used}
		if err != nil || len(key) != len(digest{}) || len(s.open) >= mostOpen || one.over(now) || !may(one.who, belongings{roles: people}) {
			continue
		}
		s.open[digest(key)] = one
	}
	return nil
}
