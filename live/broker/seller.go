package broker

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// Market is a cluster to be put behind a broker, with the tokens read.
type Market struct {
	Name   string
	URL    string
	TLS    *tls.Config
	Plain  bool
	Token  string            // of everybody who has none of their own; "": nobody
	Tokens map[string]string // by user
}

// seller is a cluster as the broker knows it.
type seller struct {
	b     *Broker
	name  string
	place int // in the order of the file

	own    map[string]*login
	shared *login // of everybody else; nil: there is none

	mu     sync.Mutex
	record Record
	dirty  bool // the record has changed since it was written
}

// login is somebody at a cluster, or everybody who has no token of their own.
type login struct {
	seller *seller
	user   string // "": everybody else
	client *client.Client
	quotes chan struct{} // a place for each quote that the broker may have open

	mu       sync.Mutex
	account  string             // their own at the cluster; "": not known yet
	accounts []v1.Account       // as they were last seen
	stop     context.CancelFunc // of the one who follows; nil: nobody does
}

// callLimit bounds a call to a cluster that nobody else limits.
const callLimit = 30 * time.Second

// mostAnswer bounds what a cluster may answer, so that none fills the memory.
const mostAnswer = 32 << 20

func newSeller(b *Broker, place int, m *Market) (*seller, error) {
	s := &seller{b: b, name: m.Name, place: place, own: map[string]*login{}, record: Record{Cluster: m.Name}}
	// What is worth a second attempt, and where, is for the broker to decide.
	options := client.Options{TLS: m.TLS, Timeout: callLimit, Retries: -1, Agent: "libra broker", Plain: m.Plain, Most: mostAnswer}
	for _, user := range slices.Sorted(maps.Keys(m.Tokens)) {
		c, err := client.New(m.URL, m.Tokens[user], options)
		if err != nil {
			return nil, fmt.Errorf("cluster %s: %w", m.Name, err)
		}
		s.own[user] = &login{seller: s, user: user, client: c, quotes: make(chan struct{}, openQuotes)}
	}
	if m.Token != "" {
		c, err := client.New(m.URL, m.Token, options)
		if err != nil {
			return nil, fmt.Errorf("cluster %s: %w", m.Name, err)
		}
		s.shared = &login{seller: s, client: c, quotes: make(chan struct{}, openQuotes)}
	}
	if s.shared == nil && len(s.own) == 0 {
		return nil, fmt.Errorf("cluster %s: %w", m.Name, errNoToken)
	}
	return s, nil
}

var errNoToken = errors.New("there is no token for it")

// login is who a user is at the cluster; nil: nobody.
func (s *seller) login(user string) *login {
	if l := s.own[user]; l != nil {
		return l
	}
	return s.shared
}

// any is a login to look with at what is public.
func (s *seller) any() *login {
	if s.shared != nil {
		return s.shared
	}
	return s.own[slices.Min(slices.Collect(maps.Keys(s.own)))]
}

func (s *seller) logins() []*login {
	var all []*login
	for _, user := range slices.Sorted(maps.Keys(s.own)) {
		all = append(all, s.own[user])
	}
	if s.shared != nil {
		all = append(all, s.shared)
	}
	return all
}

// note changes the record.
func (s *seller) note(change func(r *Record, now int64)) {
	now := s.b.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.record, now)
	s.dirty = true
}

// caught notes a lie, at once and for good.
func (s *seller) caught(what string) {
	s.note(func(r *Record, now int64) { r.lied(now, clipped(what)) })
	s.b.log.Warn("a cluster contradicts itself", "cluster", s.name, "lie", clipped(what))
	s.b.writeRecords()
}

// met notes whether a cluster answered, by what came of a call.
func (s *seller) met(err error) {
	if err != nil && errors.Is(err, context.Canceled) {
		return // somebody gave up here: that says nothing
	}
	gone := unreachable(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case gone && s.record.AwayUS == 0:
		s.record.AwayUS, s.dirty = s.b.now(), true
	case !gone && s.record.AwayUS != 0:
		s.record.AwayUS, s.dirty = 0, true
	}
}

// away is since when nothing was heard of the cluster; 0: it is there.
func (s *seller) away() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record.AwayUS
}

// out says why a cluster is left out, if it is, and whether for a lie.
func (s *seller) out() (why string, lied bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record.out(s.b.now()), s.record.OutFor != outSlow
}

// metIn is met for a call that was given little time: that it took longer does
// not mean that nobody is there.
func (s *seller) metIn(err error) {
	if !errors.Is(err, context.DeadlineExceeded) {
		s.met(err)
	}
}

// How a call that went wrong is to be taken.
//
// unreachable: nobody answered, or nobody who knows.
func unreachable(err error) bool {
	if err == nil {
		return false
	}
	if p, ok := errors.AsType[*client.Problem](err); ok {
		return p.Status >= http.StatusInternalServerError
	}
	return !malformed(err)
}

// malformed: somebody answered, and it cannot be read.
func malformed(err error) bool {
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &shape)
}

// declined is the problem of a call that certainly was not carried out.
func declined(err error) (*client.Problem, bool) {
	p, ok := errors.AsType[*client.Problem](err)
	if !ok || p.Status < 400 || p.Status >= 500 || p.Status == http.StatusRequestTimeout || p.Status == http.StatusTooManyRequests {
		return nil, false
	}
	return p, true
}

// missing: the cluster says that there is no such thing.
func missing(err error) bool {
	p, ok := errors.AsType[*client.Problem](err)
	return ok && p.Status == http.StatusNotFound && p.Type == "/problems/not-found"
}

// over: the cluster says that there is nothing to cancel.
func over(err error) bool {
	p, ok := errors.AsType[*client.Problem](err)
	return missing(err) || ok && p.Status == http.StatusConflict
}

// maxWords bounds what is believed worth repeating of what a cluster says.
const maxWords = 400

// clipped makes a text of a cluster fit to be shown.
func clipped(text string) string {
	if len(text) > maxWords {
		text = text[:maxWords] + "..."
	}
	clean := []rune{}
	for _, r := range text {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			r = ' '
		}
		clean = append(clean, r)
	}
	return string(clean)
}

// why says what went wrong with a call, for people.
func why(err error) string {
	switch p, ok := errors.AsType[*client.Problem](err); {
	case ok && p.Status == http.StatusUnauthorized:
		return "does not take the broker's token"
	case ok:
		return clipped(p.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return "does not answer"
	case malformed(err):
		return "answers with what cannot be read"
	default:
		return "cannot be reached"
	}
}
