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
	if r := h.Request; r.Processors != 6 || r.Name != "c" || r.EstimateMS != 3_600_000 || r.Output != "slurm-%j.out" {
		t.Errorf("%+v", r)
	}
	h = directive.New(directive.Place{})
	if err := h.ReadSbatch("job.sh", script, []string{"-J", "c"}); err != nil || h.Request.Processors != 9 || h.Request.MemoryMB != 50 {
		t.Errorf("%+v, %v", h.Request, err)
	}
	if err := directive.New(directive.Place{}).ReadSbatch("job.sh", script, []string{"--gres=gpu"}); err == nil || strings.Contains(err.Error(), ":0:") {
		t.Errorf("a device: %v", err)
	}
}
