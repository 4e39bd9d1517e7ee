package plugin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// Srun in a job is told where the tasks are that its script names, and they see nothing of it; one
// that says itself where its tasks are, or is in another job, is left alone. Steps begin before those
// before them are all gone: they share what the job has.
func TestSpankTellsSrun(t *testing.T) {
	c := slurmtest.Start(t, slurmtest.Options{Nodes: 2, CPUs: 4, NoRest: true})
	a, b := c.Nodes[0], c.Nodes[1]
	if a > b {
		a, b = b, a
	}
	out := filepath.Join(c.Dir, "log", "steps")
	script := strings.NewReplacer("A*", a+"*", "B*", b+"*").Replace(`#!/bin/bash
unset SLURM_NTASKS_PER_NODE SLURM_NPROCS
export SLURM_NTASKS=4
say() {
	echo "== $1"; shift
	"$@" sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME ${SLURM_HOSTFILE-no} ${SLURM_DISTRIBUTION-no} ${SLURM_OVERLAP-no} $(env | grep -c LIBRA_HAD_)${SIZES:+ $SLURM_CPUS_ON_NODE ${SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_0-$SLURM_JOB_CPUS_PER_NODE}}${CPUS:+ $SLURM_CPUS_ON_NODE}"' 2>&1 | sort
}
say plain srun --overlap
echo "steps $LIBRA_STEPS"
export LIBRA_STEP_JOB=$SLURM_JOB_ID LIBRA_STEP_HOSTFILE='A*1,B*3' LIBRA_STEP_DISTRIBUTION=arbitrary LIBRA_STEP_OVERLAP=1
say all srun --overlap --mpi none -l
say "as many" srun --overlap -n4
export SIZES=yes SLURM_JOB_CPUS_PER_NODE=1,3
say "sizes" srun --overlap
SIZES= CPUS=1 say "sizes of some" srun --overlap -n 2
saved=$LIBRA_STEP_HOSTFILE
unset LIBRA_STEP_HOSTFILE
export LIBRA_STEP_SIZE=1 SLURM_NTASKS=3 SLURM_JOB_CPUS_PER_NODE=2,1
say "more than they need" srun --overlap
SIZES= CPUS=1 say "some of these" srun --overlap -n 2
unset SIZES LIBRA_STEP_SIZE
export LIBRA_STEP_HOSTFILE=$saved SLURM_NTASKS=4
export SLURM_DISTRIBUTION=cyclic
say "its own distribution" srun --overlap
say "on its command line" srun --overlap -m block
say "one on each" srun --overlap -N 2 --ntasks 2
say "a node" srun --overlap -n 1 -N1 -w ` + b + `
LIBRA_STEP_JOB=99
say "another job" srun --overlap
unset SLURM_DISTRIBUTION
LIBRA_STEP_JOB=$SLURM_JOB_ID LIBRA_STEP_HOSTFILE='B*2'
export SLURM_NTASKS=2
say "an element" srun --overlap
say "one of its tasks" srun --overlap -n 1
srun --overlap -N 1 -n 1 true && srun --overlap --nodes=1 --ntasks=1 true && echo "on a node"
unset LIBRA_STEP_JOB
say "two tasks on a node" srun --overlap -N1 -w ` + a + `
say "one task" srun --overlap -N1 -n 1 -w ` + a + `
echo end
`)
	file := filepath.Join(c.Dir, "log", "job.sh")
	if err := os.WriteFile(file, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if said, err := c.Run(t.Context(), "sbatch", "-p", "libra", "-N", "2", "--ntasks-per-node=3", "--export=ALL,LIBRA_STEPS=no", "-o", out, file); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var text string
	eventually(t, "the job ends", func() error {
		read, err := os.ReadFile(out)
		if text = string(read); err == nil && !strings.HasSuffix(text, "end\n") {
			err = fmt.Errorf("it said %q", text)
		}
		return err
	})
	lines := func(how, nodes string) string {
		said := ""
		for i, node := range strings.Fields(strings.NewReplacer("a", a, "b", b).Replace(nodes)) {
			said += fmt.Sprintf("%d %s no %s 0\n", i, node, how)
		}
		return said
	}
	sized := func(lines string, sizes ...string) string {
		said := ""
		for i, line := range strings.Split(strings.TrimSpace(lines), "\n") {
			said += line + " " + sizes[i] + "\n"
		}
		return said
	}
	labelled := ""
	for i, line := range strings.SplitAfter(lines("block no", "a b b b"), "\n") {
		if line != "" {
			labelled += fmt.Sprintf("%d: %s", i, line)
		}
	}
	want := "== plain\n" + lines("block no", "a a b b") + "steps yes\n== all\n" + labelled + "== as many\n" + lines("block no", "a b b b") +
		"== sizes\n" + sized(lines("block no", "a b b b"), "1 1,3", "3 1,3", "3 1,3", "3 1,3") + "== sizes of some\n" + sized(lines("cyclic no", "a b"), "3", "3") +
		"== more than they need\n" + sized(lines("block no", "a a b"), "2 2,1", "2 2,1", "1 2,1") + "== some of these\n" + sized(lines("cyclic no", "a b"), "3", "3") +
		"== its own distribution\n" + lines("cyclic no", "a b b b") + "== on its command line\n" + lines("block no", "a a b b") +
		"== one on each\n" + lines("cyclic no", "a b") + "== a node\n" + lines("cyclic no", "b") + "== another job\n" + lines("cyclic no", "a b a b") +
		"== an element\n" + lines("block no", "b b") + "== one of its tasks\n" + lines("cyclic no", "b") + "on a node\n" +
		"== two tasks on a node\n" + lines("block no", "a a") + "== one task\n" + lines("cyclic no", "a") + "end\n"
	if text != want {
		t.Errorf("it said\n%s\nwant\n%s", text, want)
	}
}
