package system_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// hostile is somebody who asks for what nobody should: absurd numbers, what is not there,
// what is others', twice what can be had once, and what is no text at all.
type hostile struct {
	t      testing.TB
	url    string
	tokens []string // their own, the owner's, nobody's
	calls  atomic.Int64
	mu     sync.Mutex
	wrong  map[string]bool
	seen   map[int]int
}

var (
	absurdNumbers = []string{
		"0", "-1", "1", "100000000", "2147483648", "4294967296", "1e18", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e400", "0.5", "null", `"1"`, "[]", "{}",
	}
	absurdWords = []string{
		`"x"`, `""`, `"\u0000"`, "\"\xff\xfe\"", `"@owner"`, `"people/root"`, `"people/mallory"`, `"../../etc"`, `"` + strings.Repeat("a", 1<<16) + `"`, `"'; DROP TABLE jobs; --"`, "null", "7",
	}
	numberFields = []string{
		"estimate_ms", "deadline_ms", "budget_micros", "penalty_micros_per_s", "processors", "threads", "memory_mb", "disk_mb", "class", "grace_ms",
	}
	wordFields = []string{"name", "account", "dir", "output", "error", "overrun", "script"}
	readings   = []string{
		"/v1/statements?format=focus&account=people/mallory", "/v1/statements?format=focus&account=people/root", "/v1/statements?from_us=-1&to_us=9223372036854775807",
		"/v1/statements?format=csv&account=%00", "/v1/jobs?limit=9223372036854775807", "/v1/jobs?before=-1&state=%ff", "/v1/jobs/9223372036854775807", "/v1/jobs/-1/receipt",
		"/v1/accounts/%ff%fe", "/v1/accounts/people/mallory/../root", "/v1/history?after=-9223372036854775808", "/v1/log?after=9223372036854775807", "/v1/report?from_us=x",
		"/v1/prices?estimate_ms=1e400", "/v1/tokens", "/v1/ledger/verify", "/v1/events?after=-1&wait_ms=0", "/v1/archive", "/v1/nodes",
	}
)

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// request is a job that may be absurd in one thing or two; its name tells whose it is.
func (h *hostile) request(r *rand.Rand) string {
	fields := map[string]string{"argv": `["true"]`, "dir": `"/"`, "estimate_ms": "1000", "deadline_ms": "600000", "name": `"hostile"`}
	for range r.IntN(3) {
		switch r.IntN(6) {
		case 0:
			fields[pick(r, wordFields)] = pick(r, absurdWords)
		case 1:
			fields["array"] = fmt.Sprintf(`{"first":%s,"last":%s,"step":%s}`, pick(r, absurdNumbers), pick(r, absurdNumbers), pick(r, absurdNumbers))
		case 2:
			fields["optional"] = fmt.Sprintf(`{"work_ms":%s,"rate_micros_per_s":%s}`, pick(r, absurdNumbers), pick(r, absurdNumbers))
		case 3:
			fields["after"] = fmt.Sprintf(`[%s,%s]`, pick(r, absurdNumbers), pick(r, absurdNumbers))
		case 4:
			fields["env"] = "[" + strings.Repeat(`"A=`+strings.Repeat("b", 100)+`",`, r.IntN(2000)) + `"C=d"]`
		default:
			fields[pick(r, numberFields)] = pick(r, absurdNumbers)
		}
	}
	var parts []string
	for name, value := range maps.All(fields) {
		parts = append(parts, fmt.Sprintf("%q:%s", name, value))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// act is one thing that they do.
func (h *hostile) act(r *rand.Rand) {
	job := r.IntN(40)
	switch r.IntN(12) {
	case 0, 1:
		h.ask(r, http.MethodPost, "/v1/jobs", fmt.Sprintf(`{"request":%s}`, h.request(r)))
	case 2:
		h.ask(r, http.MethodPost, "/v1/quotes", fmt.Sprintf(`{"request":%s,"ttl_ms":%s}`, h.request(r), pick(r, absurdNumbers)))
	case 3: // one that is dropped twice
		answer := h.as(h.tokens[0], http.MethodPost, "/v1/quotes", `{"request":{"argv":["true"],"dir":"/","name":"hostile","estimate_ms":1000,"deadline_ms":60000},"ttl_ms":5000}`)
		if _, id, found := strings.Cut(answer, `"id":"`); found {
			id, _, _ = strings.Cut(id, `"`)
			for range 2 {
				h.as(h.tokens[0], http.MethodDelete, "/v1/quotes/"+id, "")
			}
		}
	case 4:
		h.as(h.tokens[0], http.MethodPost, fmt.Sprintf("/v1/jobs/%d/cancel", job), "") // of others
	case 5:
		h.as(h.tokens[0], http.MethodPost, fmt.Sprintf("/v1/jobs/%d/void", job), "{}")
	case 6:
		to := pick(r, absurdWords)
		h.as(h.tokens[0], http.MethodPost, "/v1/transfers", fmt.Sprintf(`{"from":"people/mallory","to":%s,"amount_micros":%s}`, to, pick(r, absurdNumbers)))
		h.as(h.tokens[0], http.MethodPost, "/v1/transfers", `{"from":"people/mallory","to":"people/mallory","amount_micros":5}`)
	case 7:
		h.ask(r, http.MethodPost, "/v1/previews", fmt.Sprintf(`{"request":%s}`, h.request(r)))
	case 8:
		h.ask(r, http.MethodPost, pick(r, []string{"/v1/jobs", "/v1/quotes", "/v1/transfers", "/v1/tokens", "/v1/epochs"}), pick(r, []string{
			"", "{", "\xff\xfe\x00", "[]", strings.Repeat("[", 100_000), `{"request":{"argv":` + strings.Repeat("[", 1000) + "}}", `{"request":{"argv":["` + strings.Repeat("a", 1<<20) + `"]}}`,
		}))
	case 9:
		h.ask(r, http.MethodPost, fmt.Sprintf("/v1/nodes/%s/report", pick(r, []string{"n1", "%ff", "x"})), `{"node":"n1","tasks":[{"job":1,"rank":0,"attempt":0,"state":"ended"}]}`)
	default:
		h.ask(r, http.MethodGet, pick(r, readings), "")
	}
}

func (h *hostile) ask(r *rand.Rand, method, path, body string) {
	h.as(pick(r, h.tokens), method, path, body)
}

// as asks with a token, and notes an answer that is nobody's fault but the market's.
func (h *hostile) as(token, method, path, body string) string {
	h.calls.Add(1)
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		return "" // no address at all
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	c := http.Client{Timeout: 10 * time.Second}
	res, err := c.Do(req)
	if err != nil {
		return "" // it was killed
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(res.Body, 1<<16)) // it may be killed meanwhile
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen[res.StatusCode]++
	if res.StatusCode >= 500 && res.StatusCode != http.StatusServiceUnavailable {
		h.wrong[fmt.Sprintf("%s %s %.300q: %d %.300s", method, path, body, res.StatusCode, bytes.TrimSpace(answer))] = true
	}
	return string(answer)
}

// The controller is killed at random moments while clients work and others ask for what
// nobody should: it begins again every time, nothing that was acknowledged is lost, the
// books are right, and nobody hears that it was the market's fault.
func TestHostileRequests(t *testing.T) {
	requireCgroup(t)
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kills := 4
			if long() {
				kills = 70
			}
			b := newBazaar(t, terms{serve: store(t)})
			w := b.hire("n1", "--cpus", "0,1")
			b.user("root", 1_000_000)
			b.user("mallory", 1000)
			token, err := b.owner.MakeToken(t.Context(), v1.TokenRequest{User: "mallory"})
			if err != nil {
				t.Fatal(err)
			}
			s := &storm{t: t, dir: b.dir, runs: b.at("runs"), open: func() *client.Client { return b.impatient() }, seed: seedOf(t), strangers: "mallory"}
			h := &hostile{t: t, url: b.url, tokens: []string{token.Secret, token.Secret, "nobody"}, wrong: map[string]bool{}, seen: map[int]int{}}
			s.rage(2, func(random *rand.Rand) {
				var all sync.WaitGroup
				calm := make(chan struct{})
				for i := range 3 {
					r := rand.New(rand.NewPCG(s.seed, uint64(100+i)))
					all.Go(func() {
						for {
							select {
							case <-calm:
								return
							case <-time.After(time.Duration(r.IntN(20)) * time.Millisecond):
								h.act(r)
							}
						}
					})
				}
				for range kills {
					time.Sleep(time.Duration(50+random.IntN(1200)) * time.Millisecond)
					b.serve.kill()
					b.open()
				}
				close(calm)
				all.Wait()
			})
			b.joined(w)
			s.check(b.owner, "people/root")
			for wrong := range h.wrong {
				t.Error(wrong)
			}
			t.Logf("%d kills survived, %d hostile requests, answers %v", kills, h.calls.Load(), h.seen)
		})
	}
}
