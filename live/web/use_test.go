package web

import (
	"slices"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// What a job took, and how it ended, is said in words.
func TestHowAJobRan(t *testing.T) {
	v := &jobView{rowView: rowView{Job: v1.Job{
		StartedUS: 1_000_000, EndedUS: 9_500_000,
		Tasks: []v1.TaskStatus{
			{State: v1.TaskEnded, CPUUS: 3_000_000, DeclinedUS: 500_000, PeakBytes: 5<<20 + 1},
			{State: v1.TaskEnded, CPUUS: 2_000_000, PeakBytes: 2 << 20, Exit: 127},
			{State: v1.TaskEnded},
		},
		Request: v1.Request{Argv: []string{"sh", "-c", "echo it's; ls *"}},
	}}}
	if got, want := v.Use(), (use{UsedMS: 5000, GrantedMS: 5500, DeclinedMS: 500, PeakMB: 6, Measured: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := v.TookMS(); got != 8500 {
		t.Errorf("it took %d ms", got)
	}
	want := []string{"2 tasks: by itself, without an error (exit status 0)", "1 task: a command in it was not found (exit status 127)"}
	if got := v.Ends(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := v.Command(); got != `sh -c 'echo it'\''s; ls *'` {
		t.Errorf("the command is %s", got)
	}
	for want, task := range map[string]v1.TaskStatus{
		"it wanted more memory than it had, and was ended": {OOM: true, Signal: "SIGKILL"},
		"a signal ended it (SIGTERM)":                      {Signal: "SIGTERM", State: v1.TaskEnded},
		"no such program: /bin/foo":                        {Error: "no such program: /bin/foo"},
		"by itself, with an error (exit status 3)":         {Exit: 3, State: v1.TaskEnded},
		"": {State: v1.TaskRunning},
	} {
		if got := endWords(&task); got != want {
			t.Errorf("%+v: %q, want %q", task, got, want)
		}
	}
}
