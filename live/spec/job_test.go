package spec

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
)

func readFile(t *testing.T, name string) []Job {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	jobs, err := ReadJobs(name, f)
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

func TestFirstJob(t *testing.T) {
	job := readFile(t, "first-job.yaml")[0]
	got, err := job.Market()
	if err != nil {
		t.Fatal(err)
	}
	want := market.Job{
		Name: "hello", Width: 1, Estimate: 600,
		SLA: market.SLA{Deadline: 3600, Budget: 25},
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if want := []string{"sh", "-c", "./simulate --steps 1000"}; !reflect.DeepEqual(job.Details.Command, want) {
		t.Errorf("command %q, want %q", job.Details.Command, want)
	}
}

func TestParallelSoftJob(t *testing.T) {
	job := readFile(t, "parallel-soft.yaml")[0]
	got, err := job.Market()
	if err != nil {
		t.Fatal(err)
	}
	want := market.Job{
		Name: "ensemble-7", Owner: "ada", Width: 64, Estimate: 9000, Optional: 1200,
		Memory: 4295, Disk: 500, Objective: market.Cheapest,
		SLA: market.SLA{Deadline: 86400, Soft: true, Budget: 1250.75, Penalty: 0.002},
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	extra := map[string]any{"workflow": map[string]any{
		"after":         []any{"fetch-7", "mesh-7"},
		"retries":       json.Number("3"),
		"share_of_cost": json.Number("0.10"),
	}}
	if !reflect.DeepEqual(job.Extra, extra) {
		t.Errorf("extra %#v, want %#v", job.Extra, extra)
	}
}

func TestBatch(t *testing.T) {
	jobs := readFile(t, "batch.json")
	if len(jobs) != 2 || jobs[0].Details.Name != "one 😀" || jobs[1].Details.Estimate != 60 {
		t.Errorf("got %+v", jobs)
	}
	if got := jobs[1].QoS; got.Deadline != market.Never || got.Budget != 0.000001 {
		t.Errorf("got %+v", got)
	}

	documents := "# nothing yet\n---\ndetails: {runtime_estimate: 1}\n---\ndetails: {runtime_estimate: 2}\n---\n"
	jobs, err := ReadJobs("batch.yaml", strings.NewReader(documents))
	if err != nil || len(jobs) != 2 || jobs[1].Details.Estimate != 2 {
		t.Errorf("got %+v, %v", jobs, err)
	}
}

func TestDefaults(t *testing.T) {
	job, err := ReadJob("job.yaml", strings.NewReader("details: {runtime_estimate: 1}\nqos:\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultJob()
	want.Details.Estimate = 1
	if !reflect.DeepEqual(job, want) {
		t.Errorf("got %+v, want %+v", job, want)
	}
}

func TestNoneIsAnAnswer(t *testing.T) {
	text := "details: {runtime_estimate: 1}\nqos: {deadline: none, budget: unlimited}\n"
	job, err := ReadJob("job.yaml", strings.NewReader(text))
	if err != nil || job.QoS != DefaultJob().QoS {
		t.Errorf("got %+v, %v", job.QoS, err)
	}
}

func TestEncode(t *testing.T) {
	const want = `details:
  name: ensemble-7
  user: ada
  command: [mpirun, ./ensemble, --members, "64"]
  runtime_estimate: 2h30m
  optional_work: 20m
resources:
  processors: 64
  memory: 4295
  disk: 500
qos:
  deadline: 1d
  deadline_type: soft
  budget: 1250.75
  penalty_rate: 0.002
optimise: cheapest
workflow:
  after:
    - fetch-7
    - mesh-7
  retries: 3
  share_of_cost: 0.10
`
	job := readFile(t, "parallel-soft.yaml")[0]
	var got bytes.Buffer
	if err := job.Encode(&got); err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestEncodeBatch(t *testing.T) {
	for _, name := range []string{"first-job.yaml", "parallel-soft.yaml", "batch.json"} {
		jobs := readFile(t, name)
		var text bytes.Buffer
		if err := EncodeJobs(&text, jobs...); err != nil {
			t.Fatal(err)
		}
		again, err := ReadJobs("again.yaml", &text)
		if err != nil || !reflect.DeepEqual(again, jobs) {
			t.Errorf("%s: got %+v, %v\nwant %+v", name, again, err, jobs)
		}
	}
}

func TestFromJob(t *testing.T) {
	want := market.Job{
		Name: "x", Owner: "ada", Width: 3, Estimate: 1.5, Optional: 2, Memory: 7, Disk: 9, Objective: market.Fastest,
		SLA: market.SLA{Deadline: 100.25, Budget: 0.1, Penalty: 1e-9, Soft: true},
	}
	job := FromJob(want)
	var text bytes.Buffer
	if err := job.Encode(&text); err != nil {
		t.Fatal(err)
	}
	again, err := ReadJob("again.yaml", &text)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Market(); err != nil || got != want {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

func TestExtraMadeByProgram(t *testing.T) {
	job := DefaultJob()
	job.Extra = map[string]any{"notify": struct {
		To    string `json:"to"`
		Times int    `json:"times"`
	}{"yes", 3}}
	var text bytes.Buffer
	if err := job.Encode(&text); err != nil {
		t.Fatal(err)
	}
	const want = "details:\n  runtime_estimate: 0\nnotify:\n  times: 3\n  to: \"yes\"\n"
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}

	job.Extra = map[string]any{"notify": func() {}}
	if err := job.Encode(&text); err == nil || err.Error() != "notify: json: unsupported type: func()" {
		t.Errorf("got %v", err)
	}
	job.Extra = map[string]any{"qos": 1}
	if err := job.Encode(&text); err == nil || err.Error() != "qos: a known segment is not an extra one" {
		t.Errorf("got %v", err)
	}
}

func TestOddNumbersStayAsTheyAreWritten(t *testing.T) {
	text := "details: {runtime_estimate: 1}\nodd: [0644, 1_000, .inf, 1e3, 2026-01-02, yes, True, ~, 123456789012345678901234567890]\n"
	job, err := ReadJob("job.yaml", strings.NewReader(text))
	want := []any{"0644", "1_000", ".inf", json.Number("1e3"), "2026-01-02", "yes", true, nil, json.Number("123456789012345678901234567890")}
	if err != nil || !reflect.DeepEqual(job.Extra["odd"], want) {
		t.Errorf("got %#v, %v", job.Extra["odd"], err)
	}
}
