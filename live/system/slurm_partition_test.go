package system_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/plugin"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// dear is a second partition of Slurm, which costs three times as much.
const dear = "dear"

// newShops is a market that sells two partitions of Slurm: two nodes of the usual one, and one
// that is dearer.
func newShops(t *testing.T) *bazaar {
	t.Helper()
	slurmtest.Require(t)
	w := terms{
		slurm: slurmtest.Start(t, slurmtest.Options{Nodes: 3, CPUs: 2, Door: true}),
		rates: "{processor_hour: 3600, memory_gb_hour: 36, partitions: {" + dear + ": 3}}",
		serve: []string{"--slurm-partition", slurmtest.Partition + "," + dear},
	}
	n := w.slurm.Nodes
	for _, args := range []string{"update partitionname=" + slurmtest.Partition + " nodes=" + n[0] + "," + n[1], "create partitionname=" + dear + " nodes=" + n[2] + " state=up oversubscribe=force:64 maxtime=infinite"} {
		if out, err := w.slurm.Run(t.Context(), "scontrol", strings.Fields(args)...); err != nil {
			t.Fatal(err, out)
		}
	}
	door, err := plugin.DoorScript(plugin.DoorSettings{Partitions: []string{slurmtest.Partition, dear}, KeyFile: w.slurm.DoorKey})
	if err == nil {
		err = os.WriteFile(filepath.Join(filepath.Dir(w.slurm.Conf), "job_submit.lua"), door, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	b := newBazaar(t, w)
	for _, node := range n {
		b.control(node, 0.9)
	}
	return b
}

// A market sells two partitions of Slurm at two rates: each job runs in its own, on its nodes,
// and every amount of it is by its rate; limits, drained nodes, refusals and what is offered
// are those of the partition, and a controller that is killed goes on with all of it.
func partitionsArePriced(t *testing.T) {
	b := newShops(t)
	b.user("root", 100_000)
	ctx := t.Context()
	run := func(argv ...string) (string, error) {
		within, cancel := context.WithTimeout(ctx, 5*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(within, argv[0], argv[1:]...)
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), append(b.slurm.Env(), "LIBRA_SERVER="+b.url, "LIBRA_TOKEN="+strings.TrimSpace(text(t, b.at("owner.token"))))...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for i, node := range b.slurm.Nodes {
		want := []string{slurmtest.Partition, slurmtest.Partition, dear}[i]
		until(t, node+" to be in "+want, func() bool {
			v, err := b.node(b.agents[node])
			return err == nil && v.Partition == want && v.Up
		})
	}

	// 1. By sbatch, with the option and with a line of the script, or with neither.
	b.write("plain.sh", "#!/bin/sh\n#SBATCH -t 1\necho $SLURM_JOB_PARTITION $SLURM_JOB_NODELIST\n")
	b.write("dear.sh", "#!/bin/sh\n#SBATCH -t 1 -p "+dear+"\necho $SLURM_JOB_PARTITION $SLURM_JOB_NODELIST\n")
	last := dear + " " + b.slurm.Nodes[2]
	for _, c := range []struct{ options, want string }{{"plain.sh", slurmtest.Partition + " "}, {"-p " + dear + " plain.sh", last}, {"dear.sh", last}, {"-p " + slurmtest.Partition + " dear.sh", slurmtest.Partition + " "}} {
		argv := append([]string{binary(), "sbatch", "--deadline=now+1hour", "-W", "-o", "said"}, strings.Fields(c.options)...)
		if out, err := run(argv...); err != nil {
			t.Fatalf("%v: %v: %s", argv, err, out)
		}
		if said := text(t, b.at("said")); !strings.HasPrefix(said, c.want) {
			t.Errorf("%s ran in %q, want %s", c.options, said, c.want)
		}
	}

	// 2. The same job costs three times as much, in its quote, its price, its bill and its memory.
	ask := func(partition string) v1.Request {
		r := b.shell("true", 2*time.Second)
		r.DeadlineMS, r.MemoryMB, r.Partition = 600_000, 512, partition
		return r
	}
	var price, charged, stored [2]int64
	for i, name := range []string{"", dear} {
		q, err := b.owner.Preview(ctx, ask(name))
		if err != nil {
			t.Fatal(err)
		}
		if priced := strings.Contains(q.Worked, ", x 3 in its partition"); priced != (i == 1) {
			t.Errorf("%q: %s", name, q.Worked)
		}
		j := b.completed(submit(t, b.owner, ask(name)).ID)
		if j.Price != q.Price || j.Receipt == nil || j.Storage == nil {
			t.Fatalf("%q: quoted %d: %+v", name, q.Price, j)
		}
		price[i], charged[i], stored[i] = j.Price, j.Charged, j.Storage.Price // what was agreed is charged, used or not
	}
	for what, amounts := range map[string][2]int64{"price": price, "bill": charged, "memory": stored} {
		if off := amounts[1] - 3*amounts[0]; off > 3 || off < -3 || amounts[0] == 0 {
			t.Errorf("%s: %d, and %d in the dear one", what, amounts[0], amounts[1])
		}
	}

	// 3. What is refused, and why.
	refused := func(words string, change func(*v1.Request)) {
		t.Helper()
		until(t, words, func() bool { // limits are looked at every other second
			r := ask(dear)
			change(&r)
			_, err := b.owner.Preview(ctx, r)
			var no *v1.Problem
			return errors.As(err, &no) && strings.Contains(no.Detail, words)
		})
	}
	refused("one of the market's: "+slurmtest.Partition+", "+dear, func(r *v1.Request) { r.Partition = slurmtest.PlainPartition })
	refused("it asks for 3 processors, and partition dear has 2", func(r *v1.Request) { r.Processors = 3 })
	if out, err := b.slurm.Run(ctx, "scontrol", "update", "partitionname="+dear, "maxtime=20"); err != nil {
		t.Fatal(err, out)
	}
	refused("MaxTime of partition "+dear, func(r *v1.Request) { r.DeadlineMS = 3600_000 })
	long := ask("")
	long.DeadlineMS = 3600_000
	if _, err := b.owner.Preview(ctx, long); err != nil {
		t.Errorf("an hour in the other partition: %v", err)
	}

	// 4. One job in each, over the death of the controller.
	first, second := ask(""), ask(dear)
	first.Argv, second.Argv = []string{"sh", "-c", untilTold}, []string{"sh", "-c", untilTold}
	first.EstimateMS, second.EstimateMS = 60_000, 60_000
	jobs := []v1.Job{submit(t, b.owner, first), submit(t, b.owner, second)}
	until(t, "both to run, each in its partition", func() bool {
		out, err := b.slurm.Run(ctx, "squeue", "-h", "-t", "R", "-o", "%P")
		said := strings.Fields(out)
		return err == nil && len(said) == 2 && strings.Contains(out, slurmtest.Partition) && strings.Contains(out, dear)
	})
	b.serve.kill()
	b.open()
	tell(t, b.dir)
	for _, j := range jobs {
		if done := b.completed(j.ID); done.Price != j.Price || done.Attempt != 0 {
			t.Errorf("price %d and then %d, attempt %d", j.Price, done.Price, done.Attempt)
		}
	}

	// 5. A node that drains closes its partition, and no other.
	if out, err := b.slurm.Run(ctx, "scontrol", "update", "nodename="+b.slurm.Nodes[2], "state=drain", "reason=test"); err != nil {
		t.Fatal(err, out)
	}
	until(t, "the dear node to be closed", func() bool {
		_, err := b.owner.Preview(ctx, ask(dear))
		return err != nil
	})
	if _, err := b.owner.Preview(ctx, ask("")); err != nil {
		t.Errorf("the other partition is closed, too: %v", err)
	}

	// 6. A node in both is found, and nothing is served.
	both := []string{"--slurm-partition", slurmtest.Partition + "," + dear, "--slurm-conf", b.slurm.Conf}
	if out, err := run(append([]string{binary(), "slurm", "check"}, both...)...); strings.Contains(out, "several of the market's partitions") {
		t.Errorf("nothing overlaps: %v: %s", err, out)
	}
	if out, err := b.slurm.Run(ctx, "scontrol", "update", "partitionname="+dear, "nodes="+b.slurm.Nodes[1]+","+b.slurm.Nodes[2]); err != nil {
		t.Fatal(err, out)
	}
	words := fmt.Sprintf("each can have one price: %s (%s, %s)", b.slurm.Nodes[1], slurmtest.Partition, dear)
	for _, argv := range [][]string{{"slurm", "check"}, {"serve", "--backend", "slurm", "--store", b.at("other.db"), "--listen", fmt.Sprintf("127.0.0.1:%d", freePort(t))}} {
		if out, err := run(append(append([]string{binary()}, argv...), both...)...); err == nil || !strings.Contains(out, words) {
			t.Errorf("%v: %v: %s", argv, err, out)
		}
	}
	b.verify()
}
