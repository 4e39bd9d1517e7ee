package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/live/secrets"
)

func TestVersions(t *testing.T) {
	for _, version := range []string{"v0.0.38", "v0.0.40", "v0.0.42"} {
		_, o := newFakeRest(t, version, map[string]answer{})
		s := open(t, o)
		if s.Name() != "slurmrestd "+version {
			t.Errorf("%s: it is called %q", version, s.Name())
		}
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
	_, o := newFakeRest(t, "v0.0.12", map[string]answer{"GET /ping": {}})
	o.Conf = "/nowhere"
	if s, err := openRest(t.Context(), o.chosen(), nil, nil); !errors.Is(err, ErrAway) {
		t.Errorf("a version that nobody knows: %v, %v", s, err)
	}
	// slurmctld may be away while slurmrestd is there.
	_, o = newFakeRest(t, "v0.0.40", map[string]answer{"GET /ping": {status: http.StatusInternalServerError, file: "v0.0.40/away.json"}})
	if err := open(t, o).Ping(t.Context()); !errors.Is(err, ErrAway) {
		t.Errorf("slurmctld is away: %v", err)
	}
}

// What a job is called in each generation.
func TestSubmissionShapes(t *testing.T) {
	for version, want := range map[string]string{
		"v0.0.38": `{"job": {"name": "a job", "comment": "libra:1.1", "partition": "libra", "nodes": 2, "nodelist": "n1,n2", "tasks": 4, "minimum_cpus_per_node": 2,
			"memory_per_node": 64, "time_limit": 2, "hold": true, "no_requeue": true, "current_working_directory": "/d", "standard_output": "/d/out", "standard_error": "/d/err",
			"open_mode": "append", "environment": {"A": "b=c", "D": ""}}, "script": "#!/bin/sh\n"}`,
		"v0.0.40": `{"job": {"name": "a job", "comment": "libra:1.1", "partition": "libra", "nodes": "2", "required_nodes": ["n1", "n2"], "tasks": 4, "minimum_cpus_per_node": 2,
			"memory_per_node": {"set": true, "infinite": false, "number": 64}, "time_limit": {"set": true, "infinite": false, "number": 2}, "hold": true, "requeue": false,
			"current_working_directory": "/d", "standard_output": "/d/out", "standard_error": "/d/err", "open_mode": ["APPEND"], "argv": ["/d/job.sh", "an argument"], "environment": ["A=b=c", "D="], "script": "#!/bin/sh\n"}}`,
	} {
		f, o := newFakeRest(t, version, map[string]answer{
			"POST /job/submit": {file: version + "/submit.json"},
			"POST /job/41":     {text: `{"errors": []}`},
		})
		s := open(t, o)
		if id, err := s.Submit(t.Context(), sample()); err != nil || id <= 0 {
			t.Errorf("%s: submitted %d, %v", version, id, err)
		}
		var body map[string]any
		if err := json.Unmarshal([]byte(want), &body); err != nil {
			t.Fatal(err)
		}
		if q := f.last("POST /job/submit"); !reflect.DeepEqual(q.body, body) || q.user != "root" {
			t.Errorf("%s: as %s was submitted %v, want %v", version, q.user, q.body, body)
		}
		if err := s.Release(t.Context(), 41, []string{"n1", "n2"}); err != nil {
			t.Error(err)
		}
		released := map[string]map[string]any{
			"v0.0.38": {"hold": false, "nodelist": "n1,n2"},
			"v0.0.40": {"hold": false, "required_nodes": []any{"n1", "n2"}},
		}[version]
		if q := f.last("POST /job/41"); !reflect.DeepEqual(q.body, released) {
			t.Errorf("%s: released by %v", version, q.body)
		}
	}
}

func TestSubmissionOfLittle(t *testing.T) {
	f, o := newFakeRest(t, "v0.0.40", map[string]answer{"POST /job/submit": {file: "v0.0.42/submit.json"}})
	s := sample()
	s.MemoryMB, s.Limit, s.Error, s.Comment, s.Env = 0, 0, "", "", nil
	if id, err := open(t, o).Submit(t.Context(), s); id != 9 || err != nil {
		t.Errorf("submitted %d, %v", id, err)
	}
	job := f.last("POST /job/submit").body["job"].(map[string]any)
	for _, name := range []string{"memory_per_node", "time_limit", "standard_error", "comment"} {
		if value, here := job[name]; here {
			t.Errorf("%s is %v", name, value)
		}
	}
	if env, ok := job["environment"].([]any); !ok || len(env) == 0 {
		t.Errorf("the environment is %v", job["environment"])
	}
}

// A node that is shared may get more tasks than it has processors.
func TestSizes(t *testing.T) {
	f, o := newFakeRest(t, "v0.0.40", map[string]answer{
		"POST /job/submit": {file: "v0.0.40/submit.json"},
		"GET /nodes":       {file: "v0.0.40/nodes.json"},
	})
	now := time.Unix(1, 0)
	o.Now = func() time.Time { return now }
	client := open(t, o)
	for _, c := range []struct {
		nodes []string
		ask   int
		want  float64
	}{{[]string{"n1", "n2"}, 100, 64}, {[]string{"n1"}, 3, 3}, {[]string{"unknown"}, 100, 100}, {[]string{"n1"}, 1, 1}} {
		s := sample()
		s.Nodes, s.CPUs = c.nodes, c.ask
		if _, err := client.Submit(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		job := f.last("POST /job/submit").body["job"].(map[string]any)
		if job["minimum_cpus_per_node"] != c.want || job["tasks"] != c.want*float64(len(c.nodes)) {
			t.Errorf("%+v: asked for %v processors and %v tasks", c, job["minimum_cpus_per_node"], job["tasks"])
		}
	}
	count := func() (n int) {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, q := range f.asked {
			if q.what == "GET /nodes" {
				n++
			}
		}
		return n
	}
	if n := count(); n != 1 {
		t.Errorf("the nodes were listed %d times", n)
	}
	now = now.Add(sizesLast)
	if _, err := client.Submit(t.Context(), sample()); err != nil || count() != 2 {
		t.Errorf("a minute later: %v, listed %d times", err, count())
	}
}

func TestAnswersToSubmit(t *testing.T) {
	for what, c := range map[string]struct {
		answer answer
		id     int64
		is     error
	}{
		"first":               {answer{file: "v0.0.38/submit.json"}, 1, nil},
		"first, held":         {answer{file: "v0.0.38/submit_held.json"}, 2, nil},
		"held, with a status": {answer{status: 500, file: "v0.0.38/submit_held.json"}, 2, nil},
		"first, refused":      {answer{file: "v0.0.38/submit_refused.json"}, 0, ErrRefused},
		"refused by status":   {answer{status: 500, file: "v0.0.38/submit_refused.json"}, 0, ErrRefused},
		"second":              {answer{file: "v0.0.40/submit.json"}, 41, nil},
		"second, refused":     {answer{status: 500, file: "v0.0.40/submit_refused.json"}, 0, ErrRefused},
		"second, away":        {answer{status: 500, file: "v0.0.40/away.json"}, 0, ErrAway},
		"away without status": {answer{file: "v0.0.40/away.json"}, 0, ErrAway},
		"nothing":             {answer{text: "{}"}, 0, ErrAway},
		"no answer":           {answer{status: 502, text: "<html>bad gateway</html>"}, 0, ErrAway},
		"no JSON":             {answer{text: "job 5"}, 0, ErrAway},
		"redirected":          {answer{status: 302, text: "{}"}, 0, ErrAway},
		"bad request":         {answer{status: 400, text: "{}"}, 0, ErrRefused},
		"full":                {answer{text: `{"errors": [{"error_number": 2007, "error": "no room"}]}`}, 0, ErrAway},
		"notes only":          {answer{text: `{"errors": [{"error_number": 2042}]}`}, 0, ErrAway},
	} {
		_, o := newFakeRest(t, "v0.0.40", map[string]answer{"POST /job/submit": c.answer})
		id, err := open(t, o).Submit(t.Context(), sample())
		if id != c.id || !errors.Is(err, c.is) || (err == nil) != (c.is == nil) {
			t.Errorf("%s: %d, %v; want %d, %v", what, id, err, c.id, c.is)
		}
		if errors.Is(err, ErrAway) && errors.Is(err, ErrRefused) {
			t.Errorf("%s: both away and refused: %v", what, err)
		}
	}
}

func TestCancelAndRelease(t *testing.T) {
	_, o := newFakeRest(t, "v0.0.40", map[string]answer{
		"DELETE /job/1": {file: "v0.0.40/plain.json"},
		"DELETE /job/2": {status: 500, file: "v0.0.40/cancel_unknown.json"},
		"DELETE /job/3": {file: "v0.0.38/cancel_unknown.json"},
		"DELETE /job/4": {status: 500, file: "v0.0.40/away.json"},
		"POST /job/2":   {file: "v0.0.38/release_unknown.json"},
		"POST /job/3":   {status: 500, file: "v0.0.38/release_over.json"},
		"POST /job/4":   {status: 500, file: "v0.0.40/away.json"},
	})
	s := open(t, o)
	for id, want := range map[int64]error{1: nil, 2: nil, 3: nil, 4: ErrAway, 5: ErrAway} {
		if err := s.Cancel(t.Context(), id, false); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("cancel %d: %v, want %v", id, err, want)
		}
	}
	for id, want := range map[int64]error{2: ErrRefused, 3: ErrRefused, 4: ErrAway} {
		if err := s.Release(t.Context(), id, []string{"n1"}); !errors.Is(err, want) {
			t.Errorf("release %d: %v, want %v", id, err, want)
		}
	}
}

func TestListings(t *testing.T) {
	for version, want := range map[string][]Job{
		"v0.0.38": {
			{ID: 1, Name: "failed", Comment: "libra:1.1", User: "libra-alice", State: Failed, Reason: "NonZeroExitCode", Nodes: []string{"n1"}, Wanted: []string{"n1"}, Submitted: 1794735067, Started: 1794735068, Ended: 1794735068, Exit: 7},
			{ID: 2, Name: "held", Comment: "libra:1.1", User: "libra-alice", State: Pending, Reason: "JobHeldUser", Wanted: []string{"n1", "n2"}, Held: true, Submitted: 1794735067},
			{ID: 3, Name: "r", User: "libra-alice", State: Running, Reason: "None", Nodes: []string{"n2"}, Wanted: []string{"n2"}, Submitted: 1794735067, Started: 1794735068},
		},
		"v0.0.40": {
			{ID: 41, Name: "held", Comment: "libra:1.1", User: "alice", State: Pending, Reason: "JobHeldUser", Wanted: []string{"n1", "n2"}, Held: true, Submitted: 1700000000},
			{ID: 42, Name: "runs", User: "bob", State: Pending, Reason: "None", Nodes: []string{"n3"}, Wanted: []string{"n3"}, Submitted: 1700000001},
			{ID: 43, Name: "failed", User: "bob", State: Failed, Reason: "NonZeroExitCode", Nodes: []string{"n1"}, Wanted: []string{"n1"}, Submitted: 1700000003, Started: 1700000004, Ended: 1700000005, Exit: 7},
			{ID: 44, Name: "killed", User: "bob", State: Cancelled, Reason: "None", Nodes: []string{"n1"}, Wanted: []string{"n1"}, Submitted: 1700000006, Started: 1700000007, Ended: 1700000008, Signal: 15},
			{ID: 45, Name: "ends", User: "bob", State: Completing, Reason: "None", Nodes: []string{"n1"}, Wanted: []string{"n1"}, Submitted: 1700000009, Started: 1700000010},
		},
	} {
		_, o := newFakeRest(t, version, map[string]answer{"GET /jobs": {file: version + "/jobs.json"}, "GET /nodes": {file: version + "/nodes.json"}})
		s := open(t, o)
		jobs, err := s.Jobs(t.Context(), "libra")
		if err != nil || !reflect.DeepEqual(jobs, want) {
			t.Errorf("%s: %v, jobs\n%+v, want\n%+v", version, err, jobs, want)
		}
		nodes, err := s.Nodes(t.Context(), "libra")
		wantNodes := map[string][]Node{
			"v0.0.38": {
				{Name: "n1", Up: true, Draining: true, Reason: "it smells of smoke", Processors: 2, MemoryMB: 8192, Boot: 1794710852, Slurmd: 1794735067},
				{Name: "n2", Up: true, Processors: 2, MemoryMB: 8192, Boot: 1794710852, Slurmd: 1794735067},
			},
			"v0.0.40": {
				{Name: "n1", Up: true, Draining: true, Reason: "it smells of smoke", Processors: 64, MemoryMB: 257000, Boot: 1699990000},
				{Name: "n2", Up: true, Processors: 64, MemoryMB: 257000, Boot: 1699990001},
				{Name: "n3", Reason: "Not responding", Processors: 64, MemoryMB: 257000},
			},
		}[version]
		if err != nil || !reflect.DeepEqual(nodes, wantNodes) {
			t.Errorf("%s: %v, nodes\n%+v, want\n%+v", version, err, nodes, wantNodes)
		}
	}
}

// No listing is ever empty because something went wrong.
func TestListingsGoneWrong(t *testing.T) {
	for what, a := range map[string]answer{
		"nothing":      {text: "{}"},
		"null":         {text: `{"jobs": null, "nodes": null}`},
		"no JSON":      {text: "jobs"},
		"cut off":      {text: `{"jobs": [{"job_id": 1`},
		"an error":     {text: `{"jobs": [], "nodes": [], "errors": [{"error_number": 1800, "error": "away"}]}`},
		"a status":     {status: 500, text: `{"jobs": [], "nodes": []}`},
		"other types":  {text: `{"jobs": {"1": {}}, "nodes": {"1": {}}}`},
		"no number":    {text: `{"jobs": [{"partition": "libra"}], "nodes": [{"partitions": ["libra"]}]}`},
		"strange node": {text: `{"jobs": [{"job_id": 1, "partition": "libra", "nodes": "n[1-"}], "nodes": [{"name": 5}]}`},
	} {
		_, o := newFakeRest(t, "v0.0.40", map[string]answer{"GET /jobs": a, "GET /nodes": a})
		s := open(t, o)
		if jobs, err := s.Jobs(t.Context(), "libra"); !errors.Is(err, ErrAway) {
			t.Errorf("%s: jobs %+v, %v", what, jobs, err)
		}
		if nodes, err := s.Nodes(t.Context(), "libra"); !errors.Is(err, ErrAway) {
			t.Errorf("%s: nodes %+v, %v", what, nodes, err)
		}
	}
}

func TestSlow(t *testing.T) {
	_, o := newFakeRest(t, "v0.0.40", map[string]answer{"POST /job/submit": {slow: time.Minute}})
	o.Timeout = 100 * time.Millisecond
	if _, err := open(t, o).Submit(t.Context(), sample()); !errors.Is(err, ErrAway) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a slow one: %v", err)
	}
}

