package spec_test

import (
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/live/spec"
)

// What flags and scripts take for a deadline a file can say too, where somebody hands
// the job in now.
func TestDeadlinesAsPeopleTypeThem(t *testing.T) {
	now := time.Date(2026, 11, 15, 14, 0, 0, 0, time.FixedZone("east", 2*3600))
	for text, want := range map[string]market.Time{
		"5 min": 300, "1:30:00": 5400, "14:30": 1800, "tomorrow 9:00": 19 * 3600, "2026-11-15T14:00:00Z": 2 * 3600, "at 14:00:05": 5, "90": 90, "none": market.Never,
	} {
		jobs, err := spec.ReadJobsAt(now, "job.yaml", strings.NewReader("details: {runtime_estimate: 1}\nqos: {deadline: \""+text+"\"}\n"))
		if err != nil || jobs[0].QoS.Deadline != want {
			t.Errorf("%s: got %v, %v, want %v", text, jobs, err, want)
		}
	}
	for text, want := range map[string]string{
		"2026-11-14T14:00": `job.yaml:1: qos.deadline: "2026-11-14T14:00" is over already`,
		"soon":             `job.yaml:1: qos.deadline: "soon" is not a duration (want seconds, or text such as 2h30m, 5 min, 1:30:00 or 1d)`,
	} {
		_, err := spec.ReadJobsAt(now, "job.yaml", strings.NewReader("{details: {runtime_estimate: 1}, qos: {deadline: \""+text+"\"}}\n"))
		if err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", text, err, want)
		}
	}
}
