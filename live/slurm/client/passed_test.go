package client

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestWhatIsPassedIsInEveryForm(t *testing.T) {
	s := Submission{Nodes: []string{"n1"}, CPUs: 1, MailType: "end,ALL", MailUser: "a@b.org", Signal: "B:SIGUSR1@90"}
	if flags := s.flags(); !slices.Contains(flags, "--mail-type=end,ALL") || !slices.Contains(flags, "--mail-user=a@b.org") || !slices.Contains(flags, "--signal=B:SIGUSR1@90") {
		t.Errorf("%q", flags)
	}
	for want, form := range map[string]any{
		`"mail_type":"end,ALL","mail_user":"a@b.org"`: first{}.submission(&s, nil),
		`"mail_type":["END","BEGIN","END","FAIL","REQUEUE","INVALID_DEPENDENCY","STAGE_OUT"],"mail_user":"a@b.org","kill_warning_signal":"USR1",` +
			`"kill_warning_delay":{"set":true,"infinite":false,"number":90},"kill_warning_flags":["BATCH_JOB"]`: second{}.submission(&s, nil),
	} {
		text, err := json.Marshal(form)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s, %v", want, text, err)
		}
	}
	none := Submission{Nodes: []string{"n1"}, CPUs: 1}
	text, err := json.Marshal(second{}.submission(&none, nil))
	if err != nil || strings.Contains(string(text), "mail") || strings.Contains(string(text), "kill_warning") {
		t.Errorf("nothing was said: %s, %v", text, err)
	}
}
