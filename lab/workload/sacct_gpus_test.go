package workload_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/lab/workload"
)

// The GPUs of a job, as many as it asked for or else had, are shared out evenly among its
// processors, if somebody wants to know of them.
func TestSacctHasGPUs(t *testing.T) {
	const head = "JobID|User|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqCPUS|AllocCPUS|ReqTRES|AllocTRES\n"
	line := func(id, procs int, asked, had string) string {
		return fmt.Sprintf("%d|ann|COMPLETED|2026-10-01T00:00:00|2026-10-01T00:00:00|2026-10-01T01:00:00|3600|60|%d|%[2]d|%s|%s\n", id, procs, asked, had)
	}
	text := head +
		line(1, 8, "billing=8,cpu=8,gres/gpu=1,mem=4G,node=1", "billing=8,cpu=8,gres/gpu:a100=1,gres/gpu=1,mem=4G,node=1") +
		line(2, 8, "billing=8,cpu=8,gres/gpu=4", "") +
		line(3, 4, "", "cpu=4,gres/gpu:a100=4,gres/gpu:v100=4") +
		line(4, 3, "cpu=3,gres/gpu:a100=2,gres/gpu=2", "") +
		line(5, 2, "cpu=2,gres/nic=2", "cpu=2")
	for told, want := range map[bool]string{
		true:  "1: 1 for 8 of 8, 2: 1 for 2 of 8, 3: 2 for 1 of 4, 4: 2 for 3 of 3, 5: 0 for 0 of 2, ",
		false: "1: 0 for 0 of 8, 2: 0 for 0 of 8, 3: 0 for 0 of 4, 4: 0 for 0 of 3, 5: 0 for 0 of 2, ",
	} {
		s, err := workload.NewSacct(strings.NewReader(text), "month", time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		if told {
			s.TellGPUs()
		}
		arrivals, err := workload.Load(s)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i := range arrivals {
			j := &arrivals[i].Job
			if err := j.Validate(); err != nil {
				t.Error(err)
			}
			got += fmt.Sprintf("%s: %d for %d of %d, ", arrivals[i].Label(), j.GPUs, j.Threads, j.Width)
		}
		if got != want {
			t.Errorf("told %v:\n%s, want\n%s", told, got, want)
		}
	}
	for _, bad := range []string{"gres/gpu=many", "gres/gpu=-1", "gres/gpu=99999999"} {
		if _, err := workload.NewSacct(strings.NewReader(head+line(1, 1, bad, "")), "month", time.UTC); err == nil || !strings.Contains(err.Error(), "ReqTRES") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
