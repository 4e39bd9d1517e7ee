package api_test

import (
	"encoding/json"
	"strings"
	"testing"
)

const specifiedJob = `
details: {name: hello, command: [./simulate, input.dat], runtime_estimate: 2m}
resources: {processors: 2}
qos: {deadline: 10m, deadline_type: soft, budget: 5.5, penalty_rate: 0.01}
optimise: fastest
libra: {partition: fast, constraint: ib, tags: [a, b]}
`

// A specification says what a request says, for whoever asks for a job.
func TestSpecificationsAreTaken(t *testing.T) {
	w := newWorld(t)
	for path, status := range map[string]int{"/v1/jobs": 201, "/v1/quotes": 201, "/v1/previews": 200} {
		a := w.ask("alice", "POST", path, specifiedJob, "Content-Type", "application/yaml; charset=utf-8")
		if a.status != status {
			t.Fatalf("%s: %d %s", path, a.status, a.body)
		}
		var got struct{ Request json.RawMessage }
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{
			`"name":"hello"`, `"argv":["./simulate","input.dat"]`, `"estimate_ms":120000`, `"deadline_ms":600000`, `"soft":true`,
			`"budget_micros":5500000`, `"penalty_micros_per_s":10000`, `"processors":2`, `"wish":"fastest"`, `"partition":"fast"`, `"constraint":"ib"`, `"tags":["a","b"]`,
		} {
			if !strings.Contains(string(got.Request), part) {
				t.Errorf("%s: no %s in %s", path, part, got.Request)
			}
		}
	}
}

func TestSpecificationsAreReadStrictly(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name, path, body string
		status           int
		field, detail    string
	}{
		{"misspelt", "/v1/jobs", strings.Replace(specifiedJob, "budget", "bugdet", 1), 400, "qos.bugdet", "did you mean budget?"},
		{"a word that flags do not know", "/v1/jobs", specifiedJob[:strings.Index(specifiedJob, "libra:")] + "libra: {partitoin: x}\n", 400, "libra", "partitoin"},
		{"whose environment?", "/v1/jobs", specifiedJob[:strings.Index(specifiedJob, "libra:")] + "libra: {export: all}\n", 400, "libra.export", "no environment here"},
		{"two jobs", "/v1/jobs", specifiedJob + "---" + specifiedJob, 400, "", "only one"},
		{"no job", "/v1/jobs", "# nothing\n", 400, "", "no job"},
		{"nothing to run", "/v1/jobs", "details: {runtime_estimate: 5}\n", 400, "argv", ""},
		{"not YAML", "/v1/quotes", "details: [\n", 400, "", ""},
		{"where none is taken", "/v1/jobs/1/cancel", specifiedJob, 415, "", "application/json"},
	} {
		a := w.ask("alice", "POST", c.path, c.body, "Content-Type", "application/yaml")
		p := a.problem(t)
		if a.status != c.status || p.Field != c.field || !strings.Contains(p.Detail, c.detail) {
			t.Errorf("%s: %d %+v", c.name, a.status, p)
		}
	}
}
