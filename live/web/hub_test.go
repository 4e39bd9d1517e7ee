package web

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api/apitest"
)

// Two hundred pages and a thousand notices a second: each page gets two messages
// a second, and pages that show the same get the same bytes.
func TestPaceOfMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := apitest.New("alice")
		h := New(m, &apitest.Keys{}, Options{})
		defer h.Close()
		var pages []*watcher
		for range 200 {
			pages = append(pages, h.hub.join(audience{topic: "jobs", user: "alice"}))
		}
		synctest.Wait()
		const seconds = 10
		got := 0
		for i := range seconds * 1000 {
			m.Say(v1.Notice{Kind: "job", Owner: "alice", Job: &v1.JobNotice{ID: int64(i%50 + 1), State: v1.Running, Work: int64(i)}})
			time.Sleep(time.Millisecond)
			synctest.Wait()
			var first []byte
			for _, w := range pages {
				select {
				case message := <-w.out:
					got++
					if first == nil {
						first = message
					} else if &first[0] != &message[0] {
						t.Fatal("two pages that show the same were told in different words")
					}
				default:
				}
			}
		}
		if most := 200 * seconds * 2; got > most || got < most-400 {
			t.Errorf("%d messages in %d seconds, want about %d", got, seconds, most)
		}
		for _, w := range pages {
			h.hub.unsubscribe(w)
		}
		synctest.Wait()
		if n := m.Followers(); n != 0 {
			t.Errorf("%d still follow", n)
		}
	})
}

// Who does not take a message is not waited for, and told to look again later.
func TestASlowPageIsNotWaitedFor(t *testing.T) {
	w := &watcher{out: make(chan []byte, 1)}
	w.send([]byte("one"))
	w.send([]byte("two"))
	w.send(nil)
	if got := string(<-w.out); got != "one" {
		t.Errorf("first %q", got)
	}
	w.send(nil)
	if got := string(<-w.out); got != "event: reload\ndata: {}\n\n" {
		t.Errorf("then %q", got)
	}
	w.send([]byte("three"))
	if got := string(<-w.out); got != "three" {
		t.Errorf("then %q", got)
	}
}

// The history keeps an hour finely and a day coarsely, and no more.
func TestHistory(t *testing.T) {
	var h history
	start := int64(1_000_000_000_000_000)
	second := time.Second.Microseconds()
	for at := start; at < start+26*3600*second; at += 5 * second {
		h.add(sample{at: at, urgent: 3, usual: 2, patient: -1, used: 0.5})
	}
	now := start + 26*3600*second
	if n := len(h.last(now, time.Hour)); n < 700 || n > 720 {
		t.Errorf("%d samples of the last hour", n)
	}
	day := h.last(now, 24*time.Hour)
	if len(day) < 1400 || len(day) > 1600 {
		t.Errorf("%d samples of the last day", len(day))
	}
	if s := day[0]; s.urgent != 3 || s.usual != 2 || s.patient != -1 {
		t.Errorf("%+v", s)
	}
	if n := len(medians(day, now-24*3600*second, now, 120)); n < 110 || n > 121 {
		t.Errorf("%d points of a line", n)
	}
	if n := len(h.fine.list) + len(h.coarse.list); n > 2*(fineKept+coarseKept) {
		t.Errorf("%d samples are kept", n)
	}
}
