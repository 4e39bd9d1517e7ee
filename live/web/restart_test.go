package web_test

import (
	"context"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/web"
	"github.com/libra-market/libra/live/web/webtest"
)

// notes is a memory.
type notes struct {
	mu   sync.Mutex
	kept map[string]store.Note
}

func (n *notes) Note(_ context.Context, kind, key string) (store.Note, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	one, found := n.kept[kind+" "+key]
	return one, found, nil
}

func (n *notes) PutNotes(_ context.Context, list []store.Note) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, one := range list {
		n.kept[one.Kind+" "+one.Key] = one
	}
	return nil
}

// The page of the market draws what was before the server was started.
func TestThePageRemembersPrices(t *testing.T) {
	f := webtest.Open(t)
	f.People(100, "alice")
	f.Join("n1", 2)
	memory := &notes{kept: map[string]store.Note{}}
	first := regexp.MustCompile(`data-read="\[\[[0-9.]+,([1-9][0-9]+)`)
	drawn := func() string {
		h := web.New(f.Market, f.Keys, web.Options{Log: logTo(t), Memory: memory, Sample: time.Hour})
		server := serve(t, h)
		c, at := browser(t, server, h, webtest.User("alice"))
		found := ""
		waitFor(t, "a sample", func() bool {
			_, _, page := load(t, c, at+"/market")
			if m := first.FindStringSubmatch(page); m != nil {
				found = m[1]
			}
			return found != ""
		})
		h.Close()
		return found
	}
	before := drawn()
	if after := drawn(); after != before {
		t.Errorf("the history began at %s, and after a restart at %s", before, after)
	}
}
