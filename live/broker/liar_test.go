package broker_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// falsify changes the JSON of answers to some requests.
func falsify(method, path string, change func(map[string]any)) func(*http.Request, int, []byte) (int, []byte) {
	return func(r *http.Request, status int, body []byte) (int, []byte) {
		if r.Method != method || !strings.HasPrefix(r.URL.Path, path) || status >= 400 {
			return status, body
		}
		var v map[string]any
		if json.Unmarshal(body, &v) != nil {
			return status, body
		}
		change(v)
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return status, text
	}
}

func TestLiars(t *testing.T) {
	post := func(change func(map[string]any)) func(*http.Request, int, []byte) (int, []byte) {
		return falsify(http.MethodPost, "/v1/quotes", change)
	}
	lies := map[string]func(*http.Request, int, []byte) (int, []byte){
		"above the budget": post(func(q map[string]any) { q["price_micros"] = 600e6 }),
		"a price of -":     post(func(q map[string]any) { q["price_micros"] = -1 }),
		"finish in the":    post(func(q map[string]any) { q["finish_us"] = 5 }),
		"another request":  post(func(q map[string]any) { q["request"].(map[string]any)["estimate_ms"] = 1 }),
		"does not bind":    post(func(q map[string]any) { q["id"] = "../x" }),
		"impossible":       post(func(q map[string]any) { q["odds"] = 7 }),
		"cannot be read":   post(func(q map[string]any) { q["price_micros"] = "a lot" }),
		"was quoted at":    falsify(http.MethodPost, "/v1/jobs", func(j map[string]any) { j["price_micros"] = j["price_micros"].(float64) + 1e6 }),
	}
	for _, what := range slices.Sorted(maps.Keys(lies)) {
		t.Run(what, func(t *testing.T) {
			w := three(t).start()
			w.clusters[1].gate.set(nil, lies[what])
			// It goes to the next best, and the liar is left out.
			for range 2 {
				if j := w.submit("alice", job("a")); where(&j) != "middle" {
					t.Errorf("went to %s: %+v", where(&j), j)
				}
			}
			r := w.record("cheap")
			if r.Lied != 1 || !strings.Contains(r.Lie, what) || r.Asked != 1 || r.OutUS == 0 {
				t.Errorf("got %+v", r)
			}
			for _, j := range w.clusters[1].jobs() {
				if j.State == v1.Running {
					t.Errorf("it still runs %+v", j)
				}
			}
			// It is remembered.
			w.clusters[1].gate.set(nil, nil)
			w.end()
			w.start()
			if r := w.record("cheap"); r.Lied != 1 {
				t.Errorf("then %+v", r)
			}
			if j := w.submit("alice", job("named", func(r *v1.Request) { r.Account = "alice/cheap" })); where(&j) != "cheap" {
				t.Errorf("who is named went to %s", where(&j))
			}
		})
	}
}

// A cluster that answers with another job than the one it was given is asked
// again, and nobody else: it may have it.
func TestALieThatLeavesItOpenWhoHasTheJob(t *testing.T) {
	w := three(t).start()
	w.clusters[1].gate.set(nil, falsify(http.MethodPost, "/v1/jobs", func(j map[string]any) { j["request"].(map[string]any)["tags"] = nil }))
	j := w.submit("alice", job("a"))
	if r := w.record("cheap"); where(&j) != "cheap" || r.Lied != 1 || !strings.Contains(r.Lie, "another job") {
		t.Errorf("got %+v, %+v", j, r)
	}
	if a, b, c := len(w.clusters[0].jobs()), len(w.clusters[1].jobs()), len(w.clusters[2].jobs()); a+c != 0 || b != 1 {
		t.Errorf("%d, %d and %d jobs", a, b, c)
	}
}

func TestLiesAboutJobsUnderWay(t *testing.T) {
	for what, lie := range map[string]func(*http.Request, int, []byte) (int, []byte){
		"does not know": nil,
		"a charge of": falsify(http.MethodGet, "/v1/jobs/", func(j map[string]any) {
			j["state"], j["charged_micros"], j["ended_us"] = "completed", 400e6, time.Now().UnixMicro()
		}),
		"when asked for": falsify(http.MethodGet, "/v1/jobs/", func(j map[string]any) { j["id"] = 99 }),
		"not know":       falsify(http.MethodGet, "/v1/jobs/", func(j map[string]any) { j["request"].(map[string]any)["tags"] = []string{"else"} }),
		"impossible":     falsify(http.MethodGet, "/v1/jobs/", func(j map[string]any) { j["state"] = "dancing" }),
	} {
		t.Run(what, func(t *testing.T) {
			w := three(t).start()
			j := w.submit("alice", job("a"))
			if g := w.clusters[1].gate; lie == nil {
				g.wrap(notFound)
			} else {
				g.set(nil, lie)
			}
			eventually(t, "the lie to be seen", func() bool {
				_, _ = w.as("alice").Job(t.Context(), j.ID) // whoever looks makes the broker look
				return strings.Contains(w.record("cheap").Lie, what)
			})
		})
	}
}

// notFound denies every job.
func notFound(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/v1/jobs/") {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"type":"/problems/not-found","title":"Not found","status":404,"detail":"job: not found"}`)
			return
		}
		next.ServeHTTP(w, r)
	})
}
