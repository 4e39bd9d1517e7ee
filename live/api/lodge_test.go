package api

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/libra-market/libra/core/trade"
)

// Challenges and sessions are good as long as is said of them, and not a moment longer. There is
// a most of both: those that are over make room for others, and those that are not stay.
func TestTheLodgeIsBounded(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	now := start
	l := newLodge(&Options{Now: func() time.Time { return now }})
	challenge := func() string {
		t.Helper()
		text, until, err := l.challenge()
		if err != nil || until != now.Add(time.Minute) {
			t.Fatalf("until %v, %v", until, err)
		}
		return text
	}
	good, late := challenge(), challenge()
	now = now.Add(time.Minute)
	if !l.take(good) || l.take(good) {
		t.Error("a challenge of a minute ago is not good, or more than once")
	}
	if now = now.Add(1); l.take(late) {
		t.Error("a challenge of more than a minute ago is good")
	}
	for i := range mostChallenges {
		if challenge(); i == 0 {
			now = now.Add(time.Second)
		}
	}
	if _, _, err := l.challenge(); !errors.Is(err, trade.ErrUnavailable) {
		t.Errorf("one more: %v", err)
	}
	now = now.Add(time.Minute) // the first is over, the others are about to be
	good = challenge()
	if _, _, err := l.challenge(); !errors.Is(err, trade.ErrUnavailable) || !l.take(good) {
		t.Errorf("one more than are over: %v", err)
	}

	open := func(user string) string {
		t.Helper()
		secret, end, err := l.open(user)
		if err != nil || end != now.Add(12*time.Hour) {
			t.Fatalf("until %v, %v", end, err)
		}
		return secret
	}
	ann, bob := open("ann"), open("bob")
	now = now.Add(10 * time.Minute)
	if user, err := l.find(ann); err != nil || user != "ann" {
		t.Errorf("after ten minutes: %q, %v", user, err)
	}
	if now = now.Add(1); true {
		if user, err := l.find(bob); err == nil {
			t.Errorf("after more than ten: %q", user)
		}
	}
	for i := range mostSessions - 1 {
		open(fmt.Sprint(i))
	}
	if _, _, err := l.open("carl"); !errors.Is(err, trade.ErrUnavailable) {
		t.Errorf("one more: %v", err)
	}
	now = now.Add(10 * time.Minute) // ann's alone has rested for longer
	carl := open("carl")
	if _, err := l.find(ann); err == nil {
		t.Error("ann's session is not over")
	}
	if user, err := l.find(carl); err != nil || user != "carl" {
		t.Errorf("%q, %v", user, err)
	}
	if _, _, err := l.open("dan"); !errors.Is(err, trade.ErrUnavailable) {
		t.Errorf("one more than are over: %v", err)
	}
}
