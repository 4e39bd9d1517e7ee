package system_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// storm is a time of kills: clients go on handing in, quoting and cancelling,
// and ask again with the same key until they are answered.
type storm struct {
	t    testing.TB
	dir  string
	runs string // file: every run of a program writes its begin and its end
	open func() *client.Client
	seed uint64

	strangers string        // a user whose jobs are not the storm's
	calm      chan struct{} // closed when the clients shall come to an end
	keys      atomic.Int64
	asked     atomic.Int64 // calls, with those that were made again

	mu   sync.Mutex
	said map[string]answer // by key of a submission
}

// answer is what a submission was answered.
type answer struct {
	job     int64
	refused bool
	request v1.Request
	quote   string
	by      *client.Client
}

// seedOf draws the numbers by which a storm can be repeated, as far as the
// machine repeats itself.
func seedOf(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if given := os.Getenv("LIBRA_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("LIBRA_SEED=%d", seed)
	return seed
}

// rage lets clients work while disturb disturbs them, and returns when both
// have come to an end.
func (s *storm) rage(clients int, disturb func(random *rand.Rand)) {
	s.calm, s.said = make(chan struct{}), map[string]answer{}
	var all sync.WaitGroup
	for i := range clients {
		random := rand.New(rand.NewPCG(s.seed, uint64(i+1)))
		c := s.open()
		all.Go(func() {
			for !s.over(random, 100, 500) {
				s.act(c, random)
			}
		})
	}
	disturb(rand.New(rand.NewPCG(s.seed, 0)))
	close(s.calm)
	all.Wait()
}

// over waits for some milliseconds, and reports whether the storm is over.
func (s *storm) over(random *rand.Rand, least, most int) bool {
	select {
	case <-s.calm:
		return true
	case <-time.After(time.Duration(least+random.IntN(most-least)) * time.Millisecond):
		return false
	}
}

// act is one thing that a client does.
func (s *storm) act(c *client.Client, random *rand.Rand) {
	life := time.Duration(100+random.IntN(1500)) * time.Millisecond
	r := v1.Request{
		Argv: []string{"sh", "-c", fmt.Sprintf(
			`echo "$LIBRA_JOB_ID $LIBRA_ATTEMPT begin" >> %[1]s; sleep %.1[2]f; echo "$LIBRA_JOB_ID $LIBRA_ATTEMPT end" >> %[1]s`, s.runs, life.Seconds())},
		Dir: s.dir, Output: "/dev/null", EstimateMS: 3000, DeadlineMS: 300_000, GraceMS: 500,
	}
	switch random.IntN(6) {
	case 0: // a quote that is taken back
		if q, ok := s.quote(c, r); ok {
			s.insist(func(ctx context.Context) error { return c.DropQuote(ctx, q) })
		}
	case 1: // a quote that is taken
		q, _ := s.quote(c, r)
		s.submit(c, r, q)
	case 2: // a job that is taken back
		if id := s.submit(c, r, ""); id != 0 {
			s.over(random, 1, 800)
			key := s.key()
			s.insist(func(ctx context.Context) error { _, err := c.Cancel(client.WithKey(ctx, key), id); return err })
		}
	default:
		s.submit(c, r, "")
	}
}

func (s *storm) key() string { return fmt.Sprintf("key-%d", s.keys.Add(1)) }

// insist makes a call until it is answered, and returns the problem, if the
// answer was one.
func (s *storm) insist(call func(context.Context) error) *client.Problem {
	for began := time.Now(); time.Since(began) < 2*patience; time.Sleep(50 * time.Millisecond) {
		s.asked.Add(1)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		err := call(ctx)
		cancel()
		if err == nil {
			return nil
		}
		p, ok := errors.AsType[*client.Problem](err)
		switch {
		case !ok || p.Status == http.StatusServiceUnavailable || p.Status == http.StatusTooManyRequests:
		case p.Status >= 500:
			s.t.Errorf("it says that it is its own fault: %v", p)
			return p
		default:
			return p
		}
	}
	s.t.Error("a call was never answered")
	return &client.Problem{Status: http.StatusGatewayTimeout}
}

func (s *storm) quote(c *client.Client, r v1.Request) (id string, ok bool) {
	key := s.key()
	p := s.insist(func(ctx context.Context) error {
		q, err := c.AskQuote(client.WithKey(ctx, key), r, time.Minute)
		id = q.ID
		return err
	})
	return id, p == nil
}

// submit hands in a job whose name is its key. It returns 0 if it was refused.
func (s *storm) submit(c *client.Client, r v1.Request, quote string) int64 {
	r.Name = s.key()
	a := answer{request: r, quote: quote, by: c}
	p := s.insist(func(ctx context.Context) error {
		j, err := c.Submit(client.WithKey(ctx, r.Name), r, quote)
		a.job = j.ID
		return err
	})
	if p != nil {
		a.job, a.refused = p.Job, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said[r.Name] = a
	if a.refused {
		return 0
	}
	return a.job
}
