package system_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// deviceScript says what it is told of GPUs, and so do its steps.
const deviceScript = `#!/bin/bash
#SBATCH -t 1
env | grep -E 'GPU|CUDA|ROCR|ZE_AFFINITY|^SLURM_(NTASKS|NNODES|TASKS_PER_NODE)' | grep -v ^LIBRA_ | sort
srun sh -c 'echo "task $SLURM_PROCID has $CUDA_VISIBLE_DEVICES of $SLURM_STEP_GPUS"' 2>/dev/null | sort
`

// GPUs that Slurm's nodes have, with no device behind them, are announced with their kinds,
// sold, billed and handed on to Slurm: a script is told of them what sbatch tells it. What
// jobs of other partitions hold is not sold.
func gpusAreSold(t *testing.T) {
	b := newSite(t, slurmtest.Options{Nodes: 2, CPUs: 4, GPUs: []string{"a100:2", "v100:1"}}, terms{rates: "{processor_hour: 3600, gpu_hour: 7200}"}, 0.9)
	b.user("root", 1_000_000)
	ctx := t.Context()
	free := func(want int) {
		t.Helper()
		until(t, fmt.Sprintf("%d GPUs to be free", want), func() bool {
			sum := 0
			for _, w := range b.agents {
				n, err := b.node(w)
				if err != nil || n.GPUs != 3 || n.GPUKind != "a100:2,v100:1" {
					return false
				}
				sum += n.FreeGPUs
			}
			return sum == want
		})
	}
	free(6)
	b.write("job.sh", deviceScript)
	command := func(argv ...string) (string, error) {
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), append(b.slurm.Env(), "LIBRA_SERVER="+b.url, "LIBRA_TOKEN="+strings.TrimSpace(text(t, b.at("owner.token"))), "CUDA_VISIBLE_DEVICES=7")...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	plainly := func(options ...string) string {
		t.Helper()
		out, err := command(append([]string{"sbatch", "--parsable", "-p", slurmtest.PlainPartition}, options...)...)
		if err != nil {
			t.Fatalf("sbatch %v: %v: %s", options, err, out)
		}
		return strings.TrimSpace(out)
	}
	scriptsAreTold(t, b, command)

	// What others hold is not sold, and is when they have gone.
	nodes := strings.Join(b.slurm.Nodes, ",")
	free(6)
	held := plainly("-N", "2", "-w", nodes, "--gres=gpu:a100:2", "--wrap", "sleep 600")
	free(2)
	var no *v1.Problem
	refused := b.shell("true", time.Second)
	refused.GPUs, refused.DeadlineMS = 2, 600_000
	if _, err := b.owner.Submit(ctx, refused, ""); !errors.As(err, &no) || !strings.Contains(no.Detail, "others hold them") {
		t.Errorf("GPUs that others hold: %v", err)
	}
	if out, err := b.slurm.Run(ctx, "scancel", held); err != nil {
		t.Fatal(err, out)
	}
	free(6)

	// Programs of one job have each their own, and it pays for the time it holds them.
	r := b.shell("echo $LIBRA_RANK $LIBRA_NODE $CUDA_VISIBLE_DEVICES $LIBRA_GPUS; sleep 2", 5*time.Second)
	r.Processors, r.GPUs, r.GPUKind, r.DeadlineMS, r.Output = 4, 1, "a100", 600_000, "rank-%r"
	j := b.completed(submit(t, b.owner, r).ID)
	seen := map[string]bool{}
	for rank := range 4 {
		said := strings.Fields(text(t, b.at(fmt.Sprintf("rank-%d", rank))))
		if len(said) != 4 || said[2] != said[3] || !regexp.MustCompile(`^[01]$`).MatchString(said[2]) {
			t.Errorf("rank %d said %q", rank, said)
			continue
		}
		seen[said[1]+" "+said[2]] = true
	}
	if len(seen) != 4 {
		t.Errorf("four programs have %v", seen)
	}
	lines := ""
	for _, l := range j.Receipt.Lines {
		lines += l.What + "\n"
	}
	if !strings.Contains(lines, "GPUs") {
		t.Errorf("the receipt has no GPUs: %s", lines)
	}
	free(6)
	arraysOnOneNode(t, b)
	b.verify()
}

// scriptsAreTold compares what scripts are told of their GPUs through the market and by
// sbatch, one after the other: what one has the other cannot.
func scriptsAreTold(t *testing.T, b *bazaar, command func(...string) (string, error)) {
	t.Helper()
	shapes := []string{
		"--gres=gpu:a100:2", "--gres=gpu:v100", "-n 4 -G a100:2", "-n 2 --gpus-per-task=1", "--gpus-per-task=1 -G 2",
		"-N 2 --ntasks-per-node=4 --gpus-per-node=2", "-N 2 -n 4 -c 2 --gpus-per-task=a100:1", "",
	}
	for _, by := range [][]string{{binary(), "sbatch", "--deadline=now+15minutes", "-o", "sold"}, {"sbatch", "-p", slurmtest.PlainPartition, "-o", "plain"}} {
		for i, shape := range shapes {
			argv := append(slices.Clone(by[:len(by)-1]), fmt.Sprint(by[len(by)-1], i))
			if out, err := command(append(append(argv, strings.Fields(shape)...), "-W", "job.sh")...); err != nil {
				t.Fatalf("%v %s: %v: %s", by, shape, err, out)
			}
		}
	}
	own := regexp.MustCompile(`^$`)
	if slurmtest.Modern() { // it says it by SLURM_TRES_PER_TASK
		own = regexp.MustCompile(`(?m)^SLURM_GPUS_PER_TASK=.*\n`)
	}
	for i, shape := range shapes {
		want, got := text(t, b.at(fmt.Sprint("plain", i))), own.ReplaceAllString(text(t, b.at(fmt.Sprint("sold", i))), "")
		if got != want || shape != "" && !strings.Contains(got, "CUDA_VISIBLE_DEVICES=") {
			t.Errorf("%q through the market: %s", shape, difference(want, got))
		}
	}
}

// arraysOnOneNode has a partition give a job one node: an array is there with all elements that run
// at a time.
func arraysOnOneNode(t *testing.T, b *bazaar) {
	t.Helper()
	ctx := t.Context()
	if out, err := b.slurm.Run(ctx, "scontrol", "update", "partitionname="+slurmtest.Partition, "maxnodes=1"); err != nil {
		t.Fatal(err, out)
	}
	r := b.shell("true", time.Second)
	r.DeadlineMS, r.Array = 3_600_000, &v1.Array{First: 1, Last: 8, Step: 1}
	until(t, "the limit to be known", func() bool { // limits are looked at every other second
		q, err := b.owner.Preview(ctx, r)
		return err == nil && q.Request.Array.Nodes == 1
	})
	j := b.completed(submit(t, b.owner, r).ID)
	if j.Width < 2 || len(j.Places) != j.Width {
		t.Errorf("%d elements at a time, at %v", j.Width, j.Places)
	}
	for _, p := range j.Places {
		if p.Node != j.Places[0].Node {
			t.Errorf("they are on several nodes: %v", j.Places)
		}
	}
}