// A token is read again when it is refused, and is in no error whatever happens.
func TestToken(t *testing.T) {
	f, o := newFakeRest(t, "v0.0.40", map[string]answer{"POST /job/submit": {file: "v0.0.40/submit.json"}})
	s := open(t, o)
	f.mu.Lock()
	f.token = secret + "2"
	f.mu.Unlock()
	_, err := s.Submit(t.Context(), sample())
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("with an old token: %v", err)
	}
	if err = os.WriteFile(o.TokenFile, []byte(secret+"2"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = s.Submit(t.Context(), sample()); err != nil {
		t.Errorf("with a new token: %v", err)
	}

	for what, text := range map[string]string{
		"empty":    "",
		"no token": "a b c d e f g h i j k l m n o p q",
		"header":   secret + "\r\nX-Evil: 1",
		"run out":  "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjEwMDB9.c2VjcmV0LXNlY3JldA",
	} {
		if err = os.WriteFile(o.TokenFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		tok := &token{file: o.TokenFile, now: time.Now}
		if got, err := tok.get(t.Context(), false); err == nil || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
	if err = errors.Join(os.WriteFile(o.TokenFile, []byte(secret), 0o600), os.Chmod(o.TokenFile, 0o644)); err != nil {
		t.Fatal(err)
	}
	tok := &token{file: o.TokenFile, now: time.Now}
	if _, err = tok.get(t.Context(), false); !errors.Is(err, secrets.ErrOpen) {
		t.Errorf("a file that others can read: %v", err)
	}
	tok = &token{file: filepath.Join(t.TempDir(), "none"), now: time.Now}
	if _, err = tok.get(t.Context(), false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestTokenIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	now := time.Unix(1, 0)
	tok := &token{file: file, now: func() time.Time { return now }}
	for _, step := range []struct {
		write, want string
		anew        bool
		after       time.Duration
	}{
		{write: secret + "1", want: secret + "1"},
		{write: secret + "2", want: secret + "1", after: fileAge - 1},
		{write: secret + "3", want: secret + "3", after: 1},
		{write: secret + "4", want: secret + "4", anew: true},
	} {
		now = now.Add(step.after)
		if err := os.WriteFile(file, []byte(step.write), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := tok.get(t.Context(), step.anew); got != step.want || err != nil {
			t.Errorf("%+v: %q, %v", step, got, err)
		}
	}
}

// Whoever answers with a redirect does not get the token sent elsewhere.
func TestNoRedirect(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("somebody came") }))
	defer elsewhere.Close()
	here := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer here.Close()
	_, o := newFakeRest(t, "v0.0.40", map[string]answer{})
	o.Rest = here.URL
	r, err := openRest(t.Context(), o.chosen(), nil, nil)
	if err != nil {
		return // it may well be refused
	}
	if err = r.Ping(t.Context()); err == nil {
		t.Error("a redirect is an answer")
	}
}

func TestUnauthorized(t *testing.T) {
	f, o := newFakeRest(t, "v0.0.40", map[string]answer{})
	f.token = "another"
	if s, err := Open(t.Context(), o); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("with a token that is refused: %v, %v", s, err)
	}
}

// The number of a new job is found wherever it stands, and nowhere else.
func TestNumberOfANewJob(t *testing.T) {
	for text, want := range map[string]int64{
		`{"job_id": 7}`:                        7,
		`{"job_id":0,"result":{"job_id" : 8}}`: 8,
		`{"result":{"job_id":{"set":true,"infinite":false,"number":9}}}`:                       9,
		`{"errors":[{"description":"\"job_id\": 5"}],"job_id":0}`:                              0,
		`{"errors":[{"error_number":2016,"error":"nodes are busy"}],"job_id":11,"step_id":""}`: 11,
		`{"job_id":null}`: 0,
		`{"job_id":-3}`:   0,
		`{}`:              0,
	} {
		var a submitAnswer
		if err := json.Unmarshal([]byte(text), &a); err != nil || max(a.id(), 0) != want {
			t.Errorf("%s: job %d, %v, want %d", text, a.id(), err, want)
		}
	}
	var a submitAnswer
	if err := json.Unmarshal([]byte(`{"job_id":7`), &a); err == nil {
		t.Error("half an answer is one")
	}
	if err := json.Unmarshal([]byte(`{"errors":[{"description":"no such partition","error_number":2000}],"job_id":0}`), &a); err != nil || !a.faults().refusal() {
		t.Errorf("a refusal is not read: %v, %v", a, err)
	}
}

func TestAddresses(t *testing.T) {
	for _, bad := range []string{"localhost:6820", "ftp://x", "http://", "http://user:pw@host", "://"} {
		if _, _, err := wayTo(bad); err == nil || strings.Contains(err.Error(), "ErrAway") {
			t.Errorf("%q is an address: %v", bad, err)
		}
	}
	for good, want := range map[string]string{"http://h:1/": "http://h:1", "https://h": "https://h", "unix:/a/b": "http://localhost", "unix:///a": "http://localhost"} {
		if base, _, err := wayTo(good); base != want || err != nil {
			t.Errorf("%q is %q, %v", good, base, err)
		}
	}
}

// A submission whose answer is lost may have been taken: it is not sent again, not
// even over a connection that had been kept.
func TestASubmissionIsSentOnce(t *testing.T) {
	var came atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			return
		}
		came.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	base, way, err := wayTo(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		req, err := http.NewRequestWithContext(t.Context(), method, base, bytes.NewReader([]byte("{}")))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := way.RoundTrip(req)
		if (err == nil) != (method == http.MethodGet) {
			t.Errorf("%s: %v", method, err)
		}
		if err == nil {
			resp.Body.Close()
		}
	}
	if n := came.Load(); n != 1 {
		t.Errorf("it came %d times", n)
	}
}
