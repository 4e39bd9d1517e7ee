package client

import (
	"encoding/json"
	"errors"
	"testing"
)

// How long a job was suspended, by what squeue and slurmrestd say of it at 200.
func TestPaused(t *testing.T) {
	for name, c := range map[string]struct {
		state, ended, ran string
		rest              string
		want              int64
	}{
		"it runs":                    {"RUNNING", "900", "1:40", `"suspend_time": 0, "pre_sus_time": 0`, 0},
		"Slurm counts whole seconds": {"RUNNING", "900", "1:39", `"suspend_time": 0, "pre_sus_time": 0`, 0},
		"suspended":                  {"SUSPENDED", "900", "0:30", `"suspend_time": 130, "pre_sus_time": 30`, 70},
		"just suspended":             {"SUSPENDED", "900", "1:39", `"suspend_time": 199, "pre_sus_time": 99`, 1},
		"resumed":                    {"RUNNING", "900", "1:00", `"suspend_time": 170, "pre_sus_time": 30`, 40},
		"over":                       {"COMPLETED", "190", "0:50", `"suspend_time": 170, "pre_sus_time": 30`, 40},
		"never begun":                {"PENDING", "0", "0:00", `"suspend_time": 0, "pre_sus_time": 0`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			line := row("1", c.state, "x")
			line[8], line[9], line[10] = "100", c.ended, c.ran
			sep := separator()
			jobs, err := readJobs(listing(sep, line), sep, 200)
			if err != nil || len(jobs) != 1 || jobs[0].Paused != c.want {
				t.Errorf("squeue: %+v, %v, want %d", jobs, err, c.want)
			}
			var answer jobsAnswer
			text := `{"jobs": [{"job_id": 1, "partition": "libra", "job_state": "` + c.state + `", "start_time": 100, "end_time": ` + c.ended + `, ` + c.rest + `}]}`
			if err = json.Unmarshal([]byte(text), &answer); err != nil {
				t.Fatal(err)
			}
			if jobs, err = answer.read("libra", 200); err != nil || len(jobs) != 1 || jobs[0].Paused != c.want {
				t.Errorf("slurmrestd: %+v, %v, want %d", jobs, err, c.want)
			}
		})
	}
	for text, want := range map[string]int64{"": 0, "N/A": 0, "0:05": 5, "2:03": 123, "1:00:01": 3601, "2-01:00:00": 176400} {
		if got, err := readSpan(text); err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, bad := range []string{"x", "1:2:3:4", "-5", "1-x"} {
		if _, err := readSpan(bad); !errors.Is(err, errListing) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
