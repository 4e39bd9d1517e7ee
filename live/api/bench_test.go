package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
	"github.com/libra-market/libra/live/wire"
)

// spent is the processor time of this process. On a machine that others use
// too it says more than the wall clock.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// perCore reports how many requests a second a whole core would do.
func perCore(b *testing.B, before time.Duration) {
	cpu := spent(b) - before
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "cpu-us/op")
	b.ReportMetric(float64(b.N)/cpu.Seconds(), "requests/core-s")
}

// quick is a market that takes every job and costs nothing.
type quick struct {
	*apitest.Market

	next atomic.Int64
}

func (q *quick) Do(_ context.Context, c trade.Command, _ api.Key) (api.Outcome, bool, error) {
	id := q.next.Add(1)
	return api.Outcome{Job: &v1.Job{
		ID: id, Owner: c.By.User, Account: "people/" + c.By.User, Name: c.Submit.Request.Name, State: v1.Running,
		Request: wire.Request(&c.Submit.Request), SubmittedUS: id, DueUS: id, PromisedUS: id, Firm: true, Price: 1e6, Held: 1e6, Width: 1,
		Policy: "libra", Share: 0.5, Places: []v1.Place{{Node: "n1"}},
	}}, false, nil
}

func benched(b *testing.B) (*api.Handler, string, []byte) {
	b.Helper()
	keys := &apitest.Keys{}
	secret := keys.Make("alice", v1.RoleUser)
	r := v1.Request{
		Name: "render", Argv: []string{"/usr/bin/render", "--frame", "17", "scene.blend"}, Dir: "/home/alice/film",
		Env: []string{"PATH=/usr/bin:/bin", "HOME=/home/alice", "LANG=C.UTF-8"}, EstimateMS: 600_000, DeadlineMS: 3_600_000,
		MemoryMB: 2048, Tags: []string{"film"},
	}
	body, err := json.Marshal(v1.SubmitRequest{Request: r})
	if err != nil {
		b.Fatal(err)
	}
	return api.New(&quick{Market: apitest.New("alice")}, keys, api.Options{}), secret, body
}

// BenchmarkSubmitHandler is what the API adds to a submission: everything but
// the network and the market.
func BenchmarkSubmitHandler(b *testing.B) {
	for _, keyed := range []bool{false, true} {
		b.Run(fmt.Sprintf("key=%v", keyed), func(b *testing.B) {
			h, secret, body := benched(b)
			b.ReportAllocs()
			before := spent(b)
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, "/v1/jobs", bytes.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+secret)
				r.Header.Set("Content-Type", "application/json")
				if keyed {
					r.Header.Set("Idempotency-Key", "4ac7f0b2")
				}
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, r); w.Code != http.StatusCreated {
					b.Fatalf("got %d %s", w.Code, w.Body)
				}
			}
			perCore(b, before)
		})
	}
}

// BenchmarkSubmitNothing is the part of the above that is the benchmark's own.
func BenchmarkSubmitNothing(b *testing.B) {
	_, secret, body := benched(b)
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusCreated) })
	b.ReportAllocs()
	before := spent(b)
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/v1/jobs", bytes.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	perCore(b, before)
}

// BenchmarkSubmitLoopback is the whole way over real connections, client and
// server in one process.
func BenchmarkSubmitLoopback(b *testing.B) {
	h, secret, body := benched(b)
	l, err := api.Listen("127.0.0.1:0", nil)
	if err != nil {
		b.Fatal(err)
	}
	s := api.Server(h)
	go s.Serve(l)
	defer s.Close()
	url := "http://" + l.Addr().String() + "/v1/jobs"
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	b.ReportAllocs()
	before := spent(b)
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
			if err != nil {
				b.Error(err)
				return
			}
			r.Header.Set("Authorization", "Bearer "+secret)
			r.Header.Set("Content-Type", "application/json")
			res, err := client.Do(r)
			if err != nil {
				b.Error(err)
				return
			}
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusCreated {
				b.Errorf("got %d: %v", res.StatusCode, err)
			}
			res.Body.Close()
		}
	})
	perCore(b, before)
}
