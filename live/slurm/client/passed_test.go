package client

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestWhatIsPassedIsAnOption(t *testing.T) {
	s := Submission{Nodes: []string{"n1"}, CPUs: 1, MailType: "end,ALL", MailUser: "a@b.org", Signal: "B:SIGUSR1@90", Licenses: "fluent:2", QOS: "high"}
	if flags := s.flags(); !slices.Contains(flags, "--mail-type=end,ALL") || !slices.Contains(flags, "--mail-user=a@b.org") || !slices.Contains(flags, "--signal=B:SIGUSR1@90") || !slices.Contains(flags, "--licenses=fluent:2") || !slices.Contains(flags, "--qos=high") {
		t.Errorf("%q", flags)
	}
	none := Submission{Nodes: []string{"n1"}, CPUs: 1}
	if flags := none.flags(); slices.ContainsFunc(flags, func(f string) bool {
		return f == "--signal=" || f == "--mail-type=" || f == "--mail-user=" || f == "--licenses=" || f == "--qos="
	}) {
		t.Errorf("nothing was said: %q", flags)
	}
}

// A QOS is told to slurmrestd, too, and where none is named nothing of it is said: what is handed in
// is what it was before there were any, and so is what is remembered of it.
func TestAQOSIsSaid(t *testing.T) {
	for _, shape := range []interface {
		submission(s *Submission, env []string) any
	}{first{}, second{}} {
		for name, want := range map[string]bool{"": false, "high": true} {
			s := Submission{Nodes: []string{"n1"}, CPUs: 1, QOS: name}
			said, err := json.Marshal(shape.submission(&s, nil))
			kept, wrong := json.Marshal(&s)
			if err != nil || wrong != nil || strings.Contains(string(said), `"qos":"high"`) != want || strings.Contains(string(said), "qos") != want || strings.Contains(string(kept), "QOS") != want {
				t.Errorf("%q: %s, %s, %v", name, said, kept, err)
			}
		}
	}
}
