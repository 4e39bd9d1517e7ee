package broker_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// Many at once: a cluster lets a user have sixteen quotes open, and nobody is
// refused for that.
func TestManyAtOnce(t *testing.T) {
	w := three(t).start()
	const many = 40
	var wait sync.WaitGroup
	errs := make([]error, many)
	for i := range many {
		c := w.as("alice")
		wait.Go(func() {
			_, errs[i] = c.Submit(t.Context(), job(fmt.Sprint("j", i), func(r *v1.Request) { r.EstimateMS = 1000 }), "")
		})
	}
	wait.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("job %d: %v", i, err)
		}
	}
	total := 0
	for _, c := range w.clusters {
		total += len(c.jobs())
	}
	if total != many {
		t.Errorf("%d jobs at the clusters", total)
	}
}

// A cluster that talks without end does not take the broker with it.
func TestAnAnswerThatIsHuge(t *testing.T) {
	w := three(t).start()
	huge := strings.Repeat("x", 8<<20)
	w.clusters[1].gate.set(nil, func(r *http.Request, status int, body []byte) (int, []byte) {
		if r.URL.Path == "/v1/quotes" {
			return http.StatusCreated, []byte(`{"id":"` + huge + `","formula":"` + huge + `"}`)
		}
		return status, body
	})
	if j := w.submit("alice", job("a")); where(&j) != "middle" {
		t.Errorf("went to %s", where(&j))
	}
	if r := w.record("cheap"); r.Lied != 1 || len(r.Lie) > 500 {
		t.Errorf("got %.600v", r)
	}
}
