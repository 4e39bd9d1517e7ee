package client

import (
	"slices"
	"testing"
)

// Who may be put back is handed in so, and taken over so; how often that was done squeue says.
func TestRequeueing(t *testing.T) {
	for requeue, want := range map[bool]string{true: "--requeue", false: "--no-requeue"} {
		s := Submission{Requeue: requeue}
		if flags := s.flags(); !slices.Contains(flags, want) || slices.Contains(flags, "--requeue") != requeue {
			t.Errorf("%v: %q", requeue, flags)
		}
	}
	c, told := scripted(t, "")
	if err := c.Adopt(t.Context(), 7, Submission{Comment: "libra:x", Requeue: true, Again: true}); err != nil || told() != "scontrol update jobid=7 comment=libra:x requeue=1 starttime=now\n" {
		t.Errorf("%v: %q", err, told())
	}
	c, told = scripted(t, "")
	if err := (&rest{killer: c}).Detain(t.Context(), 7); err != nil || told() != "scontrol hold 7\n" {
		t.Errorf("%v: %q", err, told())
	}
	for said, want := range map[string]struct {
		restarts int
		remark   string
		fails    bool
	}{
		"2               libra: start 2 (job 9)   ": {2, "libra: start 2 (job 9)", false},
		"0               (null)     ":               {0, "", false},
		"":                                          {0, "", true},
		"x y":                                       {0, "", true},
	} {
		if restarts, remark, err := readRestarts(7, said); restarts != want.restarts || remark != want.remark || (err != nil) != want.fails {
			t.Errorf("%q: %d, %q, %v", said, restarts, remark, err)
		}
	}
	c, told = scripted(t, "")
	if _, _, err := (&rest{killer: c}).Restarts(t.Context(), 7); err == nil || told() != "squeue --noheader --all --states=all --jobs=7 --Format=restartcnt:16,admin_comment:200\n" {
		t.Errorf("nothing is said, %v: %q", err, told())
	}
	if _, _, err := (&rest{}).Restarts(t.Context(), 7); err == nil {
		t.Error("without commands it is counted")
	}
}
