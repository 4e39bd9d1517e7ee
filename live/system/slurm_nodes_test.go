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
		"-x " + n[0] + "," + n[1], "-C ib", "-C fast&ib -n 2", "-C fast -x " + n[2], "-N 2 -C fast", "-n 2", "-n 4",
		"--exclusive -w " + n[1], "--exclusive -n 1 -w " + n[1], "--exclusive -n 3 -w " + n[1] + "," + n[2], "--mem=0 -w " + n[1], "--exclusive --mem=0 -c 2 -w " + n[2],
	}
	arrays := []string{"-a 1-3 -n 2", "-a 1-3 -c 2 --mem=200", "-a 1-3 --exclusive -n 1", "-a 1-3%2 --mem=0"}
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
	b.write("elements.sh", "#!/bin/bash\n#SBATCH -t 1\n"+ofElements+"\nsrun sh -c 'echo \"at home: $([ $SLURMD_NODENAME = $SLURM_JOB_NODELIST ]; echo $?)\"' 2>/dev/null\nsrun --exclusive -n 1 echo step 2>/dev/null\n")
	for i, shape := range arrays {
		for _, by := range [][]string{{binary(), "sbatch", "--deadline=now+2hours", "-o", "sold-of"}, {"sbatch", "-p", slurmtest.PlainPartition, "-o", "plain-of"}} {
			argv := append([]string{}, by...)
			argv[len(argv)-1] += fmt.Sprintf("%d-%%a", i)
			argv = append(append(argv, "-J", "array", "-D", b.dir), strings.Fields(shape)...)
			if out, err := run(append(argv, "-W", "elements.sh")...); err != nil {
				t.Fatalf("%v: %v: %s", argv, err, out)
			}
		}
		for element := 1; element <= 3; element++ {
			want, got := text(t, b.at(fmt.Sprintf("plain-of%d-%d", i, element))), text(t, b.at(fmt.Sprintf("sold-of%d-%d", i, element)))
			if got != want || !strings.Contains(want, "at home: 0\n") || strings.Contains(want, "at home: 1\n") {
				t.Errorf("%q, element %d, through the market: %s\nin all %s", shape, element, difference(want, got), got)
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
		"-C ib -n 3": "the nodes that it may be on have 2", "--exclusive -c 3": "no node that is up and that it may be on has as much: there are 3 of 2 processors", "-a 1-2 -n 3": "each element of its array asks for 3 processors of one node",
		"-a 1-2 -N 2": "the tasks of an element of an array are on one node",
	} {
		argv := append([]string{binary(), "sbatch", "--deadline=now+2hours"}, strings.Fields(options)...)
		if out, err := run(append(argv, "job.sh")...); err == nil || !strings.Contains(out, words) {
			t.Errorf("%s: %v: %s", options, err, out)
		}
	}
	b.verify()
}
