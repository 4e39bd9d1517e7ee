package main

import (
	"slices"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// What a job of plain sbatch says of its terms changes nothing of what Slurm will give it: one
// that has two GPUs there, and licences, is not sold one, or none, and one that is in no
// reservation there is not sold nodes of one, on which Slurm would never begin it.
func TestTermsOfAGuestAreNotWhatItNeeds(t *testing.T) {
	var d slurmDesk
	g := client.Guest{
		ID: 7, Nodes: "1", Processors: 2, MemoryMB: 512, QOS: "high", Limit: 10 * time.Minute, Dir: "/home/alice", Nodelist: "n1",
		Options: []string{"--constraint=fast", "--licenses=fluent:9", "--exclude=n2", "--gres=gpu:a100:2"}, Script: "#!/bin/sh\n",
	}
	for _, less := range []string{"gpus=0", "gpus=1", "gpus=old:2", "constraint=slow", "constraint=", "exclude=n3", "nodelist=n2", "reservation=course", "qos=low", "qos=", "env=" + task.Licenses + "=fluent:1", "env=" + task.Licenses + "=", "procs=2", "threads=1", "array=1-4", "begin=now"} {
		for _, inScript := range []bool{false, true} {
			g, terms := g, "budget=7;"+less
			if inScript {
				g.Script, terms = "#!/bin/sh\n#LIBRA budget=7 "+less+"\n", ""
			}
			r, _, err := d.Ask("alice", g, terms)
			if err != nil {
				continue // it is not sold at all
			}
			some, err := task.LicensesOf(r.Env)
			if err != nil || some["fluent"] != 9 || r.GPUs != 2 || r.GPUKind != "a100" || r.Constraint != "fast" || !slices.Equal(r.Exclude, []string{"n2"}) || !slices.Equal(r.Nodelist, []string{"n1"}) || r.Reservation != "" || r.QOS != "high" {
				t.Errorf("%s (in its script: %v): sold as %d GPUs %s, %v, %q, without %v, on %v, in %q, %v", less, inScript, r.GPUs, r.GPUKind, r.Env, r.Constraint, r.Exclude, r.Nodelist, r.Reservation, err)
			}
		}
	}
}
