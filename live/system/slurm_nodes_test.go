package system_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// Jobs that say on which nodes they are to be are there, by name and by the features that
// Slurm knows of, and are told the same as by sbatch.
func jobsAreOnTheirNodes(t *testing.T) {
	b := newSite(t, slurmtest.Options{Nodes: 3, CPUs: 2}, terms{}, 0.9)
	b.user("root", 100_000)
	b.write("job.sh", script)
	n := b.slurm.Nodes
	for node, features := range map[string]string{n[1]: "fast", n[2]: "fast,ib"} {
		if out, err := b.slurm.Run(t.Context(), "scontrol", "update", "nodename="+node, "availablefeatures="+features, "activefeatures="+features); err != nil {
			t.Fatal(err, out)
		}
		until(t, features, func() bool {
			v, err := b.node(b.agents[node])
			return err == nil && v.Features == features && v.Up
		})
	}
	run := func(argv ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), append(b.slurm.Env(), "LIBRA_SERVER="+b.url, "LIBRA_TOKEN="+strings.TrimSpace(text(t, b.at("owner.token"))))...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	shapes := []string{
		"-w " + n[1], "-w " + n[0] + "," + n[2], "-w " + n[1] + "," + n[2] + " -n 4", "-w " + n[2] + " -n 2",
		"-x " + n[0] + "," + n[1], "-C ib", "-C fast&ib -n 2", "-C fast -x " + n[2], "-N 2 -C fast",
	}
	for _, by := range [][]string{{binary(), "sbatch", "--deadline=now+2hours", "-o", "sold"}, {"sbatch", "-p", slurmtest.PlainPartition, "-o", "plain"}} {
		for i, shape := range shapes {
			argv := append([]string{}, by...)
			argv[len(argv)-1] += fmt.Sprint(i)
			argv = append(append(argv, "-J", "shape", "-D", b.dir), strings.Fields(shape)...)
			if out, err := run(append(argv, "-W", "job.sh")...); err != nil {
				t.Fatalf("%v: %v: %s", argv, err, out)
			}
		}
	}
	for i, shape := range shapes {
		want, got := apart(text(t, b.at(fmt.Sprint("plain", i)))), apart(text(t, b.at(fmt.Sprint("sold", i))))
		if got != want || !strings.Contains(want, "SLURM_JOB_NODELIST=") {
			t.Errorf("%q through the market: %s", shape, difference(want, got))
		}
	}
	for options, words := range map[string]string{
		"-w nobody": "no node is called nobody", "-C gpu": "no node has the feature gpu: there are fast, ib",
		"-C ib -n 3": "the nodes that it may be on have 2",
	} {
		argv := append([]string{binary(), "sbatch", "--deadline=now+2hours"}, strings.Fields(options)...)
		if out, err := run(append(argv, "job.sh")...); err == nil || !strings.Contains(out, words) {
			t.Errorf("%s: %v: %s", options, err, out)
		}
	}
	b.verify()
}
