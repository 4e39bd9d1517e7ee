package client

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeRest is a slurmrestd that gives recorded answers of one version and writes
// down what it was asked.
type fakeRest struct {
	t       *testing.T
	version string
	token   string
	mu      sync.Mutex
	answers map[string]answer // by method and path after the version
	asked   []question
}

type answer struct {
	status int
	file   string // of testdata, or
	text   string
	slow   time.Duration
}

type question struct {
	what, user string
	body       map[string]any
}

const secret = "eyJhbGciOiJIUzI1NiJ9.e30.c2VjcmV0LXNlY3JldA"

func newFakeRest(t *testing.T, version string, answers map[string]answer) (*fakeRest, Options) {
	t.Helper()
	f := &fakeRest{t: t, version: version, token: secret, answers: answers}
	if _, here := answers["GET /ping"]; !here {
		answers["GET /ping"] = answer{file: version + "/ping.json"}
	}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("SLURM_JWT="+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return f, Options{Rest: server.URL, TokenFile: file, ListByRest: true, Timeout: 30 * time.Second, SystemUsers: []string{"root"}}
}

func (f *fakeRest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ours := strings.CutPrefix(r.URL.Path, "/slurm/"+f.version)
	if !ours {
		http.NotFound(w, r)
		return
	}
	if r.Header.Get("X-SLURM-USER-TOKEN") != f.token {
		http.Error(w, "Authentication failure", http.StatusUnauthorized)
		return
	}
	q := question{what: r.Method + " " + path, user: r.Header.Get("X-SLURM-USER-NAME")}
	text, err := io.ReadAll(r.Body)
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &q.body)
	}
	if err != nil {
		f.t.Errorf("%s: %v", q.what, err)
	}
	f.mu.Lock()
	f.asked = append(f.asked, q)
	a, here := f.answers[q.what]
	f.mu.Unlock()
	if !here {
		http.NotFound(w, r)
		return
	}
	if a.slow > 0 {
		select {
		case <-r.Context().Done():
		case <-time.After(a.slow):
		}
	}
	if a.file != "" {
		recorded, err := os.ReadFile(filepath.Join("testdata", a.file))
		if err != nil {
			f.t.Error(err)
		}
		a.text = string(recorded)
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = io.WriteString(w, a.text) // who hangs up has had enough
}

// last is the last question of a kind.
func (f *fakeRest) last(what string) question {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.asked) - 1; i >= 0; i-- {
		if f.asked[i].what == what {
			return f.asked[i]
		}
	}
	f.t.Errorf("nobody asked %s", what)
	return question{}
}

func open(t *testing.T, o Options) Slurm {
	t.Helper()
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sample() Submission {
	return Submission{
		Name: "a job", Comment: "libra:1.1", User: "root", Partition: "libra", Nodes: []string{"n1", "n2"}, Tasks: 3, CPUs: 2,
		MemoryMB: 64, Limit: 61 * time.Second, Dir: "/d", Env: []string{"A=b=c", "D="}, Output: "/d/out", Error: "/d/err", Script: "#!/bin/sh\n",
		Command: []string{"/d/job.sh", "an argument"},
	}
}
