package directive_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/directive"
)

func TestACommandLineOfSbatch(t *testing.T) {
	own := func(name string) (mine, value bool) {
		return name == "--server" || name == "--quiet", name == "--server"
	}
	c, err := directive.SplitSbatch([]string{"-n", "4", "--server", "x", "-t5", "--mem=2G", "--quiet", "--exclusive", "job.sh", "-n", "7"}, own)
	if err != nil || !slices.Equal(c.Options, []string{"-n", "4", "-t5", "--mem=2G", "--exclusive"}) ||
		!slices.Equal(c.Own, []string{"--server", "x", "--quiet"}) || !slices.Equal(c.Args, []string{"job.sh", "-n", "7"}) {
		t.Errorf("%+v, %v", c, err)
	}
	for _, args := range [][]string{{"--nodse=3"}, {"-n"}, {"--server"}, {"-Z"}} {
		if _, err := directive.SplitSbatch(args, own); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
	// The command line beats #LIBRA lines, and those #SBATCH lines.
	h := directive.New(directive.Place{})
	script := "#!/bin/sh\n#SBATCH -n 2 -c 2 -t 10 -J a --mem-per-cpu=100\n#LIBRA procs=9 name=b estimate=1h memory=50M\n"
	if err := h.ReadSbatch("job.sh", script, []string{"-n", "3", "-J", "c"}); err != nil {
		t.Fatal(err)
	}
	if r := h.Request; r.Processors != 6 || r.Name != "c" || r.EstimateMS != 3_600_000 || r.Output != "slurm-%b.out" {
		t.Errorf("%+v", r)
	}
	h = directive.New(directive.Place{})
	if err := h.ReadSbatch("job.sh", script, []string{"-J", "c"}); err != nil || h.Request.Processors != 9 || h.Request.MemoryMB != 50 {
		t.Errorf("%+v, %v", h.Request, err)
	}
	if err := directive.New(directive.Place{}).ReadSbatch("job.sh", script, []string{"--gres=nic"}); err == nil || strings.Contains(err.Error(), ":0:") {
		t.Errorf("a device: %v", err)
	}
}

// A number is what sbatch has printed: of the batch system, unless it says that it is
// Libra's. In a script for libra submit it is what that has printed.
func TestWhoseNumbersAJobWaitsFor(t *testing.T) {
	for _, c := range []struct {
		options        []string
		script         string
		after, printed []int64
	}{
		{options: []string{"-d", "afterok:7:8,afterok:libra:3:9"}, after: []int64{3}, printed: []int64{7, 8, 9}},
		{options: []string{"-dafterok:libra:3"}, after: []int64{3}},
		{script: "#SBATCH -d afterok:7\n", options: []string{"-d", "afterok:8"}, printed: []int64{8}},
		{script: "#SBATCH -d afterok:7\n#LIBRA after=5\n", after: []int64{5}},
	} {
		h := directive.New(directive.Place{})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\n"+c.script, c.options); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(h.Request.After, c.after) || !slices.Equal(h.Printed.OK, c.printed) {
			t.Errorf("%+v: after %v and, as printed, %v", c, h.Request.After, h.Printed)
		}
	}
	h := directive.New(directive.Place{})
	if err := h.Read("job.sh", "#!/bin/sh\n#SBATCH -d afterok:7:libra:8 -o %j\n"); err != nil || !slices.Equal(h.Request.After, []int64{7, 8}) || !h.Printed.None() || h.Request.Output != "%j" {
		t.Errorf("%+v, %v", h, err)
	}
	for _, wrong := range []string{"afterok:libra", "afterok:libra:", "afterok:", "afterok:slurm:3", "libra:3"} {
		if err := directive.New(directive.Place{}).ReadSbatch("job.sh", "", []string{"-d", wrong}); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}
