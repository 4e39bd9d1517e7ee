package client

import (
	"slices"
	"testing"
)

func TestWhatIsPassedIsAnOption(t *testing.T) {
	s := Submission{Nodes: []string{"n1"}, CPUs: 1, MailType: "end,ALL", MailUser: "a@b.org", Signal: "B:SIGUSR1@90", Licenses: "fluent:2"}
	if flags := s.flags(); !slices.Contains(flags, "--mail-type=end,ALL") || !slices.Contains(flags, "--mail-user=a@b.org") || !slices.Contains(flags, "--signal=B:SIGUSR1@90") || !slices.Contains(flags, "--licenses=fluent:2") {
		t.Errorf("%q", flags)
	}
	none := Submission{Nodes: []string{"n1"}, CPUs: 1}
	if flags := none.flags(); slices.ContainsFunc(flags, func(f string) bool {
		return f == "--signal=" || f == "--mail-type=" || f == "--mail-user=" || f == "--licenses="
	}) {
		t.Errorf("nothing was said: %q", flags)
	}
}
